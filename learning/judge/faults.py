"""Read an exception as a ``Fault``: what it says, and where in the learner's own cell.

Standard library only.
"""

from __future__ import annotations

import difflib
import linecache
import sys
from collections.abc import Callable
from types import ModuleType

from learning.judge.describe import cut
from learning.judge.finding import Fault
from learning.lens import errors

Locate = Callable[[str], "tuple[str, str] | None"]
LONGEST_MESSAGE = 2000
_traceback_of = BaseException.__traceback__.__get__  # past any override

_MEMORY_WORDS = ("can't allocate memory", "not enough memory", "out of memory", "cannot allocate memory")


def read(problem: BaseException, locate: Locate | None = None) -> Fault:
    """Return the fault for ``problem``: type and message of its innermost cause, place of the innermost link of the
    chain that has one in a learner's cell.

    ``locate(filename)`` returns ``(cell name, source)`` for files that are cells and None for others; by default the
    cells of a running notebook. Reading never raises, whatever the exception's own methods do.
    """
    locate = locate or notebook_cell
    chain = errors.links(problem)
    inner = chain[-1]
    fault = Fault(*(_of_a_launch(problem) or (_name(inner), _message(inner))))
    for link in reversed(chain):
        place = _place(link, locate)
        if place is not None:
            fault.cell, fault.line, fault.text = place
            break
    if issubclass(type(inner), MemoryError) or any(word in fault.message.lower() for word in _MEMORY_WORDS):
        fault.kind = "memory"
    return fault


def notebook_cell(filename: str) -> tuple[str, str] | None:
    """``("[4]", source)`` for a file name that IPython gave to the cell it ran as number 4, else None."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    numbers = getattr(getattr(shell, "compile", None), "_filename_map", {})
    if filename not in numbers and "ipykernel_" not in filename and "ipython-input" not in filename:
        return None
    number = numbers.get(filename)
    return (f"[{number}]" if number is not None else "of this notebook"), "".join(linecache.getlines(filename))


def _name(problem: BaseException) -> str:
    return str(type.__getattribute__(type(problem), "__name__"))


def _of_a_launch(problem: BaseException) -> tuple[str, str] | None:
    """Type and message where compiler, launcher or card refused a kernel: Triton's own are written for its authors."""
    try:
        found = errors.told(problem)
    except BaseException:  # an exception class of the learner's may answer anything
        return None
    return found and (str(found[0]), _short(str(found[1])))


def _message(problem: BaseException) -> str:
    try:
        own = getattr(problem, "error_message", None)  # Triton's CompilationError without its copy of the source
        text = own if isinstance(own, str) and own else _words(problem)
    except BaseException:
        text = ""
    return _short(text)


def _short(text: str) -> str:
    return cut(text, LONGEST_MESSAGE)


def _words(problem: BaseException) -> str:
    """``str(problem)``; a syntax error without its place, which ``Fault`` tells, a missing name of a module with the
    name that was probably meant (Python itself adds that only to a printed traceback), a launch of a plain function with
    its likeliest cause."""
    if isinstance(problem, SyntaxError) and isinstance(problem.msg, str) and isinstance(problem.lineno, int):
        return problem.msg
    text = str(problem)
    if isinstance(problem, TypeError) and text == "'function' object is not subscriptable":
        return f"{text}; a kernel needs @triton.jit above its def before it can be launched"
    if isinstance(problem, AttributeError) and type(problem.obj) is ModuleType and isinstance(problem.name, str):
        public = [name for name in vars(problem.obj) if not name.startswith("_")]
        near = difflib.get_close_matches(problem.name, public, n=1, cutoff=0.75)
        if near and near[0] not in text.split("'"):
            text += f"; did you mean {near[0]}?"
    return text


def _place(problem: BaseException, locate: Locate) -> tuple[str, int, str] | None:
    try:
        return _compiler_place(problem, locate) or _syntax_place(problem, locate) or _frame_place(problem, locate)
    except BaseException:  # an exception class of the learner's may answer anything
        return None


def _frame_place(problem: BaseException, locate: Locate) -> tuple[str, int, str] | None:
    found, trace, depth = None, _traceback_of(problem), 0
    while trace is not None and depth < 5000:
        cell = locate(trace.tb_frame.f_code.co_filename)
        if cell is not None and trace.tb_lineno:
            found = _at(cell, trace.tb_lineno)
        trace, depth = trace.tb_next, depth + 1
    return found


def _syntax_place(problem: BaseException, locate: Locate) -> tuple[str, int, str] | None:
    if not isinstance(problem, SyntaxError) or not isinstance(problem.filename, str):
        return None
    cell = locate(problem.filename)
    return _at(cell, problem.lineno) if cell is not None and isinstance(problem.lineno, int) else None


def _compiler_place(problem: BaseException, locate: Locate) -> tuple[str, int, str] | None:
    """Triton's CompilationError counts lines from the kernel's ``def``; find that ``def`` in the learner's cells."""
    source, node = getattr(problem, "src", None), getattr(problem, "node", None)
    line = getattr(node, "lineno", None)
    if not isinstance(source, str) or not isinstance(line, int):
        return None
    kernel = [text.strip() for text in source.strip().splitlines()]
    for filename in _known_files():
        cell = locate(filename)
        if cell is None:
            continue
        lines = [text.strip() for text in cell[1].splitlines()]
        for start in range(len(lines) - len(kernel) + 1):
            if lines[start : start + len(kernel)] == kernel:
                return _at(cell, start + line)
    return None


def _known_files() -> list[str]:
    return list(linecache.cache)


def _at(cell: tuple[str, str], line: int) -> tuple[str, int, str]:
    name, source = cell
    lines = source.splitlines()
    return name, line, lines[line - 1][:300] if 0 < line <= len(lines) else ""
