"""A1 from memory: a second sum fades with the first."""

import math


def reference(pairs):
    if not pairs:
        return 0.0
    top = max(x for x, _ in pairs)
    shares = [math.exp(x - top) for x, _ in pairs]
    return math.fsum(s * v for s, (_, v) in zip(shares, pairs, strict=True)) / math.fsum(shares)


def push(state, x, v):
    return merge(state, (x, 1.0, v))


def merge(a, b):
    top = max(a[0], b[0])
    if top == -math.inf:
        return a
    p, q = math.exp(a[0] - top), math.exp(b[0] - top)
    return top, a[1] * p + b[1] * q, a[2] * p + b[2] * q


def result(state):
    return state[2] / state[1] if state[1] else 0.0
