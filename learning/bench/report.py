"""A benchmark's case in words: a table, and one sentence that reads it. Standard library only."""

from __future__ import annotations

from collections.abc import Iterator

from learning.judge import samples

_BESIDE = {
    samples.FASTER: "faster than",
    samples.AS_FAST: "as fast as",
    samples.SLOWER: "slower than",
    samples.CANNOT_TELL: "not to be told apart from",
}


def time_text(microseconds: float) -> str:
    """ "63.3 µs", "2.51 ms"."""
    if microseconds >= 10_000:
        return f"{microseconds / 1e3:.3g} ms"
    return f"{microseconds:.3g} µs" if microseconds < 100 else f"{microseconds:.0f} µs"


def percent(share: float | None) -> str:
    """ "94 %", "" where there is none."""
    return "" if share is None else f"{100 * share:.0f} %"


def result(case: dict, kind: str = "answer") -> dict:
    """The first result of that kind."""
    return next(one for one in case["results"] if one["kind"] == kind)


def rows(case: dict) -> list[list[str]]:
    """The table of a case, its heading first: who, time and interval, answer / who, verdict, share of the floor, launch
    share, error against float64."""
    made = [["", "time", "95 % of it", "answer / it", "the answer is", "floor", "launch", "error"]]
    for one in case["results"]:
        if one["unavailable"]:
            made.append([one["name"], f"not measured: {one['unavailable']}", "", "", "", "", "", ""])
            continue
        median, interval, ratio = one["median"].get(case["timing"]), one["interval"], one["ratio"]
        errors = [e["relative_l2"] for e in one["errors"] if e.get("relative_l2") is not None]
        made.append(
            [
                one["name"],
                time_text(median) if median else f"no {case['timing']}: {one['why_no_graph']}"[:48],
                f"{interval['low']:.4g} … {interval['high']:.4g}" if interval else "",
                f"{ratio['ratio']:.3f} ({ratio['low']:.3f} … {ratio['high']:.3f})" if ratio else "",
                ratio["verdict"] if ratio else "",
                "impossible" if one["impossible"] else percent(one["floor_share"]),
                percent(one["launch_share"]),
                f"{max(errors):.1e}" if errors else "",
            ]
        )
    return made


def table(case: dict) -> Iterator[str]:
    """The rows as lines of text, columns aligned."""
    made = rows(case)
    widths = [
        max(len(row[column]) for row in made if not row[1].startswith(("not measured", "no "))) for column in range(8)
    ]
    for row in made:
        if row[1].startswith(("not measured", "no ")):
            yield f"  {row[0]:<{widths[0]}}  {row[1]}"
            continue
        line = f"  {row[0]:<{widths[0]}}" + "".join(
            f"  {text:>{width}}" for text, width in zip(row[1:], widths[1:], strict=True)
        )
        yield line.rstrip()


def sentence(case: dict, who: str = "your answer") -> str:
    """One sentence on the answer: its time, what of the floor that is, how it stands beside the others, the launch share."""
    mine = result(case)
    median = mine["median"].get(case["timing"])
    how = "replayed from a CUDA graph" if case["timing"] == "graph" else "between events, launches included"
    parts = [f"{case['about']}: {who} takes {time_text(median)} ({how})"]
    floor = case["floor"]
    if mine["impossible"]:
        parts.append(
            f"which is impossible: the floor is {time_text(floor['microseconds'])}, so something was not done or not timed"
        )
    elif mine["floor_share"] is not None:
        bound = "memory" if floor["bound"] == "memory" else "arithmetic"
        beyond = "" if case["cold"] else ", though these inputs stay in the L2 cache"
        parts.append(f"{percent(mine['floor_share'])} of what the {floor['card']}'s {bound} allows{beyond}")
    standing = []
    for one in case["results"]:
        if one["ratio"] and one["kind"] != "ceiling":
            by = one["ratio"]["ratio"]
            factor = f" ({1 / by:.2f} ×)" if by < 1 else f" ({by:.2f} × its time)"
            told = one["ratio"]["verdict"] in (samples.FASTER, samples.SLOWER)
            standing.append(f"{_BESIDE[one['ratio']['verdict']]} {one['name']}{factor if told else ''}")
    parts += [", ".join(standing)] if standing else []
    if mine["launch_share"] is not None:
        parts.append(f"starting it would be {percent(mine['launch_share'])} of the time between calls")
    if (
        case["control"] is not None
        and not samples.Ratio(*(case["control"][k] for k in ("ratio", "low", "high"))).steady
    ):
        parts.append("but the machine was unsteady: the answer against itself differs by more than 5 %")
    return "; ".join(parts) + "."


def payload(cases: list[dict]) -> list[dict]:
    """The cases as a ``benchmark`` record of the learner's progress keeps them, the first shape last: a prediction without a
    label is about the newest."""
    kept = []
    for case in reversed(cases):
        mine, work = result(case), case["work"]
        others = [one for one in case["results"] if one["kind"] in ("peer", "ceiling") and one["median"]]
        kept.append(
            {
                "case": case["case"],
                **_times(mine),
                "bytes": work["bytes"],
                "flops": work["flops"],
                "tensor_cores": work["tensor_cores"],
                "card": case["floor"]["card"] if case["floor"] else "",
                "peers": {one["name"]: _times(one) for one in others},
            }
        )
    return kept


def _times(one: dict) -> dict:
    return {
        "microseconds": {name: round(value, 3) for name, value in one["median"].items()},
        "samples": {
            name: [round(t, 3) for t in one[name]["microseconds"]] for name in ("graph", "events") if one[name]
        },
    }
