"""The hidden checks of A1: the same contract on rows drawn when the work is graded."""

from learning.judge import check
from learning.lessons.online_normalizer.answer import EMPTY
from learning.lessons.online_normalizer.checks import compare, pushed, shown


@check(points=2, hidden=True)
def merges_in_any_grouping(push, merge, result, trial):
    """Ten parts, some of them empty, merged in eight random trees: the tree must not show."""
    trial.case("ten parts")
    parts = [[trial.random.gauss(0.0, 20.0) for _ in range(trial.random.randrange(0, 6))] for _ in range(10)]
    values = [x for part in parts for x in part]
    leaves = [pushed(push, part) for part in parts]
    for tree in range(8):
        trial.case(f"tree {tree}")
        states = list(leaves)
        while len(states) > 1:
            left = states.pop(trial.random.randrange(len(states)))
            right = states.pop(trial.random.randrange(len(states)))
            states.append(merge(left, right))
        compare(trial, result, states[0], values, f"ten parts of {shown(values)}, merged in a random tree")


@check(points=2, hidden=True)
def survives_both_ends_of_the_double_range(push, merge, result, trial):
    """Values near ±1.8e308, where a difference overflows, beside values so close that their difference is tiny."""
    top, tiny = 1.7976931348623157e308, 5e-324
    near = trial.random.uniform(1.0e308, 1.7e308)
    rows = [
        [top], [-top], [top, -top], [-top, top], [-top, -top, -top], [top, top], [-near, near, -top, near],
        [tiny, -tiny, 0.0, -0.0], [1e16, 1e16 + 2.0, 1e16 - 2.0], [-745.0, 0.0], [0.0, -746.0], [709.0, 710.0, 711.0],
    ]  # fmt: skip
    for row in rows:
        trial.case(f"row {shown(row)}")
        compare(trial, result, pushed(push, row), row, f"push, one by one, {shown(row)}")
        for cut in range(len(row) + 1):
            state = merge(pushed(push, row[:cut]), pushed(push, row[cut:]))
            compare(trial, result, state, row, f"merge of {shown(row[:cut])} and {shown(row[cut:])}")


@check(points=2, hidden=True)
def stays_accurate_over_a_long_stream(push, merge, result, trial):
    """Four hundred values that rise, fall, or hide one spike among many that are small but together count."""
    start = trial.random.uniform(-50.0, 50.0)
    noise = [trial.random.gauss(0.0, 1.0) for _ in range(400)]
    streams = {
        "a rising ramp": [start + 0.02 * i for i in range(400)],
        "a falling ramp": [start - 0.02 * i for i in range(400)],
        "noise around a far mean": [1000.0 * start + x for x in noise],
        "one spike, then a floor 25 below": [start, *(start - 25.0 - abs(x) for x in noise)],
        "a floor 25 below, then one spike": [*(start - 25.0 - abs(x) for x in noise), start],
    }
    for name, values in streams.items():
        trial.case(name)
        compare(trial, result, pushed(push, values), values, f"push, one by one, {name}: {shown(values)}")


@check(points=2, hidden=True)
def counts_every_copy_of_a_tie(push, merge, result, trial):
    """Equal values are as many terms as there are copies, at the maximum and below it."""
    x = trial.random.uniform(-100.0, 100.0)
    for row in ([x] * 7, [x, x - 1.0, x, x - 1.0, x - 1.0, x], [x - 2.0, x - 2.0, x, x]):
        trial.case(f"row {shown(row)}")
        compare(trial, result, pushed(push, row), row, f"push, one by one, {shown(row)}")
        for cut in range(len(row) + 1):
            state = merge(pushed(push, row[:cut]), pushed(push, row[cut:]))
            compare(trial, result, state, row, f"merge of {shown(row[:cut])} and {shown(row[cut:])}")


@check(points=2, hidden=True)
def keeps_states_small_plain_and_unremembered(push, merge, result, trial):
    """A state is a tuple of two to four floats however much it has seen, and a call changes nothing but its result."""
    trial.case("what a state is made of")
    values = [trial.random.gauss(0.0, 5.0) for _ in range(40)]
    left, right = pushed(push, values[:25]), pushed(push, values[25:])
    for how, state in (("40 pushes", pushed(push, values)), ("merge(left, right)", merge(left, right))):
        plain = type(state) is tuple and 2 <= len(state) <= 4 and all(type(number) is float for number in state)
        trial.expect(plain, called=how, got=repr(state)[:120], expected="a plain tuple of two to four floats")
    trial.case("one state, two futures")
    up, down = push(left, 90.0), push(left, -90.0)
    compare(trial, result, down, [*values[:25], -90.0], "push(left, -90.0) after push(left, 90.0)")
    compare(trial, result, up, [*values[:25], 90.0], "push(left, 90.0)")
    compare(trial, result, left, values[:25], "result(left) after both")
    trial.case("the same call twice")
    for how, call in (
        ("push(left, 1.5)", lambda: push(left, 1.5)),
        ("merge(left, right)", lambda: merge(left, right)),
        ("merge(EMPTY, right)", lambda: merge(EMPTY, right)),
        ("result(right)", lambda: result(right)),
    ):
        first, second = call(), call()
        trial.expect(first == second, called=f"{how}, twice", got=f"{first!r}, then {second!r}", expected="the same")
