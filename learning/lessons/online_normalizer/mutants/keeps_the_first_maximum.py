"""The first value stays the reference point for ever, and is reported as the maximum."""

import math

CAUGHT_BY = "pushes_values_in_any_order"
DIES_ON = ("cpu",)

EMPTY = (-math.inf, 0.0)


def push(state, x):
    maximum = x if state[0] == -math.inf else state[0]
    return (maximum, state[1] + math.exp(x - maximum))


def merge(a, b):
    maximum = max(a[0], b[0])
    if maximum == -math.inf:
        return EMPTY
    return (maximum, a[1] * math.exp(a[0] - maximum) + b[1] * math.exp(b[0] - maximum))


def result(state):
    return state
