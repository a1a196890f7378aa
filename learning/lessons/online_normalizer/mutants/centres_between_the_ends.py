"""The states keep their middle, (a + b) / 2, as reference point: a + b overflows near the end of the range."""

import math

CAUGHT_BY = "survives_both_ends_of_the_double_range"
DIES_ON = ("cpu",)

EMPTY = (-math.inf, 0.0)


def push(state, x):
    return merge(state, (x, 1.0))


def merge(a, b):
    maximum = max(a[0], b[0])
    if maximum == -math.inf:
        return EMPTY
    if min(a[0], b[0]) == -math.inf:
        return a if b[0] == -math.inf else b
    middle, half = (a[0] + b[0]) / 2, abs(a[0] - b[0]) / 2
    near, far = (a[1], b[1]) if a[0] == maximum else (b[1], a[1])
    return (maximum, near * math.exp(middle + half - maximum) + far * math.exp(middle - half - maximum))


def result(state):
    return state
