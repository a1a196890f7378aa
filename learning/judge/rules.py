"""The house rules of an answer, read from the syntax tree: the only static reasons to fail, printed in every lesson.

They cover the cell that defines the entry point, and whatever other definitions the entry reaches; scratch cells, plots
and prints are nobody's business. A finding names rule, line and text. Standard library only.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from learning.judge import reach, torch_calls
from learning.judge.meanings import ALIASES, aliases
from learning.judge.reading import Reader, is_jitted

IMPORTS = ("torch", "triton", "triton.language", "math")

RULES = {
    "imports": "import nothing but {imports}",
    "kernel": "a kernel of your own, decorated with `@triton.jit` and launched on the way from the entry point, does the work",
    "torch": "around it, torch only allocates (`empty`, `zeros`, `full`, their `_like` and `new_` forms), takes views, says "
    "shapes and strides, copies and casts, and runs CUDA graphs, streams and events; it computes nothing",
    "lesson": "this lesson also refuses {forbidden}, and what would do the same by another name",
    "reference": "the locked reference and oracle are not called",
    "dynamic": "no code is made at run time: no `exec`, `eval`, `compile`, `__import__`, `globals`, `locals`, `vars`, no `type` "
    "of three arguments",
    "names": "`getattr`, `setattr`, `hasattr` and `delattr` take a name written out",
    "private": "no names with double underscores, no walks through frames or code objects",
    "modules": "no assignment to an attribute of a module, or of a class that is not yours",
    "system": "no threads, processes or files, no `ctypes`, `os`, `sys`, `gc`, `inspect`, `time`",
    "tensors": "no subclass of `torch.Tensor`",
    "entry": "the entry point is defined in your cells",
}
"""Rule id → the sentence printed in every lesson and in every finding."""


@dataclass
class Broken:
    """One broken rule: ``id`` in ``RULES``, ``rule`` its sentence, ``got`` the text that breaks it, ``where`` cell and line."""

    id: str
    rule: str
    got: str
    where: str
    advice: str = ""


def rules_text(imports: tuple[str, ...] = IMPORTS, *, kernel: bool = True, forbidden: tuple[str, ...] = ()) -> str:
    """The rules as a Markdown list, worded for a lesson that allows ``imports``.

    ``kernel`` leaves out what only GPU lessons ask for; ``forbidden`` names torch calls the lesson also refuses.
    """
    skip = {"entry"} if kernel else {"entry", "torch", "kernel", "tensors"}
    if not forbidden:
        skip.add("lesson")
    rows = [_sentence(rule, imports, forbidden) for rule in RULES if rule not in skip]
    head = "The house rules cover the answer cell and the helpers it reaches, not plots and scratch cells:\n\n"
    return head + ";\n".join(f"- {row}" for row in rows) + ".\n"


def broken(
    cells: list[tuple[str, str]],
    entry: str,
    *,
    imports: tuple[str, ...] = IMPORTS,
    kernel: bool = True,
    forbidden: tuple[str, ...] = (),
    seen: list[str] | tuple[str, ...] = (),
    given: list[tuple[str, str]] | tuple = (),
    answers: list[str] | tuple[str, ...] = (),
) -> list[Broken]:
    """Every rule that the learner's ``cells`` break on the way from ``entry``, in the order of the cells.

    ``cells`` are ``(name, source)`` pairs, oldest first. ``imports`` are the modules a lesson allows, ``kernel`` says
    whether a Triton kernel must do the work (and torch calls are held to the list), ``forbidden`` names torch calls the
    lesson refuses besides, ``seen`` the torch calls recorded while the entry ran, ``given`` the lesson's set-up cells,
    whose imports the learner's cells may use.

    Raises ``ValueError`` where there are no cells: the caller, not the learner, has lost them.
    """
    if not cells:
        raise ValueError("house rules are read from the learner's cells, and the setting holds none")
    everything = reach.pieces(cells)
    names = frozenset(ALIASES) | {
        n for p in everything if isinstance(p.node, (ast.Import, ast.ImportFrom)) for n in p.binds
    }
    held = frozenset(record.removeprefix(torch_calls.RUNS) for record in seen if record.startswith(torch_calls.RUNS))
    reached, defining = reach.reachable(everything, entry, names, held)
    found: list[Broken] = []

    def report(rule: str, got: str, where: str, advice: str = "") -> None:
        item = Broken(rule, _sentence(rule, imports, forbidden), got, where, advice)
        if item not in found:
            found.append(item)

    if defining is None:
        told = ", ".join(dict.fromkeys(name for name, _ in cells)) or "none"
        report(
            "entry", f"no definition of {entry}", f"in the cells {told}", "a cell with a syntax error defines nothing"
        )
        return found
    home = [piece for piece in everything if piece.cell == defining.cell]
    graphs = any(_uses_graphs(piece) for piece in reached)
    refused = torch_calls.widened(forbidden, graphs)
    ids, at_home = {id(piece) for piece in reached}, {id(piece) for piece in home}
    there, busy = reach.loaded(everything, frozenset((defining.cell, *answers)), entry, names)
    meanings = aliases([*reach.pieces(list(given)), *home, *reached, *there])
    loaded = {id(piece): False for piece in there} | {id(piece): True for piece in busy}
    earlier = {id(piece): whole for piece, whole in reach.superseded(everything, reached)}
    for known in meanings:
        for piece in everything:
            work = id(piece) in ids
            reader = Reader(piece, known, imports, refused if kernel else None, work, report)
            if work or id(piece) in at_home or earlier.get(id(piece)) or loaded.get(id(piece)):
                reader.read()
            elif isinstance(piece.node, reach.DEFINITIONS) and (id(piece) in earlier or id(piece) in loaded):
                reader.read_definition()
            elif not isinstance(piece.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                _patches(piece, known, report)
    for name in reach.unreadable([cell for cell in cells if cell[0] in answers]):
        report(
            "dynamic",
            f"a cell nested too deeply to be read: {name}",
            f"cell {name}",
            "it runs whole, so it is read whole",
        )
    if kernel:
        _launches(reached, entry, report, [*home, *everything])
        for record in seen:
            if record.startswith(torch_calls.RUNS):
                continue
            if record.startswith(torch_calls.HOLDS):
                rule = "torch" if "torch" in record or "tensor" in record else "imports"
                report(rule, f"{entry} {record}", "seen before its first call", _HELD)
            elif record.startswith(torch_calls.CHANGED):
                report("modules", f"{record}", f"seen while {entry} ran")
            elif record == torch_calls.SUBCLASS:
                report("tensors", "a subclass of torch.Tensor", f"seen while {entry} ran")
            elif torch_calls.refused_at_run_time(record, refused):
                rule = "lesson" if record.rpartition(".")[2] in refused else "torch"
                report(rule, f"{entry} called {record}", f"seen while {entry} ran", _AT_RUN_TIME)
    return found


_WITHOUT_KERNEL = "write @triton.jit above the kernel's def, and launch it: kernel[grid](…)"
_HELD = "what it was given while the cells were loaded would do the work, or tell of it, where nobody watches"
_AT_RUN_TIME = "an operator on a tensor, x + y say, is a call of torch too"


def _sentence(rule: str, imports: tuple[str, ...], forbidden: tuple[str, ...]) -> str:
    listed = [", ".join(f"`{name}`" for name in names) for names in (imports, forbidden)]
    return RULES[rule].format(imports=listed[0], forbidden=listed[1])


RULES_TEXT = rules_text()
"""The Markdown that every GPU lesson prints."""


def _uses_graphs(piece: reach.Piece) -> bool:
    text = ast.unparse(piece.node)
    return "CUDAGraph" in text or "cuda.graph" in text


def _patches(piece: reach.Piece, known: dict[str, str], report) -> None:
    """A scratch cell may set torch's backend switches; any other attribute of torch, Triton or math is not its own."""
    for node in ast.walk(piece.node):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del)):
            root, text = known.get(reach.root_name(node), ""), ast.unparse(node)
            if root.partition(".")[0] in ("torch", "triton", "math", "learning") and ".backends." not in text:
                report("modules", piece.text(node.lineno), f"line {node.lineno} of cell {piece.cell}")


def _launches(reached: list[reach.Piece], entry: str, report, written: list[reach.Piece]) -> None:
    """Some reachable jitted function stores its result, and some reachable wrapper launches one. Of ``written``, all pieces with
    the entry's own cell first, one is named that the entry could launch."""
    jitted, launched, stored = [], False, False
    for piece in reached:
        if is_jitted(piece.node):
            jitted.append(piece)
        inside = {id(n) for f in ast.walk(piece.node) if is_jitted(f) for n in ast.walk(f)}
        for node in ast.walk(piece.node):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                stored |= node.func.attr == "store" or node.func.attr.startswith("atomic_")
                launched |= id(node) not in inside and node.func.attr == "run"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript):
                launched |= id(node) not in inside
        jitted += [piece] if not is_jitted(piece.node) and inside else []
    if not jitted and not any(_makes_jit(piece) for piece in reached):
        idle = next(((p, n) for p in written for n in ast.walk(p.node) if is_jitted(n)), None)
        if idle is None:
            report("kernel", "no function decorated with @triton.jit", "anywhere in your cells", _WITHOUT_KERNEL)
        else:
            piece, kernel = idle
            report(
                "kernel",
                f"{kernel.name}, which {entry} never launches",
                f"line {kernel.lineno} of cell {piece.cell}",
                f"{kernel.name}[grid](…) in {entry}, or in a function that {entry} calls, launches it",
            )
    elif not launched:
        report("kernel", "a kernel that is never launched", f"reached from {entry}", "kernel[grid](…) launches it")
    elif not stored:
        report("kernel", "a kernel that stores nothing", f"reached from {entry}", "tl.store writes the result")


def _makes_jit(piece: reach.Piece) -> bool:
    """``kernel = triton.jit(function)``."""
    return any(isinstance(n, ast.Call) and is_jit_name(n.func) for n in ast.walk(piece.node))


def is_jit_name(node: ast.AST) -> bool:
    """``triton.jit`` or ``jit``."""
    return (isinstance(node, ast.Attribute) and node.attr == "jit") or (isinstance(node, ast.Name) and node.id == "jit")
