"""Exponentials are taken to base 2, as a GPU does it: exp(d) = 2^(d · log2 e)."""

import math

EMPTY = (-math.inf, 0.0)


def push(state, x):
    return merge(state, (x, 1.0))


def merge(a, b):
    maximum = max(a[0], b[0])
    if maximum == -math.inf:
        return (-math.inf, 0.0)
    return (maximum, a[1] * power(a[0] - maximum) + b[1] * power(b[0] - maximum))


def power(difference):
    return math.exp2(difference * math.log2(math.e))


def result(state):
    return state
