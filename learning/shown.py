"""A kernel's errors in a notebook: what is wrong and on which of the learner's lines, without Triton's thirty frames.

Standard library only at module level.
"""

from __future__ import annotations

import sys
import traceback
from typing import Any

from learning.judge import faults


def short_errors() -> None:
    """Show errors of compiling and running kernels in short from now on, in IPython; ``%tb`` still shows all of it.

    Whoever already handles other exceptions goes on with them: Colab explains an ImportError. Does nothing outside IPython.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return
    from triton.errors import TritonError

    from learning.lens.interpreter.execute import KernelFault

    ours, others = (TritonError, KernelFault), shell.custom_exceptions
    if others[: len(ours)] == ours:
        return
    before = shell.CustomTB if others else None

    def show(shell: Any, kind: type, problem: BaseException, trace: Any, tb_offset: int | None = None) -> list[str]:
        if before is None or issubclass(kind, ours):
            return _show(shell, kind, problem)
        return before(kind, problem, trace, tb_offset=tb_offset)

    shell.set_custom_exc((*ours, *others), show)


def _show(shell: Any, kind: type, problem: BaseException) -> list[str]:
    lines = told(problem)
    shell._showtraceback(kind, problem, lines)
    return lines


def told(problem: BaseException) -> list[str]:
    """The error in lines: what is wrong and where, then the learner's own calls that led there, outermost first."""
    fault = faults.read(problem)
    lines = [fault.sentence()]
    for frame in traceback.extract_tb(problem.__traceback__):
        cell = faults.notebook_cell(frame.filename)
        if cell is not None and (cell[0], frame.lineno) != (fault.cell, fault.line):
            lines.append(f"  called from line {frame.lineno} of cell {cell[0]}: {(frame.line or '').strip()}")
    return [*lines, "  (%tb shows Triton's whole traceback)"]
