"""What this machine can do for the course, and the remedy for what it lacks. Standard library only at module level."""

from __future__ import annotations

import importlib.util
import platform
import shutil
import sys

from learning import lesson as cards
from learning.companions.kept import lessons
from learning.sheet import Sheet, cell, table

PACKAGES = {
    "torch": "GPU lessons need it: README, No GPU, names the CPU build",
    "triton": "GPU lessons need it; Linux only: pip install triton==3.6.0 --no-deps (macOS, Windows: Colab, WSL2 or a Linux container)",
    "numpy": "GPU lessons need it: pip install numpy",
    "matplotlib": "plots need it: pip install matplotlib",
    "anywidget": "the live checklist needs it; without it a table stands in its place",
}


def machine() -> Sheet:
    """Check this machine: the device kernels run on here, what is missing and how to get it, and what waits for a GPU."""
    rows = [
        ["Python", platform.python_version(), ""],
        ["system", cell(f"{platform.system()} {platform.machine()}"), ""],
    ]
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    rows += [[name, "missing", PACKAGES[name]] for name in missing]
    verdict = "The CPU lesson (A1) runs here, with Python alone."
    if not {"torch", "triton", "numpy"} & set(missing):
        told, device = _device()
        rows += told
        verdict = VERDICTS[device]
    if shutil.which("git") is None:
        rows.append(["git", "missing", "only needed to fetch new lessons"])
    return Sheet(table(("what", "here", "remedy"), rows), f"**{verdict}**")


VERDICTS = {
    "cuda": "Every lesson runs here, and every gate can be proved.",
    "interpreter": "Every lesson runs here. What needs a GPU waits and says so: gate 06, the timings, and so gates 07, 08 and 10.",
    "": "The CPU lesson (A1) runs here; the table says what the others lack.",
}


def _device() -> tuple[list[list[str]], str]:
    """Rows on the device that kernels run on, and its kind ("" where there is none)."""
    try:
        from learning.lens import device

        opened = device.open()
    except (ImportError, OSError, RuntimeError) as error:
        return [["device", "none", cell(error)]], ""
    return [[cell(what), cell(value), ""] for what, value in opened.explain()], opened.kind


def levels() -> Sheet:
    """The lessons by level, with what each needs, its time and where you stand, so that you can pick one."""
    found = {one.card.slug: one for one in lessons()}
    parts = []
    for level in cards.LEVELS:
        here = cards.discover(level)
        rows = [
            [
                found[card.slug].link, cell(card.sentence.rstrip(".")), f"{card.minutes} min", cell(", ".join(card.needs)),
                str(found[card.slug].state).removeprefix("progress "),
            ]
            for card in here
        ]  # fmt: skip
        if rows:
            parts += [
                f"### {level.capitalize()}",
                table(("lesson", "what it is about", "time", "bring", "gates"), rows),
            ]
    return Sheet(*parts)


def begin_with(slug: str) -> Sheet:
    """How to open a lesson here: the file, made from the release where it is not there yet, and the command that checks it.

    Raises ``UnknownLesson`` with near names.
    """
    from learning.workshops import console, work

    card = cards.find(slug)
    places = work.Places.default()
    try:
        made = work.lay_out(card, places)
    except work.Unavailable as missing:
        return Sheet(cell(missing))
    target = places.folder(card) / f"{card.slug}.ipynb"
    flag = "" if card.kind == "cpu" else " --interpret"
    told = "was made from the release" if made else "is yours already, and was left as it is"
    return Sheet(
        f"{cell(places.shown(target))} {told}. Open it in JupyterLab or your editor.",
        f"In a terminal: `{console.command(card.slug + flag)}`"
        + (" (without `--interpret` where there is a GPU)" if flag else ""),
        ""
        if sys.platform == "linux" or card.kind == "cpu"
        else "Triton has no build for this system: use Colab for this one.",
    )
