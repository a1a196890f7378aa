"""A lesson's small case, run on CPU copies in a process of its own: traced, and compiled for a T4 where Triton can.

The same on every machine, with or without a GPU: the learner's own source, the case of the lesson's ``trace_case.py``.

    trace_case.py     its docstring's first line names the case; ``trace_case(entry, …)`` makes inputs, calls the entries
                      and returns {name: tensor} of what went in and came out. A CPU lesson returns {"output": {name: number},
                      "padding": {name: number}} instead.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

TARGET = "t4"
KEEP = 1 << 20  # lanes of accesses kept for pictures
MOST_PROBLEMS = 5
NARROW = ("fp16", "bf16", "fp8e5", "fp8e4nv", "fp8e4b8", "fp8e5b16", "fp8e4b15")
MARK = "rehearsal:"


class RehearsalFailed(RuntimeError):
    """The case could not be run with this answer; the message says what happened, in a sentence."""

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {self}"]


def path(folder: Path) -> Path:
    """Where a lesson keeps its case."""
    return folder / "trace_case.py"


def case_of(folder: Path) -> Callable[..., dict]:
    """The function ``trace_case`` of the lesson in ``folder``, loaded in this process; it takes the lesson's entries in order."""
    return _load("trace_case", str(path(folder))).trace_case


def sentence(folder: Path) -> str:
    """What the case is, in words; "" where the lesson has none."""
    try:
        text = ast.get_docstring(ast.parse(path(folder).read_text(encoding="utf-8"))) or ""
    except (OSError, SyntaxError):
        return ""
    return text.split("\n")[0].strip()


def run(folder: Path, source: str, entries: tuple[str, ...], *, kind: str = "gpu", outputs: list[str] = (),
        pictures: bool = False, listing: str = "", target: str = TARGET, timeout: float = 120.0) -> dict:  # fmt: skip
    """Run the case of the lesson in ``folder`` with ``source``, a module that defines ``entries``.

    ``outputs`` are indices whose values are wanted: "7", "2,36" of the last tensor that was stored to, "name:2,36" of
    another; ``pictures`` asks for tiles as well, ``listing`` ("ptx" or "sass") for every kernel's source with what was made
    of it; ``target`` is the card compiled for. Returns {"case", "device", "target", "launches", "tensors", "result",
    "output", "padding", "problems", "narrow", "compiled", "tiles", "listings"}, plain JSON; "narrow" are sentences about sums
    that have 16 bits when the case's inputs do.

    Raises ``RehearsalFailed`` where the lesson has no case, where the answer raises, returns no result, cannot be launched
    on the card or takes longer than ``timeout`` seconds.
    """
    if not path(folder).is_file():
        raise RehearsalFailed(
            f"{folder.name} has no trace_case.py, so there is nothing to compare a prediction with yet"
        )
    with tempfile.TemporaryDirectory(prefix="rehearsal-") as place:
        answer = Path(place) / "answer.py"
        answer.write_text(source, encoding="utf-8")
        asked = {"case": str(path(folder)), "answer": str(answer), "entries": list(entries), "kind": kind,
                 "outputs": list(outputs), "pictures": pictures, "listing": listing, "target": target}  # fmt: skip
        root = str(Path(__file__).resolve().parents[2])
        environment = {name: text for name, text in os.environ.items() if name != "TRITON_INTERPRET"}
        environment |= {"PYTHONPATH": os.pathsep.join(filter(None, [root, environment.get("PYTHONPATH", "")]))}
        environment |= {"CUDA_VISIBLE_DEVICES": "", "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                [sys.executable, "-m", "learning.lens.rehearsal"], input=json.dumps(asked), capture_output=True,
                text=True, timeout=timeout, env=environment, cwd=place,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise RehearsalFailed(f"the small case took longer than {timeout:g} s; does a loop of yours end?") from None
    line = next((text for text in reversed(done.stdout.splitlines()) if text.startswith(MARK)), "")
    if not line:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RehearsalFailed(f"the small case ended without a result: {last}")
    found = json.loads(line.removeprefix(MARK))
    if "failed" in found:
        raise RehearsalFailed(found["failed"])
    return found


def main() -> None:
    """The child: reads what is asked on standard input, prints one marked line of JSON."""
    asked = json.load(sys.stdin)
    try:
        found = _cpu(asked) if asked["kind"] == "cpu" else _traced(asked)
    except Exception as error:  # whatever the learner's code raised becomes a sentence in the notebook
        from learning.lens.errors import explain

        found = {"failed": explain(error) or f"{type(error).__name__}: {error}"}
    print(MARK + json.dumps(found))


def _load(name: str, file: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _entries(asked: dict) -> list[Any]:
    answer = _load("answer", asked["answer"])
    return [getattr(answer, name) for name in asked["entries"]]


def _cpu(asked: dict) -> dict:
    case = _load("trace_case", asked["case"])
    stated = case.trace_case(*_entries(asked))
    kept = {part: {str(k): _number(v) for k, v in stated.get(part, {}).items()} for part in ("output", "padding")}
    return {"case": _first_line(case), "device": "cpu", "target": "", "launches": [], "tensors": {}, "problems": [], "narrow": [],
            "compiled": [], "tiles": [], "listings": [], "result": "", **kept}  # fmt: skip


def _traced(asked: dict) -> dict:
    from learning.lens import device

    try:
        opened = device.open(asked["target"])
    except device.DeviceError:  # no compiler here: the plain interpreter still traces
        opened = device.open("interpreter")
    from learning.lens import ownership, trace
    from learning.lens.interpreter import execute
    from learning.lens.named import Named, totals

    entries, compiled = _entries(asked), []
    if opened.target:
        _collect(compiled)
    case = _load("trace_case", asked["case"])
    named = Named()
    with trace.recording(keep=KEEP) as tape:
        stop = execute.watch(named)
        try:
            tensors = case.trace_case(*entries)
        finally:
            stop()
    if not tape.launches:
        raise ValueError("no kernel was launched: is the answer still to be written?")
    absent = [name for name, tensor in tensors.items() if not hasattr(tensor, "untyped_storage")]
    if absent:
        raise ValueError(f"{absent[0]} came back as {type(tensors[absent[0]]).__name__}, not as a tensor")
    counted = {name: totals(tensor, tape, named) for name, tensor in tensors.items()}
    result = next((name for name in reversed(tensors) if counted[name].get("stored")), "")
    found = {
        "case": _first_line(case),
        "device": "interpreter",
        "target": opened.target,
        "launches": [launch.as_dict() for launch in tape.launches],
        "tensors": {name: row for name, row in counted.items() if row},
        "result": result,
        "output": _values(tensors, result, asked["outputs"]),
        "padding": {},
        "problems": [_problem(problem) for problem in tape.problems[:MOST_PROBLEMS]],
        "compiled": _reports(compiled, tape, opened),
        "tiles": [],
        "listings": _listings(compiled, asked["listing"]) if asked["listing"] else [],
    }
    if asked["pictures"]:
        for number, launch in enumerate(tape.launches):
            for name, tensor in tensors.items():
                for argument in named.arguments(number, tensor):
                    drawn = ownership.of(launch, argument, tensor, name, complete=not tape.truncated)
                    found["tiles"].append(drawn.as_dict() | {"kernel": launch.kernel, "launch": number})
    found["narrow"] = _narrow(case, entries, compiles=bool(opened.target))
    return found


def _narrow(case: Any, entries: list[Any], *, compiles: bool) -> list[str]:
    """The case again with its float32 inputs in float16: sentences about sums whose partial sums have 16 bits too, as
    ``learning.judge.structure`` has it, or about what the answer raised. One addition of two numbers is no such sum."""
    from learning.lens import trace
    from learning.lens.errors import explain

    if compiles:  # what is compiled from here on is only asked whether it compiles
        from learning.lens import verdict

        verdict.only()
    found: dict[tuple, str] = {}
    with trace.recording(counts=False) as tape:
        try:
            case.trace_case(*[_halved(entry) for entry in entries])
        except Exception as error:
            first = (explain(error) or f"{type(error).__name__}: {error}").splitlines()[0]
            return [f"the same case in float16 does not run: {first}"]
    for launch in tape.launches:
        for one in launch.sums:
            if one.dtype in NARROW and one.how != "+":
                place = f": `{one.text}`" if one.text else ""
                found[launch.kernel, one.how] = (
                    f"{launch.kernel} adds in {one.dtype} where the inputs are float16 ({one.how}){place}; widen with "
                    ".to(tl.float32) first, and let accumulators be float32"
                )
    return list(found.values())


def _halved(entry: Any) -> Any:
    """``entry`` called with float16 copies of its float32 tensors; strides, and storage that tensors share, stay as they are."""
    import torch

    def call(*args: Any, **named: Any) -> Any:
        storages: dict[int, Any] = {}

        def half(value: Any) -> Any:
            if not isinstance(value, torch.Tensor) or value.dtype is not torch.float32:
                return value
            storage = value.untyped_storage()
            if storage.data_ptr() not in storages:
                whole = torch.empty(0).set_(storage, 0, (storage.nbytes() // 4,), (1,))
                storages[storage.data_ptr()] = whole.half()
            return storages[storage.data_ptr()].as_strided(value.shape, value.stride(), value.storage_offset())

        return entry(*map(half, args), **{name: half(value) for name, value in named.items()})

    return call


def _problem(problem: Any) -> str:
    """Its sentence with the line's text and without its number, which is not that of the learner's cell."""
    return replace(problem, line=0).sentence() + (f" ({problem.text})" if problem.text else "")


def _values(tensors: dict, result: str, indices: list[str]) -> dict:
    found = {}
    for key in indices:
        name, _, place = key.rpartition(":")
        try:
            found[key] = _number(tensors[name or result][tuple(int(part) for part in place.split(","))].item())
        except (KeyError, IndexError, ValueError, RuntimeError):
            continue
    return found


def _collect(compiled: list) -> None:
    """Keep what Triton compiles for each launch; this process ends with the rehearsal, so nothing is put back."""
    from triton.runtime.jit import JITFunction

    run = JITFunction.run

    def collecting(self: Any, *args: Any, **kwargs: Any) -> Any:
        made = run(self, *args, **kwargs)
        if made is not None and not kwargs.get("warmup"):
            compiled.append(made)
        return made

    JITFunction.run = collecting


def _reports(compiled: list, tape: Any, opened: Any) -> list[dict]:
    """The compiler's report of every different kernel, in the order of their first launch."""
    if not compiled:
        return []
    from learning.lens import cards
    from learning.lens import compile as compiler

    found, seen = [], set()
    for made, launch in zip(compiled, tape.launches, strict=False):
        if id(made) in seen:
            continue
        seen.add(id(made))
        found.append(compiler.report(made, cards.card(opened.target), launch.programs).as_dict())
    return found


def _listings(compiled: list, kind: str) -> list[dict]:
    """Every different kernel's listing, in the order of ``_reports``; its source is not laid out as the learner's."""

    from learning.lens import listing

    different = {id(made): made for made in compiled}.values()
    return [asdict(replace(listing.of(made, kind), numbered=False)) for made in different]


def _number(value: Any) -> Any:
    value = float(value)
    return value if math.isfinite(value) else str(value)


def _first_line(module: Any) -> str:
    return (module.__doc__ or "").strip().split("\n")[0]


if __name__ == "__main__":
    main()
