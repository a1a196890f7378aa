"""Merge reads an empty side as one value equal to the other side's maximum."""

import math

CAUGHT_BY = "treats_empty_as_nothing_at_all"
DIES_ON = ("cpu",)

EMPTY = (-math.inf, 0.0)


def push(state, x):
    maximum = max(state[0], x)
    return (maximum, state[1] * math.exp(state[0] - maximum) + math.exp(x - maximum))


def merge(a, b):
    maximum = max(a[0], b[0])
    if maximum == -math.inf:
        return EMPTY
    s, t = (state[1] * math.exp(state[0] - maximum) if state[1] else 1.0 for state in (a, b))
    return (maximum, s + t)


def result(state):
    return state
