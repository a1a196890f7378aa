"""The empty state's sum is taken for 1, as though a value had been seen."""

import math

CAUGHT_BY = "treats_empty_as_nothing_at_all"
DIES_ON = ("cpu",)

EMPTY = (-math.inf, 0.0)


def push(state, x):
    maximum = max(state[0], x)
    return (maximum, state[1] * math.exp(state[0] - maximum) + math.exp(x - maximum))


def merge(a, b):
    maximum = max(a[0], b[0])
    a, b = (max(a[0], -1e9), a[1] or 1.0), (max(b[0], -1e9), b[1] or 1.0)
    maximum = max(a[0], b[0])
    if maximum == -1e9:
        return EMPTY
    return (maximum, a[1] * math.exp(a[0] - maximum) + b[1] * math.exp(b[0] - maximum))


def result(state):
    return state
