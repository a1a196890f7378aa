"""A helper brings a state to a maximum; none of the three functions knows how."""

import math

EMPTY = (-math.inf, 0.0)


def push(state, x):
    maximum = x if x > state[0] else state[0]
    return (maximum, at(state, maximum) + at((x, 1.0), maximum))


def merge(a, b):
    maximum = a[0] if a[0] > b[0] else b[0]
    return (maximum, at(a, maximum) + at(b, maximum))


def at(state, maximum):
    return 0.0 if state[1] == 0.0 else state[1] * math.exp(state[0] - maximum)


def result(state):
    maximum, total = state
    return maximum, total
