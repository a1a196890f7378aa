"""Merge takes the larger maximum and adds the two sums as if both were measured from it."""

import math

CAUGHT_BY = "merges_any_split_to_one_result"
DIES_ON = ("cpu",)

EMPTY = (-math.inf, 0.0)


def push(state, x):
    maximum = max(state[0], x)
    return (maximum, state[1] * math.exp(state[0] - maximum) + math.exp(x - maximum))


def merge(a, b):
    maximum = max(a[0], b[0])
    if maximum == -math.inf:
        return EMPTY
    return (maximum, a[1] + b[1])


def result(state):
    return state
