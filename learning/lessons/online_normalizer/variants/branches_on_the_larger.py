"""Two branches and no max: only the smaller side is rescaled."""

import math

EMPTY = (-math.inf, 0.0)


def push(state, x):
    maximum, total = state
    if x <= maximum:
        return (maximum, total + math.exp(x - maximum))
    return (x, total * math.exp(maximum - x) + 1.0)


def merge(a, b):
    low, high = (a, b) if a[0] <= b[0] else (b, a)
    if low[0] == -math.inf:
        return high
    return (high[0], high[1] + low[1] * math.exp(low[0] - high[0]))


def result(state):
    return state
