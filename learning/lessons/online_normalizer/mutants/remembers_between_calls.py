"""The running state lives in a module variable; the argument is looked at only when it is EMPTY."""

import math

CAUGHT_BY = "keeps_states_small_plain_and_unremembered"
DIES_ON = ("cpu",)

EMPTY = (-math.inf, 0.0)
SEEN = [EMPTY]


def push(state, x):
    current = EMPTY if state == EMPTY else SEEN[-1]
    maximum = max(current[0], x)
    SEEN.append((maximum, current[1] * math.exp(current[0] - maximum) + math.exp(x - maximum)))
    return SEEN[-1]


def merge(a, b):
    maximum = max(a[0], b[0])
    if maximum == -math.inf:
        return EMPTY
    return (maximum, a[1] * math.exp(a[0] - maximum) + b[1] * math.exp(b[0] - maximum))


def result(state):
    return state
