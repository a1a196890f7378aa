"""Merge assumes that the left state holds the maximum."""

import math

CAUGHT_BY = "merges_any_split_to_one_result"
DIES_ON = ("cpu",)

EMPTY = (-math.inf, 0.0)


def push(state, x):
    maximum = max(state[0], x)
    return (maximum, state[1] * math.exp(state[0] - maximum) + math.exp(x - maximum))


def merge(a, b):
    if a[0] == -math.inf:
        return b
    return (max(a[0], b[0]), a[1] + b[1] * math.exp(min(b[0] - a[0], 0.0)))


def result(state):
    return state
