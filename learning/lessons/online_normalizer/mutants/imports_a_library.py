"""`functools` folds the work: right, and outside the rule that `math` is the only import."""

import math
from functools import reduce

CAUGHT_BY = "keeps_the_house_rules"
DIES_ON = ("cpu",)

EMPTY = (-math.inf, 0.0)


def push(state, x):
    return merge(state, (x, 1.0))


def merge(a, b):
    maximum = max(a[0], b[0])
    if maximum == -math.inf:
        return EMPTY
    return (maximum, reduce(lambda total, s: total + s[1] * math.exp(s[0] - maximum), (a, b), 0.0))


def result(state):
    return state
