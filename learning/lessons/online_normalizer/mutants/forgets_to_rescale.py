"""A new maximum arrives and the old sum stays as it was, still measured from the old one."""

import math

CAUGHT_BY = "rescales_the_sum_when_the_maximum_arrives_last"
DIES_ON = ("cpu",)

EMPTY = (-math.inf, 0.0)


def push(state, x):
    maximum = max(state[0], x)
    return (maximum, state[1] + math.exp(x - maximum))


def merge(a, b):
    maximum = max(a[0], b[0])
    if maximum == -math.inf:
        return EMPTY
    return (maximum, a[1] * math.exp(a[0] - maximum) + b[1] * math.exp(b[0] - maximum))


def result(state):
    return state
