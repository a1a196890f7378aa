"""Can this machine run a lesson, and on what? Standard library only at module level."""

from __future__ import annotations

import importlib.util
import platform
import sys

from learning.lesson import Lesson
from learning.workshops.console import command
from learning.workshops.unavailable import Unavailable

GPU = "cuda"


def place(lesson: Lesson, *, interpret: bool, target: str = "") -> str:
    """Where ``open_for`` would open, as a place of ``grade``'s, found without importing torch or Triton; "" where it would
    refuse for want of a GPU. Raises ``Unavailable`` where packages are missing."""
    if lesson.kind == "cpu":
        return "cpu"
    from learning.lens import cards

    return cards.place(_wanted(lesson, interpret, target))


def _wanted(lesson: Lesson, interpret: bool, target: str) -> str:
    """What to open for a GPU lesson: "cuda", or what stands for a GPU; "" where there is none and nothing was asked for in
    its place. Raises ``Unavailable`` where packages are missing."""
    need_packages(lesson)
    from learning.lens import device, nvml

    if nvml.first_gpu() is not None and not interpret:
        return GPU
    return target or device.without_gpu() if interpret or target else ""


def open_for(lesson: Lesson, *, interpret: bool, target: str = "") -> tuple[str, str, str]:
    """Open the device ``lesson`` is checked on: its place ("cuda", "cpu", "interpreter", or "sm_75" and the like for a
    virtual card), its name, and a sentence for the learner or "".

    A GPU lesson wants the GPU. ``interpret`` takes the course's CPU device instead: the virtual card ``target``, a T4
    where none is named, or Triton's interpreter alone where Triton cannot compile; so does a ``target`` where there is no
    GPU. Raises ``Unavailable`` saying what is missing and how to get it.
    """
    if lesson.kind == "cpu":
        return "cpu", "CPU", "a CPU lesson: --interpret changes nothing" if interpret else ""
    wanted = _wanted(lesson, interpret, target)
    if not wanted:
        raise Unavailable(
            f"{lesson.slug} runs on an NVIDIA GPU, and this machine shows none. It can be compiled for one all the same "
            f"and run in Triton's interpreter on the CPU:\n    {command(lesson.slug + ' --interpret')}"
        )
    from learning.lens import device, toolchain

    on_cpu = wanted != GPU
    try:
        opened = device.open(wanted)
    except RuntimeError as error:
        offer = "" if on_cpu else f" (--interpret runs {lesson.slug} in Triton's interpreter on the CPU)"
        raise Unavailable(f"{error}{offer}") from None
    if not on_cpu:
        return opened.place, opened.name, f"on {opened.name}"
    return opened.place, opened.name, (
        f"on {'a ' if opened.target else ''}{opened.name}{_how(opened.target, toolchain.complaint())}: gate 06, the parity "
        "gate, stays open until it passes on a GPU"
    )  # fmt: skip


def _how(target: str, uncompiled: str) -> str:
    if target:
        return " (Triton compiles for it, and its interpreter computes)"
    return f" (nothing is compiled: {uncompiled})" if uncompiled else ""


def need_packages(lesson: Lesson) -> None:
    """Raise ``Unavailable`` where the packages of a GPU lesson are not installed, naming them and how to get them."""
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
