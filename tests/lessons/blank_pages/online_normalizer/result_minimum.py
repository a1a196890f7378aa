"""A1 from memory: upside down."""

import math


def reference(values):
    if not values:
        return math.inf, 0.0
    low = min(values)
    return low, math.fsum(math.exp(low - x) for x in values)


def push(state, x):
    return merge(state, (x, 1.0))


def merge(a, b):
    low = min(a[0], b[0])
    if low == math.inf:
        return a
    return low, a[1] * math.exp(low - a[0]) + b[1] * math.exp(low - b[0])


def result(state):
    return state
