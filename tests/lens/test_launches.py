"""Launches heard by hooks: their stories on the virtual T4, and what happens where there is none to hear."""

import pytest

from learning.lens import device, launches, trace
from tests.lens.test_virtual import failures

device.current()


def test_grid_options_and_constexprs_of_real_launches_and_nothing_left_behind(stories):
    results = stories("t4", "launching.")
    assert len(results) == 8 and not failures(results), failures(results)


def test_an_interpreted_process_has_no_hooks_to_hear():
    if device.current().target:
        pytest.skip("this process compiles")
    with pytest.raises(RuntimeError, match="no hook for interpreted"), launches.recording():
        pass


def test_on_a_gpu_a_recording_listens_to_hooks_and_refuses_an_order(monkeypatch):
    monkeypatch.setattr(device, "_opened", device.Device("cuda", "cuda", "Tesla T4", (7, 5)))
    with pytest.raises(RuntimeError, match="orders programs itself"), trace.recording(order="reversed"):
        pass
    tape = trace.Tape(counted=False)
    with pytest.raises(RuntimeError, match="CPU copies"):
        tape.traffic(None)
