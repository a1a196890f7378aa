"""What a record says of the machine it was made on. torch and Triton are imported only where a GPU is asked about."""

import os
import platform
import re
from pathlib import Path
from typing import Any

from learning import host
from learning.judge.abreast import cores

PACKAGES = ("torch", "triton", "numpy")


def processor() -> str:
    """The processor's name as the system tells it (Linux alone does), else its kind ("x86_64")."""
    told = Path("/proc/cpuinfo")
    found = told.is_file() and re.search(r"^model name\s*:\s*(.+)$", told.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1].strip() if found else platform.processor() or platform.machine()


def versions(*packages: str) -> dict[str, str]:
    """Versions by name: Python's, and those of ``packages`` (by default what kernels need) that are installed."""
    found = {name: host.installed(name) for name in packages or PACKAGES}
    return {"python": platform.python_version()} | {name: version for name, version in found.items() if version}


def machine(**more: Any) -> dict[str, Any]:
    """``{"processor", "cores", "gpu"}``: cores that this process may use, the first GPU's name or ""; then ``more``."""
    from learning.lens import nvml

    gpu = nvml.first_gpu()
    return {"processor": processor(), "cores": cores(), "gpu": gpu.name if gpu else "", **more}


def sentence() -> str:
    """The same in words, without the GPU: processor, cores, Python, and the load of the last minute where it is told."""
    load = f", load {os.getloadavg()[0]:.0f}" if hasattr(os, "getloadavg") else ""
    return f"{processor()}, {cores()} cores, Python {platform.python_version()}{load}"


def has_cuda() -> bool:
    """Whether torch sees a CUDA GPU here; where it does not, a line says so, and that nothing was measured."""
    import torch

    if not torch.cuda.is_available():
        print("no CUDA GPU on this machine; nothing was measured")
    return torch.cuda.is_available()


def cuda() -> dict[str, Any]:
    """The CUDA GPU in use and what runs on it: ``gpu``, ``capability`` ("9.0"), versions as the modules tell them (torch's names
    the CUDA it was built with) and ``cores``. Raises what torch raises where there is no GPU."""
    import numpy
    import torch
    import triton

    properties = torch.cuda.get_device_properties(0)
    return {
        "gpu": properties.name,
        "capability": f"{properties.major}.{properties.minor}",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "triton": triton.__version__,
        "numpy": numpy.__version__,
        "cores": cores(),
    }
