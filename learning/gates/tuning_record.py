"""What was tuned, by the records: the configurations, the key, the grid, the winners; gate 10. Standard library only.

A reading is kept in a ``benchmark`` record under ``autotune``:

    {"function": "tuned", "how": "autotuner",
     "kernels": [{"kernel", "configs": [label], "key": [name], "grid_is_function": bool,
                  "winners": [{"case", "key": {name: value}, "winner": label, "microseconds": {label: median}}]}],
     "cases": [{"case": the call in words, "agrees": bool, "why": what differs}]}

Where a contract has options of its own (I1 to A3), ``how`` is "sweep", and ``kernels`` holds one entry whose ``configs`` are
the combinations of these options. Off a GPU ``microseconds`` is empty: nothing that an interpreter takes is a time.
"""

from __future__ import annotations

from typing import Any

from learning.gates.gate import Found
from learning.gates.measured import mapping
from learning.lesson import Lesson

FEWEST, MOST, CASES = 4, 8, 2
AUTOTUNER, SWEEP = "autotuner", "sweep"


def newest(records: list[dict]) -> dict:
    """The newest reading, {} where there is none."""
    found = [mapping(record["payload"].get("autotune")) for record in records if record["event"] == "benchmark"]
    return next((one for one in reversed(found) if one), {})


def proof(lesson: Lesson, records: list[dict]) -> Found:
    """Gate 10: the learner's autotuner was read, its result agrees on two shapes, and a GPU chose the winners."""
    best = Found(None, "write tuned and run its cell: it is read there")
    for record in reversed(records):
        reading = mapping(record["payload"].get("autotune")) if record["event"] == "benchmark" else {}
        if not reading:
            continue
        lacking = complaint(reading, options=lesson.level != "beginner", device=record["device"])
        if lacking:
            best = best if best.waits else Found(None, lacking)
        elif record["device"] != "cuda" or not _timed(reading):
            best = Found(None, "read without a GPU, where no winner means anything; open until a GPU has chosen", True)
        else:
            return Found(record, summary(reading))
    return best


def complaint(reading: dict, *, options: bool = False, device: str = "cuda") -> str:
    """What a reading made on ``device`` lacks to count, "" where nothing; ``options`` lets a sweep of the contract's options
    stand for an autotuner. Off a GPU an autotuner may have fewer configurations, as nothing can be timed there."""
    cases = [mapping(case) for case in _list(reading.get("cases"))]
    wrong = next((case for case in cases if case.get("agrees") is not True), None)
    if wrong is not None:
        return f"tuned is wrong: {wrong.get('case', '')}: {wrong.get('why', '')}"
    if len({str(case.get("case")) for case in cases}) < CASES:
        return f"tuned is to be checked on {CASES} shapes"
    swept = reading.get("how") == SWEEP
    if swept and not options:
        return "this lesson tunes by an autotuner"
    kernels = [mapping(kernel) for kernel in _list(reading.get("kernels"))]
    if not kernels:
        return "tuned launches no autotuner: put @triton.autotune(configs=[…], key=[…]) above its kernel"
    told = [_lacks(kernel, swept, device) for kernel in kernels]
    return "" if "" in told else told[0]


def summary(reading: dict) -> str:
    """The winners in a sentence: "6 configurations, key n_cols: n_cols 781 takes 8 warps"."""
    swept = reading.get("how") == SWEEP
    kernel = next((one for one in map(mapping, _list(reading.get("kernels"))) if not _lacks(one, swept)), {})
    count = len(_list(kernel.get("configs")))
    won = [f"{_key(winner)}: {winner.get('winner', '')}" for winner in map(mapping, _list(kernel.get("winners")))]
    head = (
        f"{count} combinations swept" if swept else f"{count} configurations, key {', '.join(map(str, kernel['key']))}"
    )
    return f"{head}; {'; '.join(won)}"


def _lacks(kernel: dict, swept: bool, device: str = "cuda") -> str:
    name, count = kernel.get("kernel", "the kernel"), len(_list(kernel.get("configs")))
    if not swept and not (FEWEST if device == "cuda" else 1) <= count <= MOST:
        few = "; a choice wants more" if count < FEWEST else "; each is compiled and timed before the first answer"
        return f"{name} has {count} configuration{'s' * (count != 1)}, and {FEWEST} to {MOST} are asked for{few}"
    if not swept and not _list(kernel.get("key")):
        return f"{name} has no key: every later shape runs with the first one's winner"
    if not swept and kernel.get("grid_is_function") is not True:
        return f"the grid of {name} is no function of the configuration: grid = lambda meta: (…,)"
    if swept and count < 2:
        return "a sweep has two combinations at least"
    if len(_list(kernel.get("winners"))) < CASES:
        return f"{name} has met {len(_list(kernel.get('winners')))} of {CASES} shapes"
    return ""


def _timed(reading: dict) -> bool:
    kernels = [mapping(kernel) for kernel in _list(reading.get("kernels"))]
    return any(
        sum(bool(mapping(mapping(winner).get("microseconds"))) for winner in _list(kernel.get("winners"))) >= CASES
        for kernel in kernels
    )


def _key(winner: dict) -> str:
    return ", ".join(f"{name} {value}" for name, value in mapping(winner.get("key")).items()) or str(winner.get("case"))


def _list(value: Any) -> list:
    return value if isinstance(value, list) else []
