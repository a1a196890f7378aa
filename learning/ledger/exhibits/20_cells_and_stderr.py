"""A cell that begins with %%time cannot hold a kernel, and text on stderr in a grade cell costs its points in plain nbgrader."""

import contextlib
import io
import os
import tempfile

import torch

from learning.ledger.exhibit import COMPILED, INTERPRETER, bites, case, not_here

KERNEL = """\
import torch, triton
import triton.language as tl


@triton.jit
def doubled_kernel(x_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i) * 2)


doubled_kernel[(1,)](x, BLOCK=8)
"""


def _cell(source, device):
    """What a cell raised in IPython, "" for nothing; the cell finds a tensor ``x``."""
    from IPython.core.interactiveshell import InteractiveShell

    with tempfile.TemporaryDirectory() as home, contextlib.redirect_stdout(io.StringIO()):
        before = os.environ.get("IPYTHONDIR")
        os.environ["IPYTHONDIR"] = home
        try:
            shell = InteractiveShell.instance(user_ns={"x": torch.ones(8, device=device)}, colors="NoColor")
            shell.user_ns["x"] = torch.ones(8, device=device)
            result = shell.run_cell(source)
        finally:
            InteractiveShell.clear_instance()
            os.environ.pop("IPYTHONDIR", None) if before is None else os.environ.update(IPYTHONDIR=before)
    error = result.error_before_exec or result.error_in_exec
    return f"{type(error).__name__}: {str(error).splitlines()[0]}" if error is not None else ""


@case(COMPILED, INTERPRETER)
def a_kernel_under_a_cell_magic(device):
    """A kernel defined in a cell that begins with %%time is refused."""
    try:
        import IPython  # noqa: F401 - asked for, not used
    except ImportError:
        return not_here("IPython is not installed")
    wrong, right = _cell("%%time\n" + KERNEL, device), _cell(KERNEL, device)
    return bites(bool(wrong), wrong or "runs", right or "the cell without the magic runs")


@case(COMPILED)
def a_line_on_stderr_in_a_grade_cell(device):
    """nbgrader's own scoring gives a right cell 0 of 2 points for one line on stderr."""
    try:
        from nbformat.v4 import new_code_cell, new_output
        from nbgrader.utils import determine_grade
    except ImportError:
        return not_here("nbgrader is not installed")
    points = {}
    for noisy in (True, False):
        cell = new_code_cell(
            "check()", metadata={"nbgrader": {"grade": True, "grade_id": "c", "points": 2, "solution": False}}
        )
        cell.outputs = [new_output("execute_result", {"text/plain": "2.0"})]
        if noisy:
            cell.outputs.insert(0, new_output("stream", name="stderr", text="a warning of the compiler\n"))
        points[noisy] = determine_grade(cell)[0]
    return bites(
        points[True] != points[False], f"{points[True]:g} of 2 points", f"without that line {points[False]:g} of 2"
    )
