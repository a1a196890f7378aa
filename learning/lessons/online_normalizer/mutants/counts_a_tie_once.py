"""A value equal to the maximum is thought to be in the sum already."""

import math

CAUGHT_BY = "counts_every_copy_of_a_tie"
DIES_ON = ("cpu",)

EMPTY = (-math.inf, 0.0)


def push(state, x):
    if x == state[0]:
        return state
    maximum = max(state[0], x)
    return (maximum, state[1] * math.exp(state[0] - maximum) + math.exp(x - maximum))


def merge(a, b):
    maximum = max(a[0], b[0])
    if maximum == -math.inf:
        return EMPTY
    return (maximum, a[1] * math.exp(a[0] - maximum) + b[1] * math.exp(b[0] - maximum))


def result(state):
    return state
