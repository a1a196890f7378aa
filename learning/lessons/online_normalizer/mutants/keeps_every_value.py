"""The state is the row itself: right, and as long as the stream."""

import math

CAUGHT_BY = "keeps_states_small_plain_and_unremembered"
DIES_ON = ("cpu",)

EMPTY = (-math.inf, 0.0)


def push(state, x):
    return (*values(state), x)


def merge(a, b):
    return (*values(a), *values(b)) or EMPTY


def values(state):
    return () if state == EMPTY else state


def result(state):
    row = values(state)
    if not row:
        return EMPTY
    return (max(row), math.fsum(math.exp(x - max(row)) for x in row))
