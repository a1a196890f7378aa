"""Can Triton compile for an NVIDIA card on this machine? Asked without importing Triton. Standard library only.

Triton's wheel brings all it needs, an assembler included, and no GPU or driver is asked. What may be missing is the
NVIDIA half of a build, an assembler that this machine can run, or a folder to keep compiled kernels in.
"""

from __future__ import annotations

import atexit
import functools
import importlib.util
import os
import shutil
import subprocess
import tempfile
from pathlib import Path


def complaint() -> str:
    """Why Triton cannot compile for an NVIDIA card here, as a clause; "" where it can."""
    return _complaint(os.environ.get("TRITON_PTXAS_PATH", ""))


@functools.cache
def _complaint(chosen: str) -> str:
    spec = importlib.util.find_spec("triton")
    folders = [Path(place, "backends", "nvidia") for place in (spec.submodule_search_locations or ())] if spec else []
    backend = next((folder for folder in folders if (folder / "compiler.py").is_file()), None)
    if backend is None:
        return "this Triton was built without its NVIDIA compiler; install the one from PyPI"
    bundled = [path for path in (backend / "bin").glob("ptxas*") if path.stem == "ptxas"]
    said = "it is missing from the package"
    for assembler in [*([chosen] if chosen else []), *bundled]:  # Triton, too, falls back on the one it brings
        said = _does_not_run(assembler)
        if not said:
            return ""
    return f"Triton's assembler, ptxas, cannot be used ({said}); install Triton again"


def _does_not_run(assembler: str | Path) -> str:
    try:
        subprocess.run([assembler, "--version"], stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=20)
    except OSError as problem:
        return str(problem.strerror or problem)
    except subprocess.SubprocessError as problem:
        return f"{type(problem).__name__} from {Path(assembler).name} --version"
    return ""


def writable_cache() -> str:
    """Let Triton keep compiled kernels where it may write: its own folder, else, for this process, a temporary one.

    Returns "" for the first, and for the second what to tell.
    """
    chosen = os.environ.get("TRITON_CACHE_DIR", "")
    home = os.environ.get("TRITON_HOME") or os.path.expanduser("~")
    folder = Path(chosen) if chosen else Path(home, ".triton", "cache")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        return ""
    except OSError as problem:
        own = tempfile.mkdtemp(prefix="triton-")
        atexit.register(shutil.rmtree, own, ignore_errors=True)
        os.environ["TRITON_CACHE_DIR"] = own
        return f"for this process only, because {folder} cannot be written ({problem.strerror})"
