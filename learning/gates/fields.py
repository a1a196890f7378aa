"""What a prediction may say: each field's meaning, its check, and the JSON form that a record keeps.

Standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

BOUNDS = ("memory", "compute", "launch")
CARDS = ("t4", "sm_75", "sm_80", "sm_90")
MOST = 64  # entries of one field, so that a record stays a line somebody can read


class PredictionError(ValueError):
    """A prediction that cannot be locked; the message names the field, what it got and what it takes."""

    def _render_traceback_(self) -> list[str]:
        return [f"PredictionError: {self}"]


def canonical(fields: Mapping[str, Any]) -> dict[str, Any]:
    """``fields`` (name to what a learner wrote) in the form a record keeps; raises ``PredictionError``.

    ``grid``, ``tile``: lists of integers, or {kernel: list}; ``registers``: names, or {card: [low, high]};
    ``passes``, ``masked``, ``padding``: a value or {tensor: value}, ``passes`` always by tensor; ``output``:
    {"i,j": value}; ``occupancy``, ``launch_share``: [low, high] between 0 and 1; ``microseconds``: [low, high] or
    {case: [low, high]}. What JSON has no number for is kept as "inf", "-inf", "nan"; no padding as "none".
    """
    made = {}
    for name, value in fields.items():
        if name not in FIELDS:
            raise PredictionError(f"there is no field {name!r}; the fields are {', '.join(FIELDS)}")
        made[name] = FIELDS[name](name, value)
    return made


def number(value: Any) -> float | str:
    """A float in the form a record keeps: "inf", "-inf" and "nan" in words."""
    value = float(value)
    return value if math.isfinite(value) else str(value)


def real(kept: Any) -> float:
    """Inverse of ``number``."""
    return float(kept)


def index(key: Any) -> str:
    """An output's index as a record keeps it: "7", "2,36", "summed:0,3" for ("summed", 0, 3), or the name a CPU lesson gives
    a result."""
    if isinstance(key, str) and key.strip():
        return key.strip()
    parts = key if isinstance(key, tuple) else (key,)
    if len(parts) > 1 and isinstance(parts[0], str) and parts[0].strip():
        return f"{parts[0].strip()}:{index(parts[1:])}"
    if not parts or any(isinstance(part, bool) or not isinstance(part, int) or part < 0 for part in parts):
        raise PredictionError(f"output: {key!r} is no index; write {{2499: 7.0}}, or {{(2, 36): 0.5}} for two axes")
    return ",".join(str(part) for part in parts)


def _whole(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise PredictionError(f"{name}: {value!r} is no whole number of {least} or more")
    return value


def _float(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise PredictionError(f"{name}: {value!r} is no number")
    return float(value)


def _mapping(name: str, value: Mapping, example: str, each: Callable[[Any], Any], key: Callable = str) -> dict:
    if not value or len(value) > MOST:
        raise PredictionError(f"{name}: give 1 to {MOST} entries, such as {example}; this has {len(value)}")
    for label in value:
        if key is str and (not isinstance(label, str) or not label.strip()):
            raise PredictionError(f"{name}: {label!r} is no name; write {example}")
    return {key(label): each(item) for label, item in value.items()}


def _sizes(name: str, value: Any, most: int) -> list[int]:
    items = value if isinstance(value, (tuple, list)) else (value,)
    if not 1 <= len(items) <= most:
        raise PredictionError(f"{name}: {value!r} has {len(items)} axes; it has one to {most}")
    return [_whole(name, item, 0 if name == "grid" else 1) for item in items]


def _grid(name: str, value: Any) -> Any:
    def one(item: Any) -> list[int]:
        sizes = _sizes(name, item, 3)
        return sizes + [1] * (3 - len(sizes))

    return _mapping(name, value, "{'add_kernel': 3}", one) if isinstance(value, Mapping) else one(value)


def _tile(name: str, value: Any) -> Any:
    def one(item: Any) -> list[int]:
        return squeezed(_sizes(name, item, 5))

    return _mapping(name, value, "{'add_kernel': 1024}", one) if isinstance(value, Mapping) else one(value)


def squeezed(sizes: list[int] | tuple[int, ...]) -> list[int]:
    """A tile's shape without axes of one lane: (1, 64) and (64,) are one tile."""
    return [int(size) for size in sizes if size != 1] or [1]


def _registers(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        made = _mapping(name, value, "{'t4': (16, 40)}", lambda item: _interval(name, item, 1, 255))
        strange = [card for card in made if card not in CARDS]
        if strange:
            raise PredictionError(f"{name}: {strange[0]!r} is no card; the cards are {', '.join(CARDS)}")
        return made
    names = {value} if isinstance(value, str) else value
    if not isinstance(names, (set, frozenset, tuple, list)) or not names or len(names) > MOST:
        raise PredictionError(
            f"{name}: {value!r}: name the values that never go to memory, {{'row', 'total'}}, or give registers a "
            "thread by card, {'t4': (16, 40)}"
        )
    if any(not isinstance(item, str) or not item.strip() for item in names):
        raise PredictionError(f"{name}: a value is named by a word, such as 'total'; got {value!r}")
    return sorted(item.strip() for item in names)


def _passes(name: str, value: Any) -> dict:
    if not isinstance(value, Mapping):
        raise PredictionError(f"{name}: say it for each tensor, {{'x': 1, 'out': 1}}, not {value!r}")

    def one(item: Any) -> float:
        crossed = _float(name, item)
        if not 0 <= crossed < 1e9:
            raise PredictionError(f"{name}: {item!r} is no number of times a tensor crosses memory")
        return crossed

    return _mapping(name, value, "{'x': 1, 'out': 1}", one)


def _masked(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return _mapping(name, value, "{'out': 572}", lambda item: _whole(name, item, 0))
    return _whole(name, value, 0)


def _padding(name: str, value: Any) -> Any:
    def one(item: Any) -> Any:
        return "none" if item is None else number(_float(name, item))

    return _mapping(name, value, "{'x': -math.inf}", one) if isinstance(value, Mapping) else one(value)


def _output(name: str, value: Any) -> dict:
    if not isinstance(value, Mapping):
        raise PredictionError(f"{name}: say which element, {{0: 11.0}}, not {value!r}")
    return _mapping(name, value, "{0: 11.0}", lambda item: number(_float(name, item)), index)


def _interval(name: str, value: Any, least: float, most: float) -> list[float]:
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise PredictionError(f"{name}: {value!r} is no interval; write (low, high)")
    low, high = (_float(name, end) for end in value)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise PredictionError(f"{name}: both ends of {value!r} must be finite")
    if low > high:
        raise PredictionError(f"{name}: the interval {value!r} is upside down; write ({high:g}, {low:g})")
    if low < least or high > most:
        raise PredictionError(f"{name}: {value!r} must lie between {least:g} and {most:g}")
    return [low, high]


def _share(name: str, value: Any) -> list[float]:
    return _interval(name, value, 0, 1)


def _times(name: str, value: Any) -> Any:
    def one(item: Any) -> list[float]:
        return _interval(name, item, 1e-3, 1e9)

    return _mapping(name, value, "{'packed': (30, 60)}", one) if isinstance(value, Mapping) else one(value)


def _bound(name: str, value: Any) -> str:
    word = value.strip().lower().removesuffix("-bound") if isinstance(value, str) else value
    if word not in BOUNDS:
        raise PredictionError(f"{name}: {value!r} is none of {', '.join(repr(b) for b in BOUNDS)}")
    return word


FIELDS: dict[str, Callable[[str, Any], Any]] = {
    "grid": _grid,
    "tile": _tile,
    "registers": _registers,
    "passes": _passes,
    "masked": _masked,
    "padding": _padding,
    "output": _output,
    "occupancy": _share,
    "bound": _bound,
    "launch_share": _share,
    "microseconds": _times,
}
