"""The options of ``check`` and what of them does not go together. Standard library only."""

from __future__ import annotations

import argparse

from learning.lens.cards import TARGETS
from learning.lesson import LEVELS

USAGE = 64

EPILOGUE = """\
exit status: 0 passed; 1 a wrong answer; 2 still TODO, or a prediction that comes first is; 3 nothing selected, or something needed is not available;
64 a usage error; 70 a fault of the checker itself. Of several results 1 beats 2 beats 3 beats 0.

--list and --hint, and the CPU lesson online_normalizer, need nothing installed: python -S -m learning.workshops.check
"""


class UsageError(Exception):
    """The command line cannot be understood; the message says why."""


class Parser(argparse.ArgumentParser):
    """A parser that raises ``UsageError`` where argparse would end the process."""

    def error(self, message: str) -> None:
        raise UsageError(message)


def parser() -> argparse.ArgumentParser:
    """The command line of ``check``."""
    made = Parser(
        prog="python -m learning.workshops.check",
        description="Check your work on a lesson: right, wrong (and where), or still TODO.",
        epilog=EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("name", nargs="?", metavar="NAME", help="a lesson's name or id (vector_add, L1), or all")
    made.add_argument("--list", action="store_true", help="list the lessons")
    made.add_argument("--hint", nargs="?", const="1", metavar="N", help="show hint N of three (1 unless said)")
    made.add_argument("--solution", action="store_true", help="check the supplied answer instead of yours")
    made.add_argument(
        "--interpret", action="store_true", help="run a GPU lesson without a GPU: compiled, computed on the CPU"
    )
    made.add_argument(
        "--target", choices=tuple(TARGETS), metavar="CARD",
        help=f"say as well what the compiler makes of it for a card ({', '.join(TARGETS)}), which --interpret then runs it on",
    )  # fmt: skip
    made.add_argument(
        "--file", metavar="PATH", help="check this notebook or .py, and keep nothing of it in the lesson's progress"
    )
    made.add_argument(
        "--anyway",
        action="store_true",
        help="check though nothing is predicted yet, which closes those gates; with --blank new, leave an empty page",
    )
    made.add_argument("--py", action="store_true", help="work in work/NAME/NAME.py, made from the starter")
    made.add_argument(
        "--blank", nargs="?", const="0", metavar="N",
        help="check your blank page of the lesson: the newest, page N, or new, which draws another; the first one is laid out",
    )  # fmt: skip
    made.add_argument("--level", choices=LEVELS, help="with all: this level only")
    made.add_argument("--include-gpu", action="store_true", help="with all: GPU lessons too")
    return made


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """The options, checked against each other; raises ``UsageError``. ``--help`` prints and exits with 0."""
    options = parser().parse_args(arguments)
    if options.hint is not None and not options.hint.isdecimal():
        if options.name is not None:
            raise UsageError(f"--hint takes a number, 1 to 3, and {options.hint!r} is none")
        options.name, options.hint = options.hint, "1"  # `--hint vector_add`
    if options.hint is not None:
        options.hint = int(options.hint)
        if not 1 <= options.hint <= 3:
            raise UsageError(f"there is no hint {options.hint}: a lesson has three, 1 to 3")
    if options.blank is not None:
        _blank(options)
    if options.list:
        _alone(options, "--list", allowed=("list", "level"))
        return options
    if options.name is None:
        raise UsageError("name a lesson, or all; --list shows them")
    every = options.name == "all"
    if every:
        for name in ("hint", "file", "py", "blank"):
            if getattr(options, name) not in (None, False):
                raise UsageError(f"--{name} needs one lesson's name, not all")
    elif options.level or options.include_gpu:
        given = "--level" if options.level else "--include-gpu"
        raise UsageError(f"{given} goes with all, as in: all {given}{' ' + options.level if options.level else ''}")
    if options.hint is not None:
        _alone(options, "--hint", allowed=("hint", "name"))
    if options.solution and (options.file or options.py):
        raise UsageError("--solution checks the supplied answer; leave out " + ("--file" if options.file else "--py"))
    if options.file and options.py:
        raise UsageError("--file and --py name two different files; leave one out")
    return options


def _blank(options: argparse.Namespace) -> None:
    """Read ``--blank``: "new", or a number, 0 for the newest."""
    if options.blank != "new" and not options.blank.isdecimal():
        if options.name is not None:
            raise UsageError(f"--blank takes a page's number, or new, and {options.blank!r} is neither")
        options.name, options.blank = options.blank, "0"  # `--blank vector_add`
    for name in ("solution", "file", "py", "target"):
        if getattr(options, name):
            raise UsageError(f"--blank does not go with --{name}")


def _alone(options: argparse.Namespace, which: str, allowed: tuple[str, ...]) -> None:
    for name, value in vars(options).items():
        if name not in allowed and value not in (None, False):
            shown = "a lesson's name" if name == "name" else f"--{name.replace('_', '-')}"
            raise UsageError(f"{which} does not go with {shown}")
