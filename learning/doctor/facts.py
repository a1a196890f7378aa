"""What is so on this machine, read without importing torch or Triton and without starting CUDA. Standard library only."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from learning import course, host
from learning.lens import device, nvml, toolchain

PACKAGES = ("torch", "triton", "numpy", "matplotlib", "ipywidgets", "anywidget", "jupyterlab", "ipykernel", "nbgrader")
WIDGETS = {"ipywidgets": "@jupyter-widgets/jupyterlab-manager", "anywidget": "anywidget"}
"""Packages that draw in JupyterLab, and the folder of the extension each brings along."""


@dataclass(frozen=True)
class Facts:
    """One machine. Empty strings, None and False say that something is not there.

    ``system`` as ``platform.system()`` says ("Linux", "Darwin", "Windows"); ``python`` (major, minor, micro);
    ``packages`` version by name, "" where absent; ``torch_cuda`` the CUDA version torch was built with; ``gpu`` as NVML tells;
    ``nvidia_files`` whether the kernel's driver shows device files although NVML may not answer; ``hidden`` the value of
    CUDA_VISIBLE_DEVICES where it hides every GPU, else None; ``interpret`` whether TRITON_INTERPRET is set;
    ``compiler`` why Triton cannot compile here; ``bubblewrap`` why it does not work; ``extensions`` by package, whether
    JupyterLab finds it; ``work`` the folder of the learner's work and ``work_refuses`` why it cannot be written;
    ``cache_free`` free bytes where Triton keeps compiled kernels; ``colab`` whether this is a Colab runtime, ``wsl`` Windows'
    Linux; ``checkout`` whether the course lies here as a clone (else it is installed).
    """

    system: str
    python: tuple[int, int, int]
    packages: dict[str, str] = field(default_factory=dict)
    torch_cuda: str = ""
    gpu: nvml.Gpu | None = None
    nvidia_files: bool = False
    hidden: str | None = None
    interpret: bool = False
    compiler: str = ""
    bubblewrap: str = ""
    extensions: dict[str, bool] = field(default_factory=dict)
    work: str = ""
    work_refuses: str = ""
    cache_free: int = 0
    colab: bool = False
    wsl: bool = False
    checkout: bool = True


def gather() -> Facts:
    """The facts of this machine, as this Python sees them."""
    packages = {name: host.installed(name) for name in PACKAGES}
    work = course.workspace()
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES")
    return Facts(
        system=platform.system(),
        python=sys.version_info[:3],
        packages=packages,
        torch_cuda=cuda_of_torch() if packages["torch"] else "",
        gpu=nvml.first_gpu(),
        nvidia_files=bool(list(Path("/dev").glob("nvidia[0-9]*"))) or Path("/dev/dxg").exists(),
        hidden=hidden if hidden is not None and nvml.visible() is None else None,
        interpret=device.asked_for_interpreter(),
        compiler=toolchain.complaint() if packages["triton"] else "",
        bubblewrap=bubblewrap(),
        extensions={package: extension(folder) for package, folder in WIDGETS.items() if packages[package]},
        work=str(work),
        work_refuses=refusal(work),
        cache_free=free_bytes(Path(os.environ.get("TRITON_CACHE_DIR") or Path.home() / ".triton")),
        colab=host.on_colab(),
        wsl="microsoft" in platform.release().lower(),
        checkout=(course.ROOT / "pyproject.toml").is_file(),
    )


def cuda_of_torch() -> str:
    """The CUDA version torch was built with, read from its ``version.py``; "" for a CPU build or where it cannot be read."""
    spec = importlib.util.find_spec("torch")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        try:
            text = Path(folder, "version.py").read_text(encoding="utf-8")
        except OSError:
            continue
        found = re.search(r"^cuda(?:\s*:[^=]*)?\s*=\s*['\"]([^'\"]*)['\"]", text, re.M)
        return found.group(1) if found else ""
    return ""


def bubblewrap() -> str:
    """Why bubblewrap cannot hold a process here, as a clause; "" where it can, or where the system is not Linux."""
    if platform.system() != "Linux":
        return ""
    program = shutil.which("bwrap")
    if program is None:
        return "it is not installed"
    try:
        done = subprocess.run(
            [program, "--ro-bind", "/", "/", "--unshare-pid", "--unshare-net", "--die-with-parent", "true"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as problem:
        return f"it does not start ({problem})"
    lines = done.stderr.strip().splitlines()
    return "" if done.returncode == 0 else f"it is refused ({lines[-1] if lines else f'status {done.returncode}'})"


def extension(folder: str) -> bool:
    """Whether JupyterLab finds the prebuilt extension ``folder`` in this environment or this user's."""
    places = [
        Path(sys.prefix, "share", "jupyter"),
        Path(os.environ.get("JUPYTER_DATA_DIR") or Path.home() / ".local/share/jupyter"),
    ]
    places += [Path(entry) for entry in os.environ.get("JUPYTER_PATH", "").split(os.pathsep) if entry]
    return any((place / "labextensions" / folder / "package.json").is_file() for place in places)


def refusal(folder: Path) -> str:
    """Why nothing can be written in ``folder``, or where it would be made; "" where it can. Leaves nothing behind."""
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place):
            return ""
    except OSError as problem:
        return problem.strerror or str(problem)


def free_bytes(folder: Path) -> int:
    """Free bytes on the disk that holds ``folder``, or its nearest parent that exists."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return shutil.disk_usage(folder).free
