"""A kernel's error is short in a notebook, also where the notebook's program handles errors of its own, as Colab does."""

import subprocess
import sys

SHELL = """
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()


def explains(shell, kind, problem, trace, tb_offset=None):
    lines = ["HANDLED " + kind.__name__]
    shell._showtraceback(kind, problem, lines)
    return lines
"""
COLAB = "shell.set_custom_exc((ImportError, ZeroDivisionError), explains)\n"
SHORT = "from learning.shown import short_errors\nshort_errors()\n"
CELLS = """
for text in ("import nowhere", "raise_it()", "1 / 0", "[][1]"):
    print("CELL", text)
    shell.run_cell("from triton.errors import TritonError\\ndef raise_it():\\n    raise TritonError('no such tile')\\n" + text)
"""


def shown(*parts: str) -> dict[str, str]:
    """What each cell printed in an IPython that ran ``parts`` first."""
    code = "\n".join([SHELL, *parts, CELLS])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return {part.split("\n")[0]: part for part in done.stdout.split("CELL ")[1:]}


def test_who_explains_other_errors_goes_on_with_them():
    said = shown(COLAB, SHORT * 2)
    assert "no such tile" in said["raise_it()"] and "(%tb shows" in said["raise_it()"]
    assert "HANDLED" not in said["raise_it()"] and "Traceback" not in said["raise_it()"]
    assert said["import nowhere"].count("HANDLED ModuleNotFoundError") == 1
    assert "HANDLED ZeroDivisionError" in said["1 / 0"] and "%tb" not in said["1 / 0"]
    assert "Traceback" in said["[][1]"] and "IndexError" in said["[][1]"]


def test_it_stands_alone_and_meets_who_comes_later():
    said = shown(SHORT)
    assert "(%tb shows" in said["raise_it()"] and "Traceback" in said["import nowhere"]
    said = shown(SHORT, COLAB, SHORT)
    assert "(%tb shows" in said["raise_it()"] and "HANDLED" in said["import nowhere"]
