"""The worker: a child that loads a learner's cells and serves calls, and does nothing else.

It holds no reference, no case but the current call's inputs, no seed and no verdict. Standard library only; torch is
used where the server has imported it.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import os
import re
import socket
import sys
import types
from dataclasses import asdict

from learning.judge import call, cells, faults, wire
from learning.judge.describe import cut
from learning.judge.seen import Trace
from learning.judge.torch_calls import CHANGED

MODULE = "submission"
_LONGEST_NAME = 80
_COOKIE = re.compile(r"\A((?:[ \t\f]*(?:#.*)?\n)?[ \t\f]*#.*?)coding(?=[:=])")
"""A comment that names the encoding of a file. Triton reads kernels back from the cells' files, which are UTF-8: by another
encoding it would read another text than the one that was judged."""
_MOST_AXES = 65
"""One more than a tensor can have."""


class Capped(io.TextIOBase):
    """A text stream that keeps its first ``most`` characters and swallows the rest."""

    encoding = "utf-8"

    def __init__(self, most: int):
        self.most, self.room, self.parts = most, most, []

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self.room > 0:
            self.parts.append(str(text)[: self.room])
            self.room -= len(self.parts[-1])
        return len(text)

    def take(self) -> str:
        """What was kept since the last ``take``."""
        text = "".join(self.parts) + ("…" if self.room <= 0 else "")
        self.parts, self.room = [], self.most
        return text


class Submission:
    """A learner's cells, each a real file in ``folder``, all run in one module that ``sys.modules`` holds."""

    def __init__(self, folder: str):
        self.folder = folder
        self.module = types.ModuleType(MODULE)
        self.files: dict[str, tuple[str, str]] = {}
        self.set_up: tuple[list[types.CodeType], dict[str, object]] = [], {}
        """The code of the set-up cells, and what the module's names meant when the last of them had run."""
        sys.modules[MODULE] = self.module

    def file_for(self, name: str) -> str:
        """A file name of its own for the cell ``name``."""
        stem = re.sub(r"[^\w.-]+", "_", name.removesuffix(".py"))[:_LONGEST_NAME].strip(".") or "cell"
        path, number = os.path.join(self.folder, f"{stem}.py"), 2
        while path in self.files:
            path, number = os.path.join(self.folder, f"{stem}_{number}.py"), number + 1
        return path

    def run(
        self, name: str, source: str, role: str, keep: list[list[int]] | None = None
    ) -> tuple[dict | None, list[str]]:
        """Run one cell, or of an extra one the statements that start at the ``[line, column]`` pairs of ``keep``; returns
        its fault as a dict (None where it ran) and notes on what was left out."""
        path = self.file_for(name)
        self.files[path] = (name, source)
        if not hasattr(self.module, "__file__"):
            self.module.__file__ = path
        notes: list[str] = []
        try:
            clean, code = source, _compiled(source, path) if role != cells.EXTRA else None
            if code is None:
                clean, notes = cells.neutralise(source)
            with open(path, "w", encoding="utf-8", errors="surrogatepass") as file:
                file.write(_uncoded(clean))
            if code is None:
                tree = ast.parse(clean, path)
                if role == cells.EXTRA:
                    tree, left_out = cells.definitions(tree)
                    notes = notes + left_out
                    if keep is not None:
                        tree.body = [node for node in tree.body if [node.lineno, node.col_offset] in keep]
                code = compile(tree, path, "exec", dont_inherit=True)
            exec(code, self.module.__dict__)
            if role == cells.SETUP:
                self.set_up = [*self.set_up[0], code], dict(vars(self.module))
        except BaseException as problem:
            return asdict(faults.read(problem, self.files.get)), [f"{name}: {note}" for note in notes]
        return None, [f"{name}: {note}" for note in notes]


def _uncoded(source: str) -> str:
    """``source`` for a file that is read as UTF-8 whatever its first two lines say."""
    while (found := _COOKIE.match(source)) is not None:
        source = f"{found[1]}Coding{source[found.end() :]}"
    return source


def _compiled(source: str, path: str) -> types.CodeType | None:
    """The code of a cell in which nothing needs to be left out, by one pass of the compiler; None where that is not plain."""
    if "get_ipython" in source or "\r" in source:
        return None
    try:
        return compile(source, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def main(sock: socket.socket, *, folder: str, device: str, printed: int) -> None:
    """Serve the judge at the other end of ``sock`` until it hangs up.

    ``folder`` is an empty private folder for the cells' files; ``device`` "cuda" opens a CUDA context first;
    ``printed`` is how many characters of each call's prints are kept.
    """
    send, receive, buffer = wire.send, wire.receive, wire.tensor_buffer
    guarded, folded, held = call.guarded, call.folded, None
    packer, unpacker = wire.Packer, wire.Unpacker
    printing = Capped(printed)
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = printing  # type: ignore[misc]
    timed = importlib.import_module("learning.judge.held").Held if "torch" in sys.modules else None
    if device == "cuda":
        try:
            import torch

            torch.cuda.synchronize(torch.zeros(1, device="cuda").device)
        except Exception as problem:
            unready(sock, problem)
            raise
    guard = sys.modules.get("learning.judge.guard")
    host = guard.host_bytes if guard is not None else None
    holds, changes = _watches() if guard is not None else (None, list)
    submission, found = Submission(folder), []
    send(sock, {"ready": os.getpid()})
    while True:
        try:
            request, blobs = receive(sock, allocate=buffer, most_header=wire.MOST_HEADER)
        except wire.Closed:
            return
        nonce = request["nonce"]
        if request["op"] == "load":
            found, notes = [], []
            for name, source, role, *keep in request["cells"]:
                send(sock, {"nonce": nonce, "at": name})
                fault, said = submission.run(name, source, role, *keep)
                found += [fault] if fault else []
                notes += said
            send(sock, {"nonce": nonce, "faults": found, "notes": notes, "printed": printing.take()})
            continue
        if "args" in request:
            inputs = unpacker(request["storages"], blobs, hollow=True)
            args = inputs.tree(request["args"])
            kwargs = dict(zip(request["names"], inputs.tree(request["named"]), strict=True))
        if request["op"] == "hold":
            called = call.Called()
            try:
                held = timed(args, kwargs, request["copies"])
            except Exception as problem:  # no memory for that many sets, or no torch
                held, called.fault = None, faults.read(problem)
        elif not callable(entry := submission.module.__dict__.get(request["entry"])):
            missing = call.Fault("NameError", f"the cells define no function {request['entry']!r}")
            called = call.Called(fault=call.Fault(**found[0]) if found else missing)  # why it is missing, where known
        elif request["op"] in ("run", "capture", "stir", "mark", "show"):
            called = held.serve(entry, request, submission.files.get)
        elif request["op"] == "fold":
            called = folded(entry, args[0], inputs.tree(request["items"]), submission.files.get)
        else:
            how = {key: request[key] for key in ("poison", "repeats", "look", "order")}
            if "between" in request:
                others, names, values = inputs.tree(request["between"])
                how["between"] = tuple(others), dict(zip(names, values, strict=True))
            held, holds = (holds(entry, submission) if holds else []), None
            called = guarded(entry, args, kwargs, locate=submission.files.get, **how)
            called.torch_calls = [*held, *map(CHANGED.__add__, changes()), *called.torch_calls]
        called.printed = printing.take()
        send(sock, *pack(called, nonce, packer(host)))


def _watches() -> tuple:
    """What looks at the objects that an entry holds, and at those it may not replace."""
    from learning.judge import holds, intact

    def told(entry: object, submission: Submission) -> list[str]:
        return holds.told(entry, submission.module, submission.files, holds.Given(*submission.set_up))

    return told, (intact.KEPT or intact.Intact()).changes


def unready(sock: socket.socket, problem: BaseException) -> None:
    """Tell the judge why this worker does not start: what the machine lacked, since no learner's code has run yet."""
    with contextlib.suppress(OSError, wire.WireError):
        wire.send(sock, {"unready": f"{type(problem).__name__}: {problem}"[:300]}, seconds=1.0)


def pack(called: call.Called, nonce: str, packer: wire.Packer) -> tuple[dict, list]:
    """A ``Called`` as a frame's header and blobs."""
    try:
        value, again = packer.tree(called.value), [packer.tree(value) for value in called.again]
        raw = [packer.storage(storage) for storage in called.storages]
    except Exception as problem:
        packer = wire.Packer()
        value, again, raw, called.outputs = None, [], [], []
        called.fault = called.fault or faults.read(problem)
    told = {
        "again": again,
        "storages": packer.storages,
        "outputs": [asdict(output) for output in called.outputs],
        "raw": raw,
        "guards": called.guards,
        "torch_calls": called.torch_calls,
        "printed": called.printed.encode("utf-8", "replace").decode(),
        "claimed": called.claimed,
        "fault": asdict(called.fault) if called.fault else None,
        "trace": called.trace.plain() if called.trace else None,
    }
    header = {"nonce": nonce, "value": value, "seconds": called.seconds}
    return header | {key: fact for key, fact in told.items() if fact}, packer.blobs


def unpack(header: dict, blobs: list) -> call.Called:
    """The inverse of ``pack``, on the judge's side: everything is checked; raises ``wire.WireError``."""
    try:
        told = header.get
        values = wire.Unpacker(told("storages"), blobs)
        outputs = [_output(output) for output in told("outputs", ())]
        fault = fault_from(told("fault"))
        return call.Called(
            value=values.tree(header["value"]),
            outputs=outputs,
            storages=[values.raw(index) for index in told("raw", ())],
            guards=_texts(told("guards", ())),
            torch_calls=_texts(told("torch_calls", ())),
            printed=str(told("printed", "")),
            seconds=float(header["seconds"]),
            claimed=float(told("claimed", 0.0)),
            again=[values.tree(value) for value in told("again", ())],
            fault=fault,
            trace=Trace.of(told("trace")),
        )
    except wire.WireError:
        raise
    except Exception as problem:
        raise wire.WireError(f"the answer cannot be read: {type(problem).__name__}") from None


def fault_from(data: dict | None) -> call.Fault | None:
    """A fault as the worker told it, with its texts cut to a readable length."""
    if data is None:
        return None
    kind = data["kind"] if data["kind"] in ("raised", "memory") else "raised"
    text = {key: cut(data[key]) for key in ("type", "message", "cell", "text")}
    return call.Fault(**text, line=int(data["line"]), kind=kind)


def _texts(values: list | tuple) -> list[str]:
    return [cut(value, 300) for value in values[:2000]]


def _output(data: dict) -> call.Output:
    numbers = {key: tuple(int(n) for n in data[key][:_MOST_AXES]) for key in ("shape", "strides")}
    indices = {key: [int(n) for n in data[key]] for key in ("overlaps", "shares_with")}
    flags = {key: data[key] is True for key in ("exact_type", "plain", "requires_grad", "reused")}
    texts = {key: str(data[key])[:40] for key in ("dtype", "device")}
    return call.Output(offset=int(data["offset"]), **numbers, **indices, **flags, **texts)
