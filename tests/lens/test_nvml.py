"""The GPU's clock, asked of NVML: what it tells is read, and where it does not answer nothing is."""

from __future__ import annotations

import ctypes

import pytest

from learning.lens import nvml


class Library:
    """A stand-in for libnvidia-ml: one GPU at ``mhz``, held down by ``reasons`` (bits); ``failing`` calls return an error."""

    def __init__(self, mhz=1980, reasons=0, failing=(), used=0):
        self.mhz, self.reasons, self.failing, self.open, self.used = mhz, reasons, failing, 0, used

    def _status(self, name):
        return 999 if name in self.failing else 0

    def nvmlInit_v2(self):
        self.open += 1
        return self._status("init")

    def nvmlShutdown(self):
        self.open -= 1
        return 0

    def nvmlDeviceGetHandleByIndex_v2(self, index, device):
        return self._status("index")

    def nvmlDeviceGetHandleByUUID(self, uuid, device):
        return 0 if uuid == b"GPU-1234" else 6

    def nvmlDeviceGetClockInfo(self, device, kind, mhz):
        mhz._obj.value = self.mhz
        return self._status("clock")

    def nvmlDeviceGetMemoryInfo(self, device, memory):
        memory._obj.total, memory._obj.used = 16 << 30, self.used
        return self._status("memory")

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, device, reasons):
        reasons._obj.value = self.reasons
        return self._status("reasons")


@pytest.fixture
def library(monkeypatch):
    """``library(**what)``: NVML answers as told."""

    def install(**what):
        made = Library(**what)
        monkeypatch.setattr(nvml.ctypes, "CDLL", lambda name: made)
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        return made

    return install


def test_a_look_tells_the_clock_and_why_it_is_held_down(library):
    made = library(mhz=1410, reasons=0x4 | 0x20)
    with nvml.Watch() as watch:
        assert watch.look() == nvml.Clock(1410, ("power cap", "too hot (software)"))
        assert made.open == 1
    assert made.open == 0 and watch.look() is None


def test_unknown_reasons_leave_the_clock(library):
    library(failing=("reasons",), reasons=0x4)
    with nvml.Watch() as watch:
        assert watch.look() == nvml.Clock(1980)


@pytest.mark.parametrize("failing", ["init", "index", "clock"])
def test_where_nvml_does_not_answer_there_is_no_clock(library, failing):
    library(failing=(failing,))
    with nvml.Watch() as watch:
        assert watch.look() is None


@pytest.mark.parametrize(("visible", "found"), [("GPU-1234,1", True), ("GPU-9", False), ("-1", False), ("3", True)])
def test_the_gpu_asked_is_the_one_cuda_would_call_device_0(library, monkeypatch, visible, found):
    library()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    with nvml.Watch() as watch:
        assert (watch.look() is not None) is found


def test_without_the_library_or_with_an_old_one_there_is_no_clock(monkeypatch):
    def missing(name):
        raise OSError(name)

    monkeypatch.setattr(nvml.ctypes, "CDLL", missing)
    with nvml.Watch() as watch:
        assert watch.look() is None
    monkeypatch.setattr(nvml.ctypes, "CDLL", lambda name: object())
    with nvml.Watch() as watch:
        assert watch.look() is None
    assert ctypes.CDLL is nvml.ctypes.CDLL


def test_what_is_taken_of_the_card_is_told_anew_at_every_look(library):
    made = library(used=3 << 20)
    with nvml.Watch() as watch:
        assert watch.taken() == 3 << 20
        made.used = 5 << 30
        assert watch.taken() == 5 << 30
    assert watch.taken() is None and made.open == 0
    library(failing=("memory",))
    with nvml.Watch() as silent:
        assert silent.taken() is None
