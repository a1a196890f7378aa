"""Words for any terminal: no colours, and characters that the terminal's encoding lacks are spelt in ASCII.

Standard library only.
"""

from __future__ import annotations

import atexit
import codecs
import contextlib
import os
import re
import sys
import unicodedata
from collections.abc import Callable
from typing import NoReturn

from learning.unseen import spelt_out

_SPELLED = {
    "−": "-", "–": "-", "—": "-", "·": "-", "…": "...", "×": "x", "≤": "<=", "≥": ">=", "≠": "!=", "→": "->",
    "✓": "ok", "✗": "x", "µ": "u", "√": "sqrt", "Σ": "sum", "ᵀ": "^T", "ᵢ": "_i", "∞": "inf", "“": '"', "”": '"',
    "„": '"', "‘": "'", "’": "'", "½": "1/2", "\N{FRACTION SLASH}": "/", "±": "+-", "≈": "~", "∈": "in", "⌈": "ceil(", "⌉": ")",
    "\N{NO-BREAK SPACE}": " ", "\N{NARROW NO-BREAK SPACE}": " ",
}  # fmt: skip


_POWER = re.compile("[⁻⁰¹²³⁴-⁹]+")


def spell(text: str) -> str:
    """``text`` in ASCII: known signs by their usual spelling, letters without accents, "?" for the rest."""
    text = _POWER.sub(lambda power: "^" + unicodedata.normalize("NFKD", power[0]).replace("−", "-"), text)
    out = []
    for char in text:
        plain = _SPELLED.get(char) or unicodedata.normalize("NFKD", char).encode("ascii", "ignore").decode()
        out.append(char if char.isascii() else plain or "?")
    return "".join(out)


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return spell(error.object[error.start : error.end]), error.end


def prepare() -> None:
    """Make standard output and error accept every character; call once at a command's start."""
    codecs.register_error("learning.spelled", _replace)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="learning.spelled", line_buffering=True)


def command(rest: str = "", *, module: str = "learning.workshops.check") -> str:
    """What to type for ``python -m module rest`` with the Python that runs now: "python" where that is the active
    environment's, its path from here where it lies below the working folder (``.venv/bin/python``), else "python"."""
    name, active = "python", os.environ.get("VIRTUAL_ENV", "")
    if sys.prefix != sys.base_prefix and os.path.realpath(active or os.curdir) != os.path.realpath(sys.prefix):
        below = os.path.relpath(sys.executable)
        name = name if below.startswith(os.pardir) else below
    return f"{name} -m {module} {rest}".rstrip()


def say(text: str = "") -> None:
    """One line on standard output, anybody's words in it with what a terminal must not see spelt out."""
    print(spelt_out(text), flush=True)


def complain(text: str) -> None:
    """One line on standard error, likewise."""
    print(spelt_out(text), file=sys.stderr, flush=True)


def run(main: Callable[[], int]) -> NoReturn:
    """Call ``main`` and end the process with its status; a reader that left early (``| head``) is no error."""
    status = 0
    try:
        status = main()
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        complain("stopped")
        status = 130
    except SystemExit as ended:  # --help
        if isinstance(ended.code, str):
            raise
        status = ended.code or 0
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)  # taking torch apart would keep a learner waiting for a second
