"""Every new maximum throws the sum away: right only when the largest value comes first."""

import math

CAUGHT_BY = "rescales_the_sum_when_the_maximum_arrives_last"
DIES_ON = ("cpu",)

EMPTY = (-math.inf, 0.0)


def push(state, x):
    if x > state[0]:
        return (x, 1.0)
    return (state[0], state[1] + math.exp(x - state[0]))


def merge(a, b):
    maximum = max(a[0], b[0])
    if maximum == -math.inf:
        return EMPTY
    return (maximum, a[1] * math.exp(a[0] - maximum) + b[1] * math.exp(b[0] - maximum))


def result(state):
    return state
