"""The parity protocol as stories: honest answers pass, every lie of an output is a named finding."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.judge.parity_kit import add_reference, finding, judge, pair_reference, run, values


def add(x, y):
    return x + y


def test_eager_passes_and_costs_one_case():
    x, y = values(2500), values(2500, seed=1)
    result = run(lambda trial: trial.parity(add, x, y, reference=add_reference))
    assert (result.state, result.cases, result.earned) == ("passed", 1, 1.0)


def test_a_finding_says_what_was_called_what_came_back_what_was_expected_and_where():
    def forgets_the_tail(x, y):
        out = x + y
        out[2048:] = x[2048:]
        return out

    found = judge(forgets_the_tail, values(2500), values(2500, seed=1), reference=add_reference, tile=1024)
    assert found.rule == "wrong values"
    assert found.called == "forgets_the_tail(x, y)  # x, y: float32[2500]"
    assert "452 of 2500 elements, from element 2048 (tile 2) to element 2499 (tile 2)" in found.where
    assert "worst at element" in found.where and "±" in found.expected and float(found.got)


def test_the_case_and_its_seed_are_in_the_finding():
    def body(trial):
        trial.case("three")
        trial.parity(lambda x: x + 1, trial.normal(3), reference=lambda x: x)

    found = finding(body, seed=lambda lesson, check, case: len(case))
    assert (found.case, found.seed) == ("three", 5)


class Liar(torch.Tensor):
    """Says that everything is close to it."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function in (torch.allclose, torch.equal):
            return True
        return super().__torch_function__(function, types, args, kwargs or {})


def with_attribute(x):
    out = x.clone()
    out.note = "trust me"
    return out


LIES = {
    "subclass": (lambda x, y: (x + y).as_subclass(Liar), "a subclass"),
    "attribute": (lambda x, y: with_attribute(x + y), "attributes or marks of its own"),
    "marked as negated": (lambda x, y: torch._neg_view(-(x + y)), "attributes or marks of its own"),
    "parameter": (lambda x, y: torch.nn.Parameter(x + y), "a subclass"),
    "one element that broadcasts": (lambda x, y: (x + y)[:1].clone(), "float32[1]"),
    "scalar": (lambda x, y: (x + y).sum(), "float32[]"),
    "zero stride": (lambda x, y: (x + y)[:1].clone().expand(8), "strides (0,)"),
    "every other element": (lambda x, y: (x + y).repeat_interleave(2)[::2], "strides (2,)"),
    "too long": (lambda x, y: torch.cat([x + y, y]), "float32[16]"),
    "another rank": (lambda x, y: (x + y)[None], "float32[1, 8]"),
    "half": (lambda x, y: (x + y).half(), "float16[8]"),
    "double": (lambda x, y: (x + y).double(), "float64[8]"),
    "integers": (lambda x, y: (x + y).int(), "int32[8]"),
    "list": (lambda x, y: [x + y], "[a tensor float32[8]]"),
    "tuple": (lambda x, y: (x + y,), "(a tensor float32[8],)"),
    "none": (lambda x, y: None, "None"),
    "number": (lambda x, y: 3.0, "3.0"),
    "array": (lambda x, y: np.zeros(8, np.float32), "numpy.ndarray"),
    "another device": (lambda x, y: torch.empty(8, device="meta"), "on meta"),
    "gradient": (lambda x, y: (x + y).requires_grad_(), "requires grad"),
    "its input": (lambda x, y: x, "memory shared with an input"),
    "a view of its input": (lambda x, y: y[:], "memory shared with an input"),
    "a sum in its input": (lambda x, y: x.add_(y), "memory shared with an input"),
    "sparse": (lambda x, y: (x + y).to_sparse(), "Tensor"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_of_an_output_breaks_the_contract(lie):
    answer, told = LIES[lie]
    found = judge(answer, values(8), values(8, seed=1), reference=add_reference)
    assert found is not None and found.rule == "contract"
    assert told in found.got and found.expected


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_result_full_of_one_non_number_is_wrong(dtype, value):
    found = judge(
        lambda x, y: torch.full_like(x, value), values(8, dtype=dtype), values(8, dtype=dtype, seed=1),
        reference=add_reference,
    )  # fmt: skip
    assert found.rule == "wrong values" and "8 of 8 elements" in found.where


def test_an_exception_is_told_by_its_own_words():
    def raises(x, y):
        raise RuntimeError("no kernel yet")

    found = judge(raises, values(8), values(8), reference=add_reference)
    assert found.rule == "fault" and "RuntimeError: no kernel yet" in found.sentence()


def test_memory_that_was_never_written_shows_between_two_poisons():
    def stops_early(x, y):
        out = torch.empty_like(x)
        out[:5] = (x + y)[:5]
        return out

    found = judge(stops_early, values(8), values(8), reference=add_reference)
    assert found.rule == "memory" and "fresh memory" in found.got
    assert found.where == "3 of 8 elements, from element 5 to element 7" and "which program" in found.advice


def test_an_input_that_was_written_is_named_with_its_index():
    def overwrites(x, y):
        y[3] = 0
        return x + y

    found = judge(overwrites, values(8), values(8, seed=1), reference=lambda x, y: x + y)
    assert (found.rule, found.where) == ("memory", "at [3] of y") and found.got.startswith("y was changed")


@pytest.mark.parametrize(
    ("store", "told"),
    [(-1, "before x"), (8, "past the end of x"), (-400, "before x"), (3000, "past the end of x")],
)
def test_a_store_beside_an_input_is_seen(store, told):
    def spills(x, y):
        x.as_strided((1,), (1,), x.storage_offset() + store)[0] = 1
        return x + y

    found = judge(spills, values(8), values(8, seed=1), reference=lambda x, y: x + y)
    assert found.rule == "memory" and told in found.got and f"{store} elements" in found.where


def test_a_store_in_the_gap_of_a_strided_view_is_seen():
    def spills(x):
        x.as_strided((1,), (1,), x.storage_offset() + 5)[0] = 1
        return x + 0

    view = values(3, 7)[:, :5]
    found = judge(spills, view, reference=lambda x: x + 0)
    assert found.rule == "memory" and "between the rows of x" in found.got


def test_a_read_beside_an_input_reads_nan():
    def reads_on(x):
        out = x.clone()
        out[-1] += 0 * x.as_strided((1,), (1,), x.storage_offset() + 8)[0]
        return out

    found = judge(reads_on, values(64)[:8], reference=lambda x: x + 0)
    assert found.rule == "wrong values" and found.got == "nan"


def test_integers_read_from_a_moat_are_a_pattern_nobody_expects():
    def reads_on(x):
        out = x.clone()
        out[-1] = x.as_strided((1,), (1,), x.storage_offset() + 8)[0]
        return out

    found = judge(reads_on, torch.arange(64)[:8], reference=lambda x: x + 0)
    assert found.rule == "wrong values" and found.got == f"{float(0x5A5A5A5A5A5A5A5A):.6g}"


def test_a_store_past_a_fresh_output_is_seen():
    def spills(x):
        out = torch.empty_like(x)
        out.as_strided((9,), (1,))[:] = 0
        out.copy_(x)
        return out

    found = judge(spills, values(8), reference=lambda x: x + 0)
    assert found.rule == "memory" and "past the end" in found.got


def test_one_tensor_twice_stays_one_tensor():
    seen = []

    def looks(x, y):
        seen.append(x.data_ptr() == y.data_ptr())
        return x + y

    x = values(8)
    assert judge(looks, x, x, reference=add_reference) is None
    assert all(seen) and seen


def test_views_that_overlap_keep_overlapping():
    distances = []

    def looks(x, y):
        distances.append((y.data_ptr() - x.data_ptr()) // x.element_size())
        return x + y

    storage = values(9)
    assert judge(looks, storage[:-1], storage[1:], reference=add_reference) is None
    assert set(distances) == {1}


@pytest.mark.parametrize("offset", range(5))
def test_alignment_to_16_bytes_is_kept(offset):
    found = []

    def looks(x):
        found.append(x.data_ptr() % 16)
        return x + 0

    x = torch.arange(32, dtype=torch.float32)[offset : offset + 8]
    assert judge(looks, x, reference=lambda x: x + 0) is None
    assert set(found) == {x.data_ptr() % 16}


def test_a_buffer_handed_out_twice_is_not_fresh():
    kept = {}

    def reuses(x):
        out = kept.setdefault(x.shape, torch.empty_like(x))
        out.copy_(x)
        return out

    found = judge(reuses, values(8), reference=lambda x: x + 0)
    assert found.rule == "contract" and "the call before" in found.got


def test_a_result_that_changes_from_call_to_call_is_told():
    calls = []

    def drifts(x):
        calls.append(1)
        return x + (0.001 if len(calls) == 4 else 0.0)

    found = judge(drifts, values(8), reference=lambda x: x + 0, repeats=6)
    assert found.rule == "repeat" and len(calls) == 4


def test_a_counter_shows_even_without_repeats():
    calls = []

    def drifts(x):
        calls.append(1)
        return x + 1e-9 * len(calls)

    assert judge(drifts, values(8, seed=3) * 1e-8, reference=lambda x: x + 1e-9) is not None


def test_float_atomics_may_differ_in_the_last_bits_where_the_lesson_allows_them():
    calls = []

    def last_bit(x):
        calls.append(1)
        return torch.nextafter(x, x + len(calls) % 2)

    assert judge(last_bit, values(8), reference=lambda x: x + 0, atomics=True) is None
    assert judge(last_bit, values(8), reference=lambda x: x + 0).rule == "memory"


# ---- several outputs


def test_several_outputs_are_judged_each_by_its_name():
    assert judge(lambda x: (x + 1, x * 2), values(4), reference=pair_reference) is None
    found = judge(lambda x: (x + 1, x * 2.5), values(4), reference=pair_reference, outputs="plus twice")
    assert found.got.startswith("twice: ")


def test_outputs_must_not_share_memory():
    def shares(x):
        both = torch.cat([x + 1, x * 2])
        return both[:4], both[4:]

    found = judge(shares, values(4), reference=pair_reference, outputs="plus twice")
    assert found.rule == "contract" and found.got == "twice: memory shared with plus"


@pytest.mark.parametrize(
    "wrong", [lambda x: [x + 1, x * 2], lambda x: x + 1, lambda x: (x + 1, x * 2, x), lambda x: ()]
)
def test_a_tuple_of_two_is_a_tuple_of_two(wrong):
    found = judge(wrong, values(4), reference=pair_reference)
    assert found.rule == "contract" and found.expected.startswith("a tuple of 2")


# ---- options


def test_options_reach_the_entry_and_only_the_references_that_name_them():
    seen = []

    def softmax(x, *, num_warps=4):
        seen.append(num_warps)
        return torch.softmax(x, -1)

    def scaled(x, *, factor=1.0):
        return x * factor

    assert judge(softmax, values(2, 3), reference=lambda x: torch.softmax(x, -1), num_warps=8) is None
    assert set(seen) == {8}
    assert judge(scaled, values(2, 3), reference=scaled, factor=3.0) is None
    found = judge(lambda x, *, factor: x, values(2, 3), reference=scaled, factor=3.0)
    assert found.called.startswith("<lambda>(x, factor=3.0)")


def test_an_oracle_that_is_not_float64_is_the_judges_fault():
    with pytest.raises(AssertionError, match="float64"):
        judge(lambda x: x + 0, values(4), reference=lambda x: x.float() + 0)


@pytest.mark.parametrize("exact", [True, "bits"])
def test_exact_mode_wants_equal_values(exact):
    x, y = values(8), values(8, seed=1)
    assert judge(add, x, y, reference=add_reference, exact=exact) is None
    found = judge(lambda x, y: torch.nextafter(x + y, x), x, y, reference=add_reference, exact=exact)
    assert found.rule == "wrong values" and found.expected.startswith("exactly ")


def test_signed_zeros_differ_only_in_bits():
    x = torch.zeros(4)
    assert judge(lambda x: -x, x, reference=lambda x: x + 0, exact=True) is None
    assert judge(lambda x: -x, x, reference=lambda x: x + 0, exact="bits") is not None


def test_overflow_may_fall_either_way_only_at_the_edge_of_the_dtype():
    x = torch.tensor([65504.0, 1.0], dtype=torch.float16)
    ok = judge(lambda x, y: x + y, x, torch.tensor([8.0, 1.0], dtype=torch.float16), reference=add_reference)
    assert ok is None
    found = judge(
        lambda x, y: (x + y).nan_to_num(), x, torch.tensor([30000.0, 1.0], dtype=torch.float16), reference=add_reference
    )
    assert found.rule == "wrong values" and found.expected == "95504"


def test_empty_tensors_are_held_to_the_contract_too():
    x = torch.empty(0, 5)
    assert judge(lambda x: torch.empty_like(x), x, reference=lambda x: x + 0) is None
    assert judge(lambda x: x.new_empty(5), x, reference=lambda x: x + 0).rule == "contract"


def test_a_precision_that_no_element_shows_is_still_a_finding():
    def all_a_little_off(x):
        return torch.softmax(x, -1) * (1 + 1.2e-6)

    found = judge(all_a_little_off, values(8, 64), reference=lambda x: torch.softmax(x, -1))
    assert found.rule == "precision" and "relative error of 1.2e-06" in found.got and found.advice


def test_three_axes_are_told_by_their_index_and_tile():
    def wrong(x):
        out = x.clone()
        out[1, 2, 3] += 1
        return out

    found = judge(wrong, values(2, 4, 8), reference=lambda x: x + 0, tile=(2, 4))
    assert "index [1, 2, 3] (tile (1, 0))" in found.where


def test_the_judge_restores_the_processes_precision_and_threads():
    before = torch.get_num_threads()
    torch.set_float32_matmul_precision("medium")
    try:
        assert judge(lambda a: a @ a, values(4, 4), reference=lambda a: a @ a) is None
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision("highest")
    assert torch.get_num_threads() == before


def test_what_is_said_of_an_output_does_not_outweigh_its_bytes(monkeypatch):
    from learning.judge import call

    real = call.invoke

    def lies(*args, **options):
        came = real(*args, **options)
        came.value = came.value[:1]
        return came

    monkeypatch.setattr(call, "invoke", lies)
    found = judge(lambda x: x + 0, torch.ones(8), reference=lambda x: x + 0)
    assert found.rule == "contract" and found.got == "float32[1]"


def test_one_answer_a_shape_is_caught_by_other_values():
    """Right on the first values of a shape, and on every repeat of them."""
    kept = {}

    def remembers(x, y):
        return kept.setdefault(x.shape, x + y).clone()

    found = judge(remembers, values(100), values(100, seed=1), reference=add_reference)
    assert found.rule == "wrong values" and "other values" in found.advice
