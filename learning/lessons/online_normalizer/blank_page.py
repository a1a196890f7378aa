"""The blank page of A1: the merge state from memory, over another base, with a payload, or upside down."""

import math

from learning.judge import fold
from learning.lesson import Variation

NAMES = ("push", "merge", "result")
EMPTY = {
    "result_base_two": (-math.inf, 0.0),
    "result_weighted_mean": (-math.inf, 0.0, 0.0),
    "result_minimum": (math.inf, 0.0),
}
WRITTEN = {
    "result_base_two": "(-math.inf, 0.0)",
    "result_weighted_mean": "(-math.inf, 0.0, 0.0)",
    "result_minimum": "(math.inf, 0.0)",
}

VARIATIONS = (
    Variation(
        entry="result_base_two",
        brief=(
            "`push(state, x)`, `merge(a, b)` and `result(state)` → (maximum, Σ 2^(xᵢ − maximum)). Everything else in the "
            "contract stays."
        ),
        changes="The exponential, and nothing of the argument: why?",
        names=NAMES,
    ),
    Variation(
        entry="result_weighted_mean",
        brief=(
            "`push(state, x, v)` takes pairs of finite floats; `result(state)` gives Σ exp(xᵢ − m)·vᵢ / Σ exp(xᵢ − m), m "
            "the maximum of all xᵢ, and 0.0 where nothing was pushed. EMPTY is (-inf, 0.0, 0.0)."
        ),
        changes="A second sum is rescaled with the first: one query's attention, key by key.",
        names=NAMES,
    ),
    Variation(
        entry="result_minimum",
        brief=(
            "`result(state)` → (minimum, Σ exp(minimum − xᵢ)); EMPTY is (+inf, 0.0). Everything else in the contract stays."
        ),
        changes="Every sign that matters turns round.",
        names=NAMES,
    ),
)


def result_base_two_reference(values):
    """``(maximum, Σ 2^(x − maximum))`` of a list of floats; ``(-inf, 0.0)`` of an empty one."""
    if not values:
        return -math.inf, 0.0
    maximum = max(values)
    return maximum, math.fsum(math.exp2(x - maximum) for x in values)


def result_weighted_mean_reference(pairs):
    """The mean of v weighted with exp(x), of a list of pairs (x, v); 0.0 of an empty one."""
    if not pairs:
        return 0.0
    maximum = max(x for x, _ in pairs)
    weights = [math.exp(x - maximum) for x, _ in pairs]
    return math.fsum(w * v for w, (_, v) in zip(weights, pairs, strict=True)) / math.fsum(weights)


def result_minimum_reference(values):
    """``(minimum, Σ exp(minimum − x))`` of a list of floats; ``(inf, 0.0)`` of an empty one."""
    if not values:
        return math.inf, 0.0
    minimum = min(values)
    return minimum, math.fsum(math.exp(minimum - x) for x in values)


def given(variation):
    """What the page's set-up cell gives besides ``math``."""
    return f"EMPTY = {WRITTEN[variation.entry]}"


def rows(variation, random):
    """Named rows of items to push: floats, or pairs where the variation has a payload; the extreme value first, last, twice,
    and at both ends of the double range."""
    drawn = [random.uniform(-9.0, 9.0) for _ in range(9)]
    made = {
        "nothing": [],
        "one value": [-3.5],
        "nine values": drawn,
        "rising": sorted(drawn),
        "falling": sorted(drawn, reverse=True),
        "the largest last": [*drawn, 700.0],
        "the smallest last": [*drawn, -700.0],
        "ties": [2.0, 5.0, 5.0, -1.0, -1.0],
        "both ends of the range": [1.0, 1.7e308, -1.7e308, 0.0],
    }
    paired = variation.entry == "result_weighted_mean"
    return {name: [(x, random.uniform(-2.0, 2.0)) if paired else x for x in row] for name, row in made.items()}


def truth(variation, row):
    """What ``result`` must give for the row, and the size its rounding errors scale with."""
    expected = globals()[f"{variation.entry}_reference"](row)
    size = result_weighted_mean_reference([(x, abs(v)) for x, v in row]) if isinstance(expected, float) else 0.0
    return expected, size


def close(trial, variation, got, row, called):
    """Hold ``got`` against the row's truth: the extreme exactly, sums to 12 significant digits."""
    expected, size = truth(variation, row)
    plain = type(got) is type(expected) and all(type(n) is float for n in (got if type(got) is tuple else (got,)))
    wanted = "a plain float" if isinstance(expected, float) else "a plain tuple of two floats"
    trial.expect(plain, called=called, got=repr(got), expected=wanted)
    if isinstance(expected, float):
        trial.close(got, expected, rel=1e-12, abs=1e-12 * size, called=called)
        return
    trial.close(got[0], expected[0], ulps=0, called=f"{called}: the first number")
    trial.close(got[1], expected[1], rel=1e-12, called=f"{called}: the total")


def pushed(variation, push, row):
    """The state that stands for ``row``, pushed from the left."""
    state = EMPTY[variation.entry]
    if variation.entry != "result_weighted_mean":
        return fold(push, state, row)
    for x, v in row:
        state = push(state, x, v)
    return state


def agrees(variation, trial, push, merge, result):
    """Each row pushed one by one, and cut in two and merged in either order, gives the row's one result."""
    empty = EMPTY[variation.entry]
    for name, row in rows(variation, trial.random).items():
        trial.case(name)
        close(trial, variation, result(pushed(variation, push, row)), row, f"result after push, one by one, of {row}")
        for cut in sorted({0, 1, len(row) // 2, len(row)} & set(range(len(row) + 1))):
            left, right = (pushed(variation, push, part) for part in (row[:cut], row[cut:]))
            for one, other in ((left, right), (right, left)):
                told = f"result(merge(…)) of {row} cut before item {cut}"
                close(trial, variation, result(merge(one, other)), row, told)
    trial.case("nothing merged with nothing")
    close(trial, variation, result(merge(empty, empty)), [], "result(merge(EMPTY, EMPTY))")


def reference_agrees(variation, trial, reference):
    """The learner's own reference of a whole row."""
    for name, row in rows(variation, trial.random).items():
        trial.case(name)
        close(trial, variation, trial.returns(reference, row), row, f"reference({row})")
