"""A merge keeps both parts side by side for later, and a third part finds no room."""

import math

CAUGHT_BY = "merges_in_any_grouping"
DIES_ON = ("cpu",)

EMPTY = (-math.inf, 0.0)


def push(state, x):
    return (*join(state, (x, 1.0)),)


def merge(a, b):
    if EMPTY in (a, b):
        return b if a == EMPTY else a
    return (*join(a[:2], a[2:] or EMPTY), *b[:2])


def join(a, b):
    maximum = max(a[0], b[0])
    if maximum == -math.inf:
        return EMPTY
    return (maximum, a[1] * math.exp(a[0] - maximum) + b[1] * math.exp(b[0] - maximum))


def result(state):
    return join(state[:2], state[2:] or EMPTY)
