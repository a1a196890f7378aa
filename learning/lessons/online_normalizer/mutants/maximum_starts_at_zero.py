"""The running maximum begins at 0, so a row of negative values never finds its own."""

import math

CAUGHT_BY = "treats_empty_as_nothing_at_all"
DIES_ON = ("cpu",)

EMPTY = (-math.inf, 0.0)


def push(state, x):
    maximum = max(state[0], x, 0.0)
    return (maximum, state[1] * math.exp(state[0] - maximum) + math.exp(x - maximum))


def merge(a, b):
    maximum = max(a[0], b[0])
    if maximum == -math.inf:
        return EMPTY
    return (maximum, a[1] * math.exp(a[0] - maximum) + b[1] * math.exp(b[0] - maximum))


def result(state):
    return state
