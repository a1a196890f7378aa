"""Predict, then compare: what a notebook's prediction cell calls.

    predict(grid=3, tile=1024, passes={"x": 1, "y": 1, "out": 1}, masked=572, microseconds=(2400, 3200))
    ...                                            # write the kernel, run the checks
    predictions.compare()                          # traces it on the lesson's small case, shows both side by side
    predictions.because(masked="I counted twice")  # a written cause for a miss

The first lock before the lesson's first successful launch is the prediction; later ones are revisions, shown and unscored.
``python -m learning.gates.predictions progress.jsonl`` scores the records of a submission again, without running anything.
"""

from __future__ import annotations

import ast
import sys
import weakref
from typing import Any

from learning.gates import records, written
from learning.gates.comparison import Shown, page
from learning.gates.fields import FIELDS, PredictionError, canonical
from learning.gates.fingerprint import fingerprint
from learning.gates.measured import mapping
from learning.gates.progress import parity
from learning.gates.scoring import compare as compared
from learning.gates.scoring import predictions
from learning.judge import reach
from learning.judge import setting as settings
from learning.lens import rehearsal

UNSAID: Any = object()
_rehearsed: weakref.WeakKeyDictionary[Any, tuple[dict, dict]] = weakref.WeakKeyDictionary()


def predict(
    *,
    grid: Any = UNSAID,
    tile: Any = UNSAID,
    registers: Any = UNSAID,
    passes: Any = UNSAID,
    masked: Any = UNSAID,
    padding: Any = UNSAID,
    output: Any = UNSAID,
    occupancy: Any = UNSAID,
    bound: Any = UNSAID,
    launch_share: Any = UNSAID,
    microseconds: Any = UNSAID,
) -> Shown:
    """Lock a prediction for the lesson that is open; every field is stated for the lesson's small case unless it is a time.

    ``grid``: programs, a number or up to three, or {kernel: grid} where there are several kernels; ``tile``: lanes one
    program stores at once, likewise; ``registers``: names of values that never go to memory, {"maximum", "total"}, or
    registers a thread {"t4": (low, high)}; ``passes``: {tensor: times its bytes cross memory, loads and stores together};
    ``masked``: lanes that own nothing, all programs together, each lane once; ``padding``: what masked lanes of loads hold
    (None: nothing is promised); ``output``: {index: value}, of the last result, or {("name", index): value}; ``occupancy``, ``launch_share``: (low, high) between 0 and 1;
    ``bound``: "memory", "compute" or "launch"; ``microseconds``: (low, high), or {case: (low, high)}. Intervals are ones
    you would bet on four times in five. ``masked`` and ``padding`` may be given by tensor.

    A field left as ``...`` is not said yet: then nothing is locked, and the fields that wait are named. Raises
    ``PredictionError`` for a value a field cannot hold, and where no lesson is open.
    """
    given = {name: value for name, value in locals().items() if name in FIELDS and value is not UNSAID}
    session = open_session()
    waiting = [name for name, value in given.items() if _unsaid(value)]
    made = canonical({name: value for name, value in given.items() if name not in waiting})
    if waiting or not made:
        say = ", ".join(waiting) or "every field"
        return Shown(
            f"Nothing is locked yet: {say} still to be said. A wrong guess proves a gate as well as a right one; the line of a "
            "field you cannot even guess can be deleted, and its gate then stays open."
        )
    late = bool(predictions([*session.evidence(), _as_record(session.lesson.slug, made)])[1])
    payload = {"fields": made, "case": rehearsal.sentence(session.lesson.folder), "revision": late}
    if not session.note("prediction", payload):
        return Shown(f"Read and understood, but not kept: {session.why}.")
    if late:
        ran = predictions(session.evidence())[0] is None
        reason = "your code has already run" if ran else "the first lock is the one that is scored"
        return Shown(f"Kept as a revision of {_names(made)}: {reason}. Revisions are shown and earn nothing.")
    answer = "functions" if session.lesson.kind == "cpu" else "kernel"
    return Shown(f"Locked: {_names(made)}. Now write the {answer}; predictions.compare() shows both side by side.")


def because(**fields: str) -> Shown:
    """Write the cause of a miss: ``because(grid="I rounded down")``; gate 09 wants one for every miss. The cause of one value
    among several: ``because(**{"passes.x": "…"})``. Raises ``PredictionError`` for a field that does not exist or an empty
    cause."""
    session = open_session()
    for name, text in fields.items():
        if name.partition(".")[0] not in FIELDS:
            raise PredictionError(f"there is no field {name!r}; the fields are {', '.join(FIELDS)}")
        if not isinstance(text, str) or len(text.split()) < 2:
            raise PredictionError(f"{name}: say the cause in words; {text!r} says none")
    if not fields:
        raise PredictionError('name the field: predictions.because(grid="I rounded down")')
    if not session.note("prediction", {"causes": dict(fields)}):
        return Shown(f"Read, but not kept: {session.why}.")
    return Shown(f"Kept: the cause of {_names(fields)}.")


def compare() -> Shown:
    """Run the lesson's small case with the answer as it stands, on CPU copies and in a process of its own, keep what was
    traced and compiled, and show prediction and measurement side by side."""
    session = open_session()
    lines = []
    try:
        lines += [f"the trace found: {problem}" for problem in rehearse(session)["problems"]]
        if not _passed(session):
            lines.append(
                "Not every public check has passed for this answer. Measured is what it does, right or wrong: where a check "
                "fails, mend that first, then compare again."
            )
    except rehearsal.RehearsalFailed as reason:  # what was measured before is still shown
        lines.append(f"Not measured now: {reason}")
    if session.why and not session.evidence():
        lines.append(f"Nothing is kept here, so there is no prediction to compare: {session.why}.")
    return page(compared(session.lesson.slug, session.evidence()), session.lesson, lines)


def rehearse(
    session: Any, *, listing: str = "", target: str = rehearsal.TARGET, keep: bool = True, drawn: bool = False
) -> dict:
    """Trace and compile the answer on the lesson's small case and append ``launch`` and ``compile`` records; returns what
    was found, pictures and a ``listing`` ("ptx" unless said) included (see ``learning.lens.rehearsal.run``). An answer that
    has not changed is not run again.

    ``compile`` records are kept of the course's own card alone, whose figures predictions are about, and not without
    ``keep``. What is only ``drawn`` leaves the kept comparison alone: its ``launch`` record is the first one or none. Raises ``learning.lens.rehearsal.RehearsalFailed``.
    """
    card, cells = session.lesson, session.history.cells()
    source = module(session.history.setup() + cells, card.entries)
    if not source:
        raise rehearsal.RehearsalFailed(
            f"{' and '.join(card.entries)} is not defined yet: run the cell that defines it"
        )
    if fingerprint(cells, card.entries) == fingerprint(session.history.starter(), card.entries):
        raise rehearsal.RehearsalFailed("the answer is still to be written")
    locked = predictions(session.evidence())
    wanted = [
        index for record in (locked[0], *locked[1]) if record for index in record["payload"]["fields"].get("output", {})
    ]
    # Pictures and PTX cost nothing beside the process that makes them, and the next cell of the notebook asks for them.
    asked = {"source": source, "outputs": wanted, "listing": listing or "ptx", "target": target}
    before = _rehearsed.get(session)
    if before is None or before[0] != asked:
        found = rehearsal.run(
            card.folder, source, card.entries, kind=card.kind, outputs=wanted, pictures=True, listing=asked["listing"],
            target=target,
        )  # fmt: skip
        _rehearsed[session] = (asked, found)
    found = _rehearsed[session][1]
    kept = {name: found[name] for name in ("launches", "tensors", "result", "output", "padding", "problems", "target")}
    payload = {"case": found["case"], "trace": kept, "rules": written.rules(card, source, found)}
    if not drawn or not any(mapping(record["payload"].get("trace")) for record in session.evidence()
                            if record["event"] == "launch" and record["lesson"] == card.slug):  # fmt: skip
        session.note("launch", payload, device=found["device"])
    if found["compiled"] and keep and not drawn and target == rehearsal.TARGET:
        session.note("compile", {"case": found["case"], "kernels": found["compiled"]}, device=found["device"])
    return found


def module(cells: list[tuple[str, str]], entries: tuple[str, ...]) -> str:
    """One module out of ``cells``: the entries and every definition and import they reach; "" where one is missing.

    Of a name that is imported more than once every import stays: a later cell's ``import math`` comes after set-up cells that
    need it when they run.
    """
    pieces = reach.pieces(cells)
    imports = frozenset(name for p in pieces if isinstance(p.node, (ast.Import, ast.ImportFrom)) for name in p.binds)
    wanted: set[int] = set()
    for entry in entries:
        reached, defining = reach.reachable(pieces, entry, imports)
        if defining is None:
            return ""
        wanted |= {id(piece) for piece in reached}
    needed = {name for piece in pieces if id(piece) in wanted for name in piece.needs}
    wanted |= {id(p) for p in pieces if isinstance(p.node, (ast.Import, ast.ImportFrom)) and needed & set(p.binds)}
    return "\n\n".join(ast.unparse(piece.node) for piece in pieces if id(piece) in wanted) + "\n"


def _passed(session: Any) -> bool:
    """Whether every public check has passed for the answer as it stands, on whichever device."""
    mine = fingerprint(session.history.cells(), session.lesson.entries)
    found = parity(session.lesson, [record for record in session.evidence() if record["source"] == mine])
    return found.record is not None or found.waits


def open_session() -> Any:
    """The session that the notebook's first cell opened; raises ``PredictionError`` where none is."""
    session = settings.current().resources.get("session")
    if session is None:
        raise PredictionError("no lesson is open here: run the notebook's first cell, then this one")
    return session


def _unsaid(value: Any) -> bool:
    """Whether a value, or part of it, is still ``...``."""
    if isinstance(value, dict):
        return any(_unsaid(item) for item in value.values())
    return value is ... or (isinstance(value, (tuple, list, set)) and any(item is ... for item in value))


def _as_record(slug: str, fields: dict) -> dict:
    return {"event": "prediction", "lesson": slug, "device": "", "payload": {"fields": fields}}


def _names(fields: dict) -> str:
    return ", ".join(fields)


def main(arguments: list[str]) -> int:
    """Print the comparison of every lesson in a log: ``PATH [--markdown]``; 0, or 3 where the log holds no prediction."""
    from learning import lesson

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal without × or ∞
    paths = [argument for argument in arguments if not argument.startswith("-")]
    if len(paths) != 1:
        print("usage: python -m learning.gates.predictions PATH [--markdown]", file=sys.stderr)
        return 64
    try:
        log = records.read(paths[0])
    except (OSError, records.RecordError) as error:
        print(error, file=sys.stderr)
        return 3
    for damage in log.damage:
        print(f"{paths[0]}, {damage.sentence()}", file=sys.stderr)
    slugs = dict.fromkeys(record["lesson"] for record in log if record["event"] == "prediction")
    for slug in slugs:
        try:
            card = lesson.load(slug)
        except LookupError:
            card = None
        shown = page(compared(slug, log.records), card, [])
        print(shown.markdown if "--markdown" in arguments else shown.text)
    if not slugs:
        print(f"{paths[0]} holds no prediction", file=sys.stderr)
    return 0 if slugs else 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
