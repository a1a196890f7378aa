"""The public checks of A1, and the three small helpers that all checks of the lesson share."""

import functools

from learning.judge import check, fold
from learning.lessons.online_normalizer.answer import EMPTY
from learning.lessons.online_normalizer.reference import normalizer_oracle


def pushed(push, values, state=EMPTY):
    """Push ``values`` one after another, from the left, and return the state that is left."""
    return fold(push, state, values)


def shown(values):
    """``values`` as a reader could type them; long lists keep their first three and last two."""
    if len(values) <= 8:
        return "[" + ", ".join(repr(x) for x in values) + "]"
    return f"[{values[0]!r}, {values[1]!r}, {values[2]!r}, … {len(values) - 5} more …, {values[-2]!r}, {values[-1]!r}]"


@functools.lru_cache(maxsize=64)
def truth(values):
    """The oracle's pair for a tuple of values, worked out once for all the ways a row is cut."""
    return normalizer_oracle(values)


def compare(trial, result, state, values, how):
    """Judge ``result(state)`` against ``values``: the maximum exactly, the sum to 12 significant digits."""
    got, expected = result(state), truth(tuple(values))
    plain = type(got) is tuple and len(got) == 2 and all(type(number) is float for number in got)
    trial.expect(plain, called=how, got=repr(got), expected="a plain tuple of two floats, (maximum, total)")
    trial.close(got[0], expected[0], ulps=0, called=f"{how}: the maximum")
    trial.close(got[1], expected[1], rel=1e-12, called=f"{how}: the total")


@check(points=1)
def pushes_values_in_any_order(push, merge, result, trial):
    """The same five values rising, falling and shuffled give one maximum and one total."""
    values = [trial.random.uniform(-4.0, 4.0) for _ in range(5)]
    for order in (sorted(values), sorted(values, reverse=True), values):
        trial.case(f"{len(order)} values from {order[0]:.3g} to {order[-1]:.3g}")
        compare(trial, result, pushed(push, order), order, f"push, one by one, {shown(order)}")


@check(points=1)
def rescales_the_sum_when_the_maximum_arrives_last(push, merge, result, trial):
    """After 30 small values comes one that is larger: every earlier term must shrink to the new maximum."""
    for last in (5.0, 50.0, 5000.0):
        trial.case(f"the maximum {last} comes last")
        values = [trial.random.uniform(-2.0, 2.0) for _ in range(30)] + [last]
        compare(trial, result, pushed(push, values), values, f"push, one by one, {shown(values)}")


@check(points=1)
def treats_empty_as_nothing_at_all(push, merge, result, trial):
    """EMPTY is (-inf, 0.0): merged with itself it stays empty, merged on either side it changes nothing."""
    trial.case("nothing seen")
    compare(trial, result, EMPTY, [], "result(EMPTY)")
    compare(trial, result, merge(EMPTY, EMPTY), [], "merge(EMPTY, EMPTY)")
    for x in (-1000.0, -3.5, 0.0, 1000.0):
        trial.case(f"only {x}")
        one = push(EMPTY, x)
        compare(trial, result, one, [x], f"push(EMPTY, {x})")
        compare(trial, result, merge(EMPTY, one), [x], f"merge(EMPTY, push(EMPTY, {x}))")
        compare(trial, result, merge(one, EMPTY), [x], f"merge(push(EMPTY, {x}), EMPTY)")


@check(points=1)
def merges_any_split_to_one_result(push, merge, result, trial):
    """A row of 12 values cut at any place, the parts merged in either order, is still the same row."""
    values = [trial.random.uniform(-30.0, 30.0) for _ in range(12)]
    for cut in range(len(values) + 1):
        trial.case(f"cut before value {cut}")
        left, right = pushed(push, values[:cut]), pushed(push, values[cut:])
        compare(trial, result, merge(left, right), values, f"merge of {shown(values[:cut])} and {shown(values[cut:])}")
        compare(trial, result, merge(right, left), values, f"merge of {shown(values[cut:])} and {shown(values[:cut])}")


@check(points=2)
def keeps_the_house_rules(push, merge, result, trial):
    """`math` is the only import of an answer that works, and nothing reaches past the three functions and their helpers."""
    trial.case("two values")
    both = merge(push(EMPTY, 1.0), push(EMPTY, 2.0))
    compare(trial, result, both, [1.0, 2.0], "merge(push(EMPTY, 1.0), push(EMPTY, 2.0))")
    for entry in ("push", "merge", "result"):
        trial.house_rules(entry)
