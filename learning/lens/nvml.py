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


class _Memory(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in ("total", "free", "used")]


def visible(environment: dict[str, str] | None = None) -> str | None:
    """The first entry of ``CUDA_VISIBLE_DEVICES``: an index or a UUID; "0" where it is unset, None where it hides all."""
    value = (os.environ if environment is None else environment).get("CUDA_VISIBLE_DEVICES")
    if value is None:
        return "0"
    first = value.split(",")[0].strip()
    return None if first in ("", "-1", "none", "None", "NoDevFiles") else first


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
    if wanted.isdigit():
        failed = nvml.nvmlDeviceGetHandleByIndex_v2(int(wanted), ctypes.byref(device))
    else:
        failed = nvml.nvmlDeviceGetHandleByUUID(wanted.encode(), ctypes.byref(device))
    if failed:
        return None
    name, driver = ctypes.create_string_buffer(96), ctypes.create_string_buffer(80)
    major, minor, memory = ctypes.c_int(), ctypes.c_int(), _Memory()
    nvml.nvmlDeviceGetName(device, name, len(name))
    nvml.nvmlSystemGetDriverVersion(driver, len(driver))
    nvml.nvmlDeviceGetMemoryInfo(device, ctypes.byref(memory))
    if nvml.nvmlDeviceGetCudaComputeCapability(device, ctypes.byref(major), ctypes.byref(minor)) != 0:
        return None
    return Gpu(name.value.decode(), (major.value, minor.value), memory.total, driver.value.decode())
