"""What a learner has run so far: the kernel's history under IPython, the script's own text elsewhere.

Works with IPython 7.34 (Colab) and 9, and without IPython. Standard library only.
"""

from __future__ import annotations

import ast
import contextlib
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from learning import course
from learning.judge import statements
from learning.judge.cells import neutralise
from learning.lesson import Lesson

_NEEDS_GPU = re.compile(r"needs_gpu\s*=\s*True|decided on a GPU")


class History:
    """The cells a learner ran for one lesson; ``released`` is the lesson's notebook, or None where it is not at hand."""

    def __init__(self, card: Lesson, released: dict | None):
        self.card, self.released = card, released
        self._callback: Callable | None = None
        cells = [] if released is None else released["cells"]
        course_cells = [c for c in cells if c.get("cell_type") == "code" and course.role(c) not in ("", "answer")]
        self.locked = {statements.squeezed(course.text(cell)) for cell in course_cells}
        self.locked_names = {name for cell in course_cells for name in statements.defined(course.text(cell))}

    def cells(self) -> list[tuple[str, str]]:
        """``(name, source)`` of every cell run in this kernel but the course's own, oldest first, magics left out.

        The name is the one IPython shows, ``In[4]``. A cell that was run twice is listed twice.
        """
        shell = _shell()
        if shell is None:
            script = _script()
            if script is not None and script.name == course.PREDICTING:
                script = script.with_name(f"{self.card.slug}.py")
            found = script is not None and script.is_file()
            return [(script.name, course.decode(script.read_bytes()))] if found else []
        raw = list(shell.history_manager.input_hist_raw)
        found = []
        for number, source in enumerate(raw):
            if source.strip() and statements.squeezed(source) not in self.locked:
                found.append((f"In[{number}]", neutralise(source)[0]))
        return found

    def replaced(self, name: str) -> list[str]:
        """What the check ``name`` was judged by here that is not the lesson's own: the check or a reference of the set-up whose
        newest definition in this kernel stands in a cell that the course did not write, or wrote for another version."""
        shell = _shell()
        if shell is None or self.released is None:
            return []
        judges = [one for one in self.locked_names if one == name or one.endswith(("_reference", "_oracle"))]
        found = []
        for one in judges:
            for source in reversed(list(shell.history_manager.input_hist_raw)):
                if one in source and one in statements.defined(neutralise(source)[0]):
                    found += [] if statements.squeezed(source) in self.locked else [one]
                    break
        return sorted(found)

    def folder(self) -> Path | None:
        """The folder of the notebook (or script) that runs, None where it cannot be told."""
        shell = _shell()
        if shell is None:
            script = _script()
            return script.parent if script is not None else None
        candidates = [shell.user_ns.get("__vsc_ipynb_file__"), os.environ.get("JPY_SESSION_NAME")]
        for name in candidates:
            if isinstance(name, str) and os.path.isabs(name) and os.path.isdir(os.path.dirname(name)):
                return Path(name).resolve().parent
        with contextlib.suppress(OSError):
            return Path.cwd().resolve()
        return None

    def waiting(self) -> list[str]:
        """Names of the lesson's checks that are decided on a GPU only."""
        if self.released is None:
            return []
        cells = [cell for cell in self.released["cells"] if course.role(cell) in ("check", "hidden")]
        graded = [(cell["metadata"].get("nbgrader", {}).get("grade_id", ""), course.text(cell)) for cell in cells]
        return [name for name, text in graded if name and _NEEDS_GPU.search(text)]

    def references(self, source: str) -> list[str]:
        """The locked references (names ending in ``_reference``) that ``source`` calls while it runs."""
        return sorted({name for name in _called(source) if self._is_reference(name)})

    def entries(self, source: str) -> list[str]:
        """The lesson's entries that a cell of the learner's own, not one of the course's, calls while it runs."""
        if statements.squeezed(source) in self.locked:
            return []
        return sorted(set(_called(source)) & set(self.card.entries))

    def starter(self) -> list[tuple[str, str]]:
        """The answer cells as they were released, ``(name, source)``."""
        return self._released("answer")

    def setup(self) -> list[tuple[str, str]]:
        """The course's own set-up cells, ``(name, source)``."""
        return self._released("setup")

    def _released(self, role: str) -> list[tuple[str, str]]:
        cells = [] if self.released is None else self.released["cells"]
        return [(role, course.text(cell)) for cell in cells if course.role(cell) == role]

    def _is_reference(self, name: str) -> bool:
        return name.endswith("_reference") and (not self.locked_names or name in self.locked_names)

    def listen(self, ran: Callable[[str], None], replaces: History | None = None) -> None:
        """Call ``ran(source)`` after every cell that ran without an error, instead of what ``replaces`` called."""
        shell = _shell()
        if shell is None:
            return
        if replaces is not None and replaces._callback is not None:
            with contextlib.suppress(ValueError):
                shell.events.unregister("post_run_cell", replaces._callback)

        def after(result: Any) -> None:
            if getattr(result, "success", False) and getattr(result, "info", None) is not None:
                ran(result.info.raw_cell or "")

        self._callback = after
        shell.events.register("post_run_cell", after)


def _called(source: str) -> list[str]:
    """Names that ``source`` calls at its top level, outside functions and classes it only defines."""
    tree = statements.parse(neutralise(source)[0])
    called: list[str] = []
    waiting: list[ast.AST] = [] if tree is None else [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called.append(node.func.id)
        waiting += ast.iter_child_nodes(node)
    return called


def _shell() -> Any:
    """The running IPython shell, None outside IPython."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def _script() -> Path | None:
    name = getattr(sys.modules.get("__main__"), "__file__", None)
    if not name or not os.path.isfile(name) or not name.endswith(".py"):
        return None
    return Path(name).resolve()
