"""The sum is rounded to eight decimals at every step."""

import math

CAUGHT_BY = "stays_accurate_over_a_long_stream"
DIES_ON = ("cpu",)

EMPTY = (-math.inf, 0.0)


def push(state, x):
    maximum = max(state[0], x)
    return (maximum, round(state[1] * math.exp(state[0] - maximum) + math.exp(x - maximum), 8))


def merge(a, b):
    maximum = max(a[0], b[0])
    if maximum == -math.inf:
        return EMPTY
    return (maximum, a[1] * math.exp(a[0] - maximum) + b[1] * math.exp(b[0] - maximum))


def result(state):
    return state
