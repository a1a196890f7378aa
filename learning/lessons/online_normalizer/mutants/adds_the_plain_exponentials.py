"""No shift: exp(x) is summed as it is and divided at the end, which overflows from 710 on."""

import math

CAUGHT_BY = "treats_empty_as_nothing_at_all"
DIES_ON = ("cpu",)

EMPTY = (-math.inf, 0.0)


def push(state, x):
    return (max(state[0], x), state[1] + math.exp(x))


def merge(a, b):
    return (max(a[0], b[0]), a[1] + b[1])


def result(state):
    if state == EMPTY:
        return EMPTY
    return (state[0], state[1] / math.exp(state[0]))
