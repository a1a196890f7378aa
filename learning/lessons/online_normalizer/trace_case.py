"""The values 1, 3, 2 pushed into EMPTY, then 5; −1000 alone; nothing at all."""

import math


def trace_case(push, merge, result):
    """What a learner can work out by hand: a new maximum in the middle, one at the end, a lone value, and none."""
    empty = (-math.inf, 0.0)
    three = empty
    for value in (1.0, 3.0, 2.0):
        three = push(three, value)
    four = push(three, 5.0)
    nothing = result(merge(empty, empty))
    return {
        "output": {
            "maximum after 1, 3, 2": result(three)[0],
            "total after 1, 3, 2": result(three)[1],
            "maximum after 5": result(four)[0],
            "total after 5": result(four)[1],
            "total after -1000 alone": result(push(empty, -1000.0))[1],
        },
        "padding": {"maximum": nothing[0], "total": nothing[1]},
    }
