"""Can this machine run a lesson, and on what? Standard library only at module level."""

from __future__ import annotations

import importlib.util
import platform
import sys

from learning.lesson import Lesson
from learning.workshops.console import command
from learning.workshops.work import Unavailable


def open_for(lesson: Lesson, *, interpret: bool) -> tuple[str, str, str]:
    """Open the device ``lesson`` is checked on: its kind ("cuda", "interpreter", "cpu"), its name, and a sentence for the
    learner or "".

    A GPU lesson wants the GPU unless ``interpret``. Raises ``Unavailable`` saying what is missing and how to get it.
    """
    if lesson.kind == "cpu":
        return "cpu", "CPU", "a CPU lesson: --interpret changes nothing" if interpret else ""
    _need_packages(lesson)
    from learning.lens import device, nvml

    if not interpret and nvml.first_gpu() is None:
        raise Unavailable(
            f"{lesson.slug} runs on an NVIDIA GPU, and this machine shows none. Triton's interpreter on the CPU "
            f"can run it instead:\n    {command(lesson.slug + ' --interpret')}"
        )
    try:
        opened = device.open("interpreter" if interpret else "cuda")
    except RuntimeError as error:
        offer = "" if interpret else f" (--interpret runs {lesson.slug} in Triton's interpreter on the CPU)"
        raise Unavailable(f"{error}{offer}") from None
    where = f"on {opened.name}"
    return (
        opened.kind,
        opened.name,
        f"{where}: gate 06, the parity gate, stays open until it passes on a GPU" if interpret else where,
    )


def _need_packages(lesson: Lesson) -> None:
    missing = [name for name in ("torch", "triton", "numpy") if importlib.util.find_spec(name) is None]
    if not missing:
        return
    what = f"{lesson.slug} is a GPU lesson and needs {' and '.join(missing)}"
    if sys.flags.no_site:
        raise Unavailable(f"{what}, which python -S does not look for: run without -S")
    if "triton" in missing and platform.system() != "Linux":
        raise Unavailable(
            f"{what}; there is no Triton wheel for {platform.system()}: use WSL2, a Linux container or Colab"
        )
    raise Unavailable(f"{what}, not installed for {sys.executable}: run `make start`, then use .venv/bin/python")
