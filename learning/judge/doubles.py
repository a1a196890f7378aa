"""Python doubles compared: units in the last place, relative error, equality to the bit. Standard library only."""

from __future__ import annotations

import math
import struct
from typing import Any


def ulps_between(got: float, expected: float) -> float:
    """|got − expected| in units in the last place of ``expected``; infinite where one is NaN or only one is infinite."""
    if math.isnan(got) or math.isnan(expected):
        return math.inf
    if math.isinf(got) or math.isinf(expected):
        return 0.0 if got == expected else math.inf
    return abs(got - expected) / math.ulp(expected)


def relative(got: float, expected: float) -> float:
    """|got − expected| / |expected|; 0 where they are equal (infinities included), infinite where NaN or expected is 0."""
    if got == expected:
        return 0.0
    if not (math.isfinite(got) and math.isfinite(expected)) or expected == 0.0:
        return math.inf
    return abs(got - expected) / abs(expected)


def identical(one: Any, other: Any) -> bool:
    """Equal, and for doubles equal bit for bit but for the payload of NaN (so +0 is not −0)."""
    if isinstance(one, float) and isinstance(other, float):
        return struct.pack("<d", one) == struct.pack("<d", other) or (math.isnan(one) and math.isnan(other))
    return one == other


def problem(got: Any, expected: Any, *, ulps: float | None, rel: float | None, abs: float) -> str:
    """Empty where ``got`` is close to ``expected``; else the tolerance that was broken, in words."""
    if isinstance(expected, tuple):
        if type(got) is not tuple or len(got) != len(expected):
            return f"(a tuple of {len(expected)})"
        return next(
            (text for g, e in zip(got, expected, strict=True) if (text := problem(g, e, ulps=ulps, rel=rel, abs=abs))),
            "",
        )
    if type(got) is not type(expected):
        return f"(a {type(expected).__name__})"
    if not isinstance(expected, float):
        return "" if got == expected else "(exactly)"
    if ulps is None and rel is None and abs == 0.0:
        ulps = 0.0
    distance = math.inf if math.isnan(got) or math.isnan(expected) else _distance(got, expected)
    within = distance <= abs
    within |= ulps is not None and ulps_between(got, expected) <= ulps
    within |= rel is not None and relative(got, expected) <= rel
    if within:
        return ""
    if ulps == 0 and rel is None and abs == 0:
        return "(exactly)"
    told = [f"{ulps:g} ulps" if ulps is not None else "", f"{rel:g} relatively" if rel is not None else ""]
    return "within " + " or ".join([t for t in told if t] + ([f"{abs:g}"] if abs else []))


def _distance(got: float, expected: float) -> float:
    return 0.0 if got == expected else math.fabs(got - expected)
