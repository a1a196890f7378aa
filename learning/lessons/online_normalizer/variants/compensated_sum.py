"""A third number carries what each addition rounds away (Neumaier's sum)."""

import math

EMPTY = (-math.inf, 0.0)


def push(state, x):
    return merge(state, (x, 1.0, 0.0))


def merge(a, b):
    maximum = max(a[0], b[0])
    if maximum == -math.inf:
        return EMPTY
    (s, lost), (t, lost_too) = scaled(a, maximum), scaled(b, maximum)
    total = s + t
    error = (s - total) + t if s >= t else (t - total) + s
    return (maximum, total, lost + lost_too + error)


def scaled(state, maximum):
    factor = math.exp(state[0] - maximum)
    return state[1] * factor, (state[2] * factor if len(state) == 3 else 0.0)


def result(state):
    return (state[0], sum(state[1:]))
