"""Which NVIDIA GPU this process would use, asked of NVML, so that CUDA is not initialised.

A process that has initialised CUDA cannot fork workers that use it; NVML has no such state. Standard library only.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Gpu:
    """``name`` as the driver gives it; ``capability`` (major, minor); ``memory`` in bytes; ``driver`` its version."""

    name: str
    capability: tuple[int, int]
    memory: int
    driver: str


REASONS = {
    0x1: "idle", 0x2: "clocks set by an application", 0x4: "power cap", 0x8: "hardware slowdown", 0x10: "sync boost",
    0x20: "too hot (software)", 0x40: "too hot (hardware)", 0x80: "power brake", 0x100: "display clocks",
}  # fmt: skip
"""Why a GPU's clock is held down: ``nvmlClocksThrottleReasons`` of NVIDIA's NVML reference."""
_SM = 1


class _Memory(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in ("total", "free", "used")]


def visible(environment: dict[str, str] | None = None) -> str | None:
    """The first entry of ``CUDA_VISIBLE_DEVICES``: an index or a UUID; "0" where it is unset, None where it hides all."""
    value = (os.environ if environment is None else environment).get("CUDA_VISIBLE_DEVICES")
    if value is None:
        return "0"
    first = value.split(",")[0].strip()
    return None if first in ("", "-1", "none", "None", "NoDevFiles") else first


@dataclass(frozen=True)
class Clock:
    """One look at the GPU: the multiprocessors' clock in MHz, and why it is held down, in words."""

    mhz: int
    reasons: tuple[str, ...] = ()


class Watch:
    """Looks at the clock and the memory of the GPU that CUDA would call device 0; both are None where NVML does not tell.

    A context manager; it needs no CUDA context and changes no setting.
    """

    def __init__(self) -> None:
        self._nvml, self._device = None, ctypes.c_void_p()

    def __enter__(self) -> Watch:
        wanted = visible()
        with contextlib.suppress(OSError, AttributeError):
            nvml = ctypes.CDLL("libnvidia-ml.so.1")
            if wanted is not None and nvml.nvmlInit_v2() == 0:
                if _handle(nvml, wanted, self._device):
                    self._nvml = nvml
                else:
                    nvml.nvmlShutdown()
        return self

    def __exit__(self, *exc: object) -> None:
        if self._nvml is not None:
            with contextlib.suppress(Exception):
                self._nvml.nvmlShutdown()
            self._nvml = None

    def look(self) -> Clock | None:
        """The clock now, or None."""
        if self._nvml is None:
            return None
        mhz, reasons = ctypes.c_uint(), ctypes.c_ulonglong()
        try:
            if self._nvml.nvmlDeviceGetClockInfo(self._device, _SM, ctypes.byref(mhz)) != 0:
                return None
            told = self._nvml.nvmlDeviceGetCurrentClocksThrottleReasons(self._device, ctypes.byref(reasons)) == 0
        except AttributeError:
            return None
        names = [name for bit, name in REASONS.items() if told and reasons.value & bit]
        return Clock(mhz.value, tuple(names))

    def taken(self) -> int | None:
        """Bytes of the card's memory that are taken now, by whatever process, contexts included; None where it is not told."""
        memory = _Memory()
        if self._nvml is None:
            return None
        try:
            status = self._nvml.nvmlDeviceGetMemoryInfo(self._device, ctypes.byref(memory))
        except AttributeError:
            return None
        return None if status else memory.used


def first_gpu() -> Gpu | None:
    """The GPU that CUDA would call device 0, or None where there is none or no driver answers."""
    wanted = visible()
    if wanted is None:
        return None
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None
    if nvml.nvmlInit_v2() != 0:
        return None
    try:
        return _ask(nvml, wanted)
    finally:
        with contextlib.suppress(Exception):
            nvml.nvmlShutdown()


def _ask(nvml: ctypes.CDLL, wanted: str) -> Gpu | None:
    device = ctypes.c_void_p()
    if not _handle(nvml, wanted, device):
        return None
    name, driver = ctypes.create_string_buffer(96), ctypes.create_string_buffer(80)
    major, minor, memory = ctypes.c_int(), ctypes.c_int(), _Memory()
    nvml.nvmlDeviceGetName(device, name, len(name))
    nvml.nvmlSystemGetDriverVersion(driver, len(driver))
    nvml.nvmlDeviceGetMemoryInfo(device, ctypes.byref(memory))
    if nvml.nvmlDeviceGetCudaComputeCapability(device, ctypes.byref(major), ctypes.byref(minor)) != 0:
        return None
    return Gpu(name.value.decode(), (major.value, minor.value), memory.total, driver.value.decode())


def _handle(nvml: ctypes.CDLL, wanted: str, device: ctypes.c_void_p) -> bool:
    """Point ``device`` at the GPU of that index or UUID; False where NVML knows none."""
    if wanted.isdigit():
        return nvml.nvmlDeviceGetHandleByIndex_v2(int(wanted), ctypes.byref(device)) == 0
    return nvml.nvmlDeviceGetHandleByUUID(wanted.encode(), ctypes.byref(device)) == 0
