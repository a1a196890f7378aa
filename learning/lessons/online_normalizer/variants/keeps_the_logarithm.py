"""The second number is the logarithm of the sum; sums are taken with log1p."""

import math

EMPTY = (-math.inf, 0.0)


def push(state, x):
    return merge(state, (x, 0.0))


def merge(a, b):
    if a[0] == -math.inf:
        return b
    if b[0] == -math.inf:
        return a
    maximum = max(a[0], b[0])
    u, v = a[1] + (a[0] - maximum), b[1] + (b[0] - maximum)
    high, low = max(u, v), min(u, v)
    return (maximum, high + math.log1p(math.exp(low - high)))


def result(state):
    return EMPTY if state[0] == -math.inf else (state[0], math.exp(state[1]))
