"""A1 from memory: another base."""

import math


def reference(values):
    if not values:
        return -math.inf, 0.0
    top = max(values)
    return top, math.fsum(2.0 ** (x - top) for x in values)


def push(state, x):
    return merge(state, (x, 1.0))


def merge(a, b):
    top = max(a[0], b[0])
    if top == -math.inf:
        return a
    return top, a[1] * 2.0 ** (a[0] - top) + b[1] * 2.0 ** (b[0] - top)


def result(state):
    return state
