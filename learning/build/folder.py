"""A lesson's folder as the builder sees it: its files, read once, and the definitions in them by dotted name."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from learning.build.definitions import Code, Definition, PullError, parse
from learning.lesson import Lesson

_BOM = b"\xef\xbb\xbf"


@dataclass
class Pulled:
    """What ``pull="…"`` names: a file, the symbols taken from it (empty: the whole of it), and their text."""

    file: str
    symbols: tuple[str, ...]
    text: str


@dataclass
class CheckFacts:
    """What a check's decorator and signature state, read without importing it."""

    name: str
    points: float
    hidden: bool
    needs_gpu: bool
    entries: tuple[str, ...]
    docstring: str

    @property
    def call(self) -> str:
        """The line that runs the check: ``name(entry, …)``."""
        return f"{self.name}({', '.join(self.entries)})"


class Folder:
    """The files of ``lesson.folder``; Python files are parsed when first asked for.

    ``instead`` gives texts that stand in for files on disk, by path in the folder.
    """

    def __init__(self, lesson: Lesson, instead: dict[str, str] | None = None):
        self.lesson = lesson
        self.path = lesson.folder
        self.instead = instead or {}
        self._code: dict[str, Code] = {}
        self._bytes: dict[str, bytes] = {}

    def text(self, file: str) -> str:
        """The text of ``file`` (a path in the folder) with ``\\n`` line ends and without a byte order mark; raises ``PullError``
        where it is not there or no UTF-8."""
        if file in self.instead:
            return self.instead[file]
        data = self.data(file).removeprefix(_BOM)
        try:
            return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            raise PullError(f"{file} line {line} is not UTF-8; save the file as UTF-8") from None

    def data(self, file: str) -> bytes:
        """The bytes of ``file`` as they were when it was first read; raises ``PullError`` where it is not there."""
        if file not in self._bytes:
            path = self.path / file
            if not path.is_file():
                raise PullError(f"there is no {file} in {self.path.name}/")
            self._bytes[file] = path.read_bytes()
        return self._bytes[file]

    def written(self, file: str, text: str) -> bytes:
        """``text`` as ``file`` would hold it: with the line ends and the byte order mark that it has; raises ``PullError`` where
        its line ends are mixed, since no other line of it may change."""
        data = self.data(file)
        mark = _BOM if data.startswith(_BOM) else b""
        windows, all_ends = data.count(b"\r\n"), data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
        if windows not in (0, all_ends) or (not windows and b"\r" in data):
            raise PullError(f"{file} mixes line ends; save it with those of Unix or of Windows alone, then pull again")
        return mark + (text.replace("\n", "\r\n") if windows else text).encode("utf-8")

    def code(self, file: str) -> Code:
        """``file`` parsed; raises ``PullError`` for a missing file or a syntax error, which it places."""
        if file not in self._code:
            try:
                self._code[file] = parse(self.text(file))
            except SyntaxError as error:
                raise PullError(f"{file} line {error.lineno} is not Python: {error.msg}") from None
        return self._code[file]

    def python_files(self) -> list[str]:
        """The files at the folder's top whose definitions cells are expected to pull, in the order they are read."""
        return [f for f in ("reference.py", "answer.py", "checks.py", "hidden.py") if (self.path / f).is_file()]

    def split(self, dotted: str) -> tuple[str, str]:
        """``"mutants.no_mask.add_kernel"`` as a file and a symbol; the symbol is '' where the whole file is meant."""
        parts = dotted.split(".")
        for length in range(len(parts), 0, -1):
            file = "/".join(parts[:length]) + ".py"
            rest = parts[length:]
            if (self.path / file).is_file() and len(rest) <= 1:
                return file, "".join(rest)
        raise PullError(f"{dotted}: there is no {parts[0]}.py in {self.path.name}/")

    def pull(self, wanted: str) -> Pulled:
        """Resolve the value of a ``pull`` attribute: one file, or definitions of one file.

        Raises ``PullError`` naming what does not exist, or names taken from two files.
        """
        pairs = [self.split(dotted) for dotted in wanted.split()]
        if not pairs:
            raise PullError("pull is empty")
        files = {file for file, _ in pairs}
        if len(files) > 1:
            raise PullError(
                f"{wanted}: one cell pulls from one file; make a cell for each of {', '.join(sorted(files))}"
            )
        (file,) = files
        code = self.code(file)
        symbols = tuple(symbol for _, symbol in pairs if symbol)
        if not symbols:
            return Pulled(file, (), code.body())
        if len(symbols) < len(pairs):
            raise PullError(f"{wanted}: either the whole file or definitions of it")
        doubles = [symbol for symbol in symbols if symbol in code.doubles]
        if doubles:
            raise PullError(f"{file} defines {', '.join(doubles)} more than once")
        try:
            return Pulled(file, symbols, code.take(list(symbols)))
        except PullError as missing:
            known = ", ".join(code.definitions) or "nothing"
            raise PullError(f"{file} does not define {missing} (it defines {known})") from None


def check_facts(definition: Definition) -> CheckFacts | None:
    """The facts of a definition decorated with ``@check(…)``, None where it is no check.

    Raises ``PullError`` where the decorator's arguments are no plain values or the last parameter is not ``trial``.
    """
    node = definition.node
    if not isinstance(node, ast.FunctionDef):
        return None
    for decorator in node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        target = call.func if call else decorator
        if getattr(target, "id", getattr(target, "attr", "")) == "check":
            break
    else:
        return None
    if call is None:
        raise PullError(f"{node.name}: write @check(points=…), with its points")
    try:
        stated = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
    except ValueError:
        raise PullError(f"{node.name}: the arguments of @check must be plain values, for nbgrader reads them") from None
    if not isinstance(stated.get("points"), (int, float)) or isinstance(stated.get("points"), bool):
        raise PullError(f"{node.name}: @check needs points=, a number")
    *entries, last = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)] or [""]
    if last != "trial":
        raise PullError(f"{node.name}: a check's last parameter is called trial")
    return CheckFacts(
        name=node.name,
        points=stated["points"],
        hidden=bool(stated.get("hidden", False)),
        needs_gpu=bool(stated.get("needs_gpu", False)),
        entries=tuple(entries),
        docstring=definition.docstring,
    )
