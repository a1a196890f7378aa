"""Sets of held arguments: equal and apart, moved about in place, results read back as facts."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from learning.judge import handle
from learning.judge.held import Held, copied, distinct, held_bytes, window_of

LAYOUTS = {
    "packed": lambda x: x,
    "transposed": lambda x: x.t(),
    "offset": lambda x: x.reshape(-1)[1:],
    "every other": lambda x: x[:, ::2],
    "one row repeated": lambda x: x[:1].expand(5, -1),
    "one column repeated": lambda x: x[:, :1].expand(-1, 6),
    "one number": lambda x: x[0, 0],
}


@pytest.fixture(params=LAYOUTS)
def view(request):
    """A view of one layout of a matrix of 4 by 6 whose elements all differ."""
    return LAYOUTS[request.param](torch.arange(24.0).reshape(4, 6))


def test_a_copy_has_the_values_and_strides_and_memory_of_its_own(view):
    twin = copied(view)
    assert torch.equal(twin, view) and twin.stride() == view.stride() and twin.storage_offset() == view.storage_offset()
    assert twin.untyped_storage().data_ptr() != view.untyped_storage().data_ptr()


def test_arguments_that_share_memory_share_it_in_every_set():
    x = torch.arange(8.0)
    (a, b, [c]), again = copied((x, x[2:], [x])), {}
    assert a.data_ptr() == c.data_ptr() and b.data_ptr() == a.data_ptr() + 8
    assert copied({"n": 3, "of": ("x", None)}, again) == {"n": 3, "of": ("x", None)} and not again


def test_stirring_keeps_the_values_and_moves_them_where_they_lie(view):
    held = Held((view,), {}, copies=2)
    before, neighbours = view.clone(), view.untyped_storage().nbytes()
    held.stir(0, 7)
    assert torch.equal(view.flatten().sort().values, before.flatten().sort().values)
    assert view.untyped_storage().nbytes() == neighbours and torch.equal(held.sets[1][0][0], before)
    if distinct(view).numel() > 1:
        assert not torch.equal(view, before)


def test_stirring_touches_nothing_between_the_elements_of_a_view():
    wide = torch.full((4, 8), float("nan"))
    wide[:, :5] = torch.arange(20.0).reshape(4, 5)
    Held((wide[:, :5],), {}).stir(0, 3)
    assert wide[:, 5:].isnan().all() and not wide[:, :5].isnan().any()


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 1 << 40), st.integers(2, 9), st.integers(1, 9))
def test_no_shift_leaves_everything_in_place(shift, rows, columns):
    x = torch.arange(float(rows * columns)).reshape(rows, columns)
    before = x.clone()
    Held((x,), {}).stir(0, shift)
    assert not torch.equal(x, before)


@given(st.floats(0, 1), st.sampled_from(sorted(LAYOUTS)))
@settings(deadline=None, max_examples=60)
def test_a_window_is_a_view_that_holds_its_place(at, layout):
    x = distinct(LAYOUTS[layout](torch.arange(24.0).reshape(4, 6)))
    window, place = window_of(x, at), min(int(at * x.numel()), x.numel() - 1)
    assert float(x.reshape(-1)[place]) in window.reshape(-1).tolist()
    window.fill_(-1.0)
    assert (x == -1.0).sum() == window.numel()


def test_a_marked_set_holds_other_values_until_its_last_call():
    seen = []
    run = handle.here(lambda x: seen.append(x.tolist()) or x * 2, (torch.arange(20.0),), {}, copies=2)
    assert run.mark([1], 0.0).fault is None
    run(7)
    before = list(map(float, range(20)))
    assert [row == before for row in seen] == [True, False, True, False, True, True, True]
    assert all(sorted(row) == before for row in seen)
    assert run.show(1, [3], 0.0).value[0][3].tolist() == [2 * x for x in before[:16]]


def test_indices_stay_where_floats_are_stirred():
    values, table = torch.arange(6.0), torch.arange(6)
    Held((values, table), {}).stir(0, 2)
    assert table.tolist() == list(range(6)) and values.tolist() != list(range(6))
    Held((table,), {}).stir(0, 2)
    assert table.tolist() != list(range(6))


@given(st.floats(0, 1), st.integers(0, 1 << 30))
@settings(deadline=None, max_examples=50)
def test_a_share_of_the_values_is_stirred(share, shift):
    x = torch.arange(500.0)
    Held((x,), {}).stir(0, shift, share)
    moved = int((x != torch.arange(500.0)).sum())
    assert moved == (0 if share <= 0.0 else max(2, round(500 * share)))


def test_calls_take_the_sets_in_turn_and_both_sides_stir_alike():
    seen = []

    def sees(x):
        seen.append(x.data_ptr())
        return x * 2

    one = handle.here(sees, (torch.arange(6.0),), {}, copies=3)
    other = handle.here(lambda x: x + x, (torch.arange(6.0),), {}, copies=3)
    one(7), other(7)
    assert len(set(seen)) == 3 and seen[0] == seen[3] == seen[6]
    for side in (one, other):
        assert side.stir(1, 4).fault is None
    assert one.show(1, [0]).value is None, "what was made of the old values is forgotten"
    one(3), other(3)
    mine, truth = one.show(1, list(range(6))).value, other.show(1, list(range(6))).value
    assert mine[0][:2] == ["torch.float32", [6]] and torch.equal(mine[0][2], truth[0][2])
    assert not torch.equal(mine[0][2], torch.arange(6.0) * 2)


def test_a_call_that_is_audited_is_watched_and_finds_memory_as_in_one_that_is_timed():
    def answer(x):
        out = torch.empty_like(x)
        return x + x if out.storage_offset() == 0 else out  # where bands are, it would leave the sum to a kernel

    held = Held((torch.ones(4),), {}, copies=2)
    assert held.serve(answer, {"op": "run", "repeats": 2}).torch_calls == []
    came = held.serve(answer, {"op": "stir", "copy": 1, "shift": 3, "share": 1.0})
    assert came.fault is None and {"torch.empty_like", "Tensor.add", "aten.add"} <= set(came.torch_calls)


def test_results_that_are_no_plain_tensors_are_not_shown():
    class Lazy(torch.Tensor):
        pass

    for value in (3.0, None, [1], torch.ones(3).as_subclass(Lazy), (torch.ones(2), "x")):
        run = handle.here(lambda x, value=value: value, (torch.ones(3),), {})
        run(1)
        assert run.show(0, [1]).value is None


def test_several_and_empty_results_are_shown():
    run = handle.here(lambda x: (x, x[:0], x.half()), (torch.arange(3.0),), {})
    run(1)
    shown = run.show(0, [2, 3, 1 << 62]).value
    assert [s[:2] for s in shown] == [["torch.float32", [3]], ["torch.float32", [0]], ["torch.float16", [3]]]
    assert shown[0][2].tolist() == [2.0, 0.0, float((1 << 62) % 3)] and shown[1][2].numel() == 0


def test_without_a_gpu_a_capture_says_so_and_calls_go_on():
    run = handle.here(lambda x: x * 2, (torch.ones(3),), {})
    assert run.capture(10).value == "there is no GPU to capture on"
    came = run(4)
    assert came.fault is None and came.claimed > 0 and came.seconds >= came.claimed


def test_a_fault_names_itself_and_bytes_count_each_storage_once():
    run = handle.here(lambda x: x / 0, (3,), {})
    assert run(1).fault.type == "ZeroDivisionError"
    x = torch.zeros(100)
    assert held_bytes((x, x[3:]), {"y": torch.zeros(10)}) == 440
