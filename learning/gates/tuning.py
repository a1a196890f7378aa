"""Gate 10, read off the learner's own autotuner: what a lesson's ``tuned`` cell ends with.

    read(tuned, softmax_reference, (x1,), (x2,))                        # an @triton.autotune kernel, called on two shapes
    read(tuned, softmax_reference, (x1,), (x2,), of=softmax, num_warps=(4, 8))    # a contract's own options, swept

``read`` calls ``tuned``, holds each result against the reference, and reads the ``Autotuner`` that was launched: how many
configurations, which key, whether the grid is a function, and which configuration won for each value of the key. That is
kept as a ``benchmark`` record (``learning.gates.tuning_record``). Winners count where a GPU timed them.
"""

from __future__ import annotations

import contextlib
import html
import itertools
import re
import statistics
from collections.abc import Callable, Iterator
from typing import Any

from learning import tables
from learning.gates import tuning_record
from learning.gates.comparison import Shown
from learning.judge import setting as settings
from learning.judge.entry import describe

BOUND = 8.0
"""``tuned`` may be off by so many times what one rounding and an honest order of its sums are."""


def read(tuned: Callable, reference: Callable, *cases: tuple, of: Callable | None = None, **options: tuple) -> Shown:
    """Read the autotuner that ``tuned`` launches on each of ``cases`` (tuples of arguments; a dict at the end holds keywords),
    and keep the reading.

    ``reference`` gives what each call must. With ``options``, {name: values}, the calls ``of(*case, **one combination)`` are
    timed instead, for contracts that have options in place of an autotuner. A ``tuned`` that returns None is not written
    yet: that is said, and nothing is kept. Raises ``ValueError`` for fewer than two cases, nothing for what ``tuned`` does.
    """
    if len(cases) < tuning_record.CASES:
        raise ValueError(
            f"read(tuned, reference, case, case, …) wants {tuning_record.CASES} cases or more, not {len(cases)}"
        )
    session = settings.current().resources.get("session")
    seen: dict[int, dict] = {}
    told: list[dict] = []
    for case in cases:
        args, named = split(case)
        name = described(tuned, args, named)
        with _watched(seen, name):
            try:
                made = tuned(*args, **named)
            except Exception as problem:  # a sentence about it is worth more here than a traceback of Triton's
                told.append({"case": name, "agrees": False, "why": _sentence(problem)})
                continue
        if made is None:
            return Shown("tuned returns None so far: write it, then run this cell again.")
        why = differs(made, reference(*args, **named), args)
        told.append({"case": name, "agrees": not why, "why": why})
    reading = {"function": getattr(tuned, "__name__", "tuned"), "how": tuning_record.AUTOTUNER, "cases": told}
    reading["kernels"] = list(seen.values())
    if options and of is not None:
        reading |= {"how": tuning_record.SWEEP, "kernels": [swept(of, cases, options)]}
    return _shown(reading, session, options=bool(options))


def _called(function: Callable) -> str:
    """The name a reader knows ``function`` by; "tuned" for one that has none."""
    name = getattr(function, "__name__", "")
    return name if name.isidentifier() else "tuned"


def described(function: Callable, args: tuple, named: dict) -> str:
    """The call in words; strides of what is not contiguous are said, so that two layouts of one shape are two cases."""
    import torch

    strides = [
        f"{tuple(value.stride())}"
        for value in (*args, *named.values())
        if isinstance(value, torch.Tensor) and not value.is_contiguous()
    ]
    return describe(_called(function), args, named) + (f" with strides {', '.join(strides)}" if strides else "")


def split(case: tuple) -> tuple[tuple, dict]:
    """A case's arguments, and the keywords in a dict at its end."""
    return (case[:-1], case[-1]) if case and isinstance(case[-1], dict) else (case, {})


def differs(made: Any, expected: Any, args: tuple) -> str:
    """How a result differs from the reference's, "" where it agrees within rounding."""
    import torch

    from learning.judge import compare
    from learning.judge.parity import longest_sum

    mine, theirs = ([v] if isinstance(v, torch.Tensor) else list(v) for v in (made, expected))
    if [(tuple(a.shape), a.dtype) for a in mine] != [(tuple(b.shape), b.dtype) for b in theirs]:
        return f"shapes or dtypes differ: {describe('', tuple(mine), {})} for {describe('', tuple(theirs), {})}"
    wide = compare.Bounds(k=BOUND, terms=longest_sum(list(args)))
    for one, other in zip(mine, theirs, strict=True):
        # In 16 bits both sides may have rounded on the way, so an element is held against the largest of its row.
        short = one.is_floating_point() and one.element_size() == 2
        bounds = compare.Bounds(k=1.0, c=4.0, working=one.dtype) if short else wide
        miss = compare.compare(one.detach(), other.detach().double(), None, bounds)
        if miss is not None:
            return f"{miss.got} where the reference has {miss.expected}; {miss.where}"
    return ""


def swept(of: Callable, cases: tuple, options: dict[str, tuple]) -> dict:
    """Times of ``of`` with every combination of ``options`` on every case, as the record keeps an autotuner's."""
    import torch

    labels = {_combination(dict(zip(options, values, strict=True))): dict(zip(options, values, strict=True)) for values in itertools.product(*options.values())}  # fmt: skip
    winners = []
    for case in cases:
        (args, named), times = split(case), {}
        if any(isinstance(arg, torch.Tensor) and arg.is_cuda for arg in args):
            from triton import testing

            for label, chosen in labels.items():
                samples = testing.do_bench(lambda a=args, o={**named, **chosen}: of(*a, **o), return_mode="all")
                times[label] = round(1e3 * statistics.median(samples), 3)
        winner = min(times, key=times.get) if times else ""
        winners.append({"case": described(of, args, named), "key": {}, "winner": winner, "microseconds": times})
    return {
        "kernel": of.__name__,
        "configs": list(labels),
        "key": list(options),
        "grid_is_function": False,
        "winners": winners,
    }


@contextlib.contextmanager
def _watched(seen: dict[int, dict], case: str) -> Iterator[None]:
    """Keep in ``seen`` every autotuner that runs in the block, by identity, with what it chose; each is tuned anew."""
    from triton.runtime.autotuner import Autotuner

    run = Autotuner.run

    def reading(self: Any, *args: Any, **kwargs: Any) -> Any:
        known = seen.setdefault(id(self), _about(self))
        known["grid_is_function"] = callable(kwargs.get("grid"))
        if not any(winner["case"] == case for winner in known["winners"]):
            self.cache.clear()  # a winner of an earlier run of this cell would hide its times
        made = run(self, *args, **kwargs)
        if not any(winner["case"] == case for winner in known["winners"]):
            known["winners"].append(_winner(self, case, args, kwargs))
        return made

    Autotuner.run = reading
    try:
        yield
    finally:
        Autotuner.run = run


def _about(tuner: Any) -> dict:
    named = getattr(tuner, "base_fn", None)
    return {
        "kernel": getattr(named, "__name__", "the kernel"),
        "configs": [label(config) for config in tuner.configs],
        "key": [str(name) for name in tuner.keys],
        "grid_is_function": False,
        "winners": [],
    }


def _winner(tuner: Any, case: str, args: tuple, kwargs: dict) -> dict:
    given = {**dict(zip(tuner.arg_names, args, strict=False)), **kwargs}
    key = {str(name): value for name in tuner.keys if isinstance(value := given.get(name), (int, float, str, bool))}
    real = any(getattr(arg, "is_cuda", False) for arg in given.values())
    times = getattr(tuner, "configs_timings", None) if real else None
    told = {label(config): _median(took) for config, took in (times or {}).items()}
    return {
        "case": case,
        "key": key,
        "winner": label(tuner.best_config),
        "microseconds": {name: took for name, took in told.items() if took is not None},
    }


def _median(milliseconds: Any) -> float | None:
    """Microseconds of what the autotuner keeps for a configuration: a number, or a list whose first is the median."""
    first = milliseconds[0] if isinstance(milliseconds, (list, tuple)) else milliseconds
    return round(1e3 * float(first), 3) if float(first) < float("inf") else None


def label(config: Any) -> str:
    """A ``triton.Config`` in words: "BLOCK 512, 4 warps, 3 stages"."""
    parts = [f"{name} {value}" for name, value in config.kwargs.items()]
    return ", ".join([*parts, f"{config.num_warps} warps", f"{config.num_stages} stages"])


def _combination(chosen: dict) -> str:
    return ", ".join(f"{name} {value}" for name, value in chosen.items())


def _sentence(problem: Exception) -> str:
    from learning.lens.errors import explain

    return (
        explain(problem) or f"{type(problem).__name__}: {str(problem).strip().splitlines()[0] if str(problem) else ''}"
    )


def _shown(reading: dict, session: Any, *, options: bool) -> Shown:
    from learning.lens import device

    opened = device.current()
    card = session.lesson if session is not None else None
    free = options and (card is None or card.level != "beginner")
    lacking = tuning_record.complaint(reading, options=free, device=opened.kind)
    kept = False
    if reading["kernels"]:
        kept = session is not None and session.note(
            "benchmark", {"autotune": reading, "card": opened.name}, device=opened.kind
        )
    lines = [
        f"{case['case']}: {'agrees with the reference' if case['agrees'] else case['why']}" for case in reading["cases"]
    ]
    rows = table(reading)
    if lacking:
        tail = f"Gate 10 is open: {lacking}."
    elif opened.kind != "cuda":
        tail = (
            f"Read on a {opened.name}: every configuration ran, and which of them won means nothing, since an interpreter "
            "computed. Gate 10 waits for a GPU."
        )
    else:
        tail = f"{tuning_record.summary(reading)}{_spread(reading)}."
    tail += "" if lacking else _alike(reading)
    if not kept and reading["kernels"]:
        tail += f" (Not kept: {session.why if session is not None else 'no lesson is open here'}.)"
    return Shown("\n".join([*lines, *tables.text(rows, left=1), tail]), markup=_html(lines, rows, tail))


def table(reading: dict) -> list[list[str]]:
    """Configurations down, shapes across, medians inside, the winner marked; its heading first, nothing without times."""
    made: list[list[str]] = []
    for kernel in reading["kernels"]:
        timed = [winner for winner in kernel["winners"] if winner["microseconds"]]
        if not timed:
            continue
        heads = [", ".join(f"{k} {v}" for k, v in winner["key"].items()) or winner["case"] for winner in timed]
        made.append([kernel["kernel"], *heads])
        for name in kernel["configs"]:
            cells = []
            for winner in timed:
                took = winner["microseconds"].get(name)
                text = f"{took:.1f} µs" if took is not None else "did not run"
                cells.append(f"{text} ◀" if name == winner["winner"] else text)
            made.append([name, *cells])
    return made


def _spread(reading: dict) -> str:
    """By how much the best beat the next, in words; "" without times."""
    gaps = []
    for kernel in reading["kernels"]:
        for winner in kernel["winners"]:
            times = sorted(winner["microseconds"].values())
            if len(times) > 1:
                gaps.append(times[1] / times[0] - 1)
    return f"; the next best took {' and '.join(f'{100 * gap:.0f} %' for gap in gaps)} longer" if gaps else ""


def _alike(reading: dict) -> str:
    """Which cases the key cannot tell apart, in a sentence; "" where it tells all of them apart.

    ``read`` has each case tuned anew, so nothing else here would show that the learner's own second call is not.
    """
    for kernel in reading["kernels"]:
        first_of: dict[tuple, str] = {}
        for winner in kernel["winners"]:
            values = tuple(winner["key"].items())
            if not values or len(values) < len(kernel["key"]):
                continue  # a sweep, or a key of what is no plain value
            dtypes = tuple(re.findall(r"\w+(?=\[)", winner["case"]))  # Triton's key holds them by itself
            first = first_of.setdefault((values, dtypes), winner["case"])
            if first != winner["case"]:
                return (
                    f" Each call was tuned anew here. In your own use {winner['case']} runs with the winner of {first}: "
                    f"the key ({', '.join(kernel['key'])}) has the same values for both."
                )
    return ""


def _html(lines: list[str], rows: list[list[str]], tail: str) -> str:
    said = "".join(f"<p>{html.escape(line)}</p>" for line in lines)
    return f"{said}{tables.html(rows, left=1)}<p>{html.escape(tail)}</p>"
