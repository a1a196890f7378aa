"""The plain interpreter with the course's corrections: every kernel kind, every correction, and what they are worth."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from learning.lens import device

device.current()

from learning.lens.interpreter import CORRECTIONS, INSIDE, Patches, bfloat16, correct, launch, report  # noqa: E402


def test_every_kernel_kind_and_every_correction_holds(stories):
    results = stories("interpreter", "kernels.,products.,corrections.")
    assert len(results) >= 65
    failures = {name: text for name, text in results.items() if text}
    assert not failures, "\n".join(f"{name}: {text}" for name, text in failures.items())


def test_without_the_corrections_their_stories_fail(stories):
    results = stories("interpreter", "corrections.", "--uncorrected")
    passing = {name.removeprefix("corrections.") for name, text in results.items() if not text}
    controls = {
        "a_loop_bound_known_only_at_run_time",  # right upstream from Triton 3.7, and everywhere below numpy 2.4
        "a_scalar_load_with_other_zero_gives_zero",
        "conditions_on_scalars_still_work",
        "random_numbers_do_not_count_as_overflow",
        "chained_comparison_is_refused_or_right",  # right upstream from Triton 3.9
    }
    assert passing <= controls and len(results) - len(passing) >= 11, passing


def test_each_correction_is_in_force_while_a_kernel_runs_or_not_needed():
    states = {correction.name: correction.state for correction in report()}
    assert len(states) == len(CORRECTIONS) and set(states.values()) <= {"corrected", "upstream is right"}
    # On a virtual card launches are Triton's own, which refuses what the interpreter's would let pass.
    judged = CORRECTIONS if device.current().place == "interpreter" else INSIDE
    with Patches() as patches:
        correct(patches)
        assert [correction.NAME for correction in judged if not correction.right()] == []


def test_a_correction_switches_itself_off_where_upstream_is_right():
    """Where the interpreter as it comes already passes a probe, that correction changes nothing."""
    from learning.lens import interpreter

    needed_here = interpreter.needed()
    interpreter.needed.cache_clear()
    try:
        with Patches() as patches:
            for correction in needed_here:
                correction.apply(patches)
            assert interpreter.needed() == ()
    finally:
        interpreter.needed.cache_clear()


def test_patches_restore_what_stood_in_the_object_itself():
    class Base:
        inherited = "base"

    class Child(Base):
        own = "child"

    with Patches() as patches:
        patches.set(Child, "inherited", 1)
        patches.set(Child, "own", 2)
        patches.set(Child, "own", 3)
        patches.set(Child, "new", 4)
        assert (Child.inherited, Child.own, Child.new) == (1, 3, 4)
    assert "inherited" not in vars(Child) and Child.inherited == "base"
    assert Child.own == "child" and not hasattr(Child, "new")


def test_correcting_twice_and_restoring_leaves_the_interpreter_as_it_was():
    from triton.runtime import interpreter as upstream

    owners = (upstream, upstream.InterpreterBuilder, upstream.ReduceOps, upstream.ScanOps, upstream.InterpretedFunction)
    before = [dict(vars(owner)) for owner in owners]
    with Patches() as patches:
        correct(patches)
        correct(patches)
    assert [dict(vars(owner)) for owner in owners] == before


@given(st.lists(st.floats(width=32), min_size=1, max_size=64))
def test_narrowing_agrees_with_torch_to_the_bit(values):
    wide = np.array(values, dtype=np.float32)
    right = torch.from_numpy(wide).to(torch.bfloat16)
    ours = torch.from_numpy(bfloat16.narrow(wide).view(np.int16)).view(torch.bfloat16)
    same = (ours.view(torch.int16) == right.view(torch.int16)) | (ours.isnan() & right.isnan())
    assert same.all()


@given(st.lists(st.integers(0, 65535), min_size=1, max_size=64))
def test_widening_then_narrowing_is_the_identity_but_for_nan_payloads(patterns):
    bits = np.array(patterns, dtype=np.uint16)
    wide = bfloat16.widen(bits)
    again = bfloat16.narrow(wide)
    assert np.array_equal(again[~np.isnan(wide)], bits[~np.isnan(wide)])
    assert np.isnan(bfloat16.widen(again[np.isnan(wide)])).all()


@given(st.lists(st.integers(-8, 8), min_size=1, max_size=32), st.booleans())
def test_a_tree_sum_of_small_integers_is_exact(values, keepdims):
    bits = bfloat16.narrow(np.array([values, values], dtype=np.float32))
    rows = bfloat16.widen(bfloat16.tree_sum(bits, 1, keepdims))
    assert rows.shape == ((2, 1) if keepdims else (2,)) and (rows == sum(values)).all()
    everything = bfloat16.tree_sum(bits, None, keepdims)
    if abs(2 * sum(values)) <= 256:
        assert everything.shape == ((1, 1) if keepdims else ()) and bfloat16.widen(everything).item() == 2 * sum(values)


def test_a_bf16_sum_stops_growing_as_a_bf16_sum_does():
    """512 ones and one 1: a tree adds them exactly, a running sum rounds to nearest even and stands still at 256."""
    ones = bfloat16.narrow(np.ones(512, dtype=np.float32))
    assert bfloat16.widen(bfloat16.tree_sum(ones, 0, False)) == 512
    assert bfloat16.widen(bfloat16.running(ones, 0, np.add))[-1] == 256


@pytest.mark.parametrize("keyword", ["num_wraps", "BLOKC", "num_stage"])
def test_a_misspelt_keyword_is_answered_with_the_nearest_name(keyword):
    with pytest.raises(launch.UnknownOption) as refusal:
        launch.check("add_kernel", ["x_ptr", "BLOCK"], ["BLOCK", "num_warps", keyword])
    near = {"num_wraps": "num_warps", "BLOKC": "BLOCK", "num_stage": "num_stages"}[keyword]
    assert f"{keyword!r}" in str(refusal.value) and f"did you mean {near}?" in str(refusal.value)
