"""exp(a) / exp(b) in place of exp(a - b): the quotient is fine and its parts overflow."""

import math

CAUGHT_BY = "rescales_the_sum_when_the_maximum_arrives_last"
DIES_ON = ("cpu",)

EMPTY = (-math.inf, 0.0)


def push(state, x):
    maximum = max(state[0], x)
    return (maximum, state[1] * (math.exp(state[0]) / math.exp(maximum)) + math.exp(x) / math.exp(maximum))


def merge(a, b):
    maximum = max(a[0], b[0])
    if maximum == -math.inf:
        return EMPTY
    return (maximum, a[1] * math.exp(a[0] - maximum) + b[1] * math.exp(b[0] - maximum))


def result(state):
    return state
