"""The supplied answer of A1: one merge; a push is a merge with a state of one value."""

import math

EMPTY = (-math.inf, 0.0)  # as the notebook's set-up cell gives it


def push(state, x):
    """Return the state that stands for everything in ``state`` and for the finite float ``x``."""
    # 1. What state stands for x alone? Its maximum, and the sum of its one exponential.
    # 2. Which function of yours already puts two states together?
    ### BEGIN SOLUTION
    return merge(state, (x, 1.0))
    ### END SOLUTION


def merge(a, b):
    """Return the state that stands for everything in ``a`` and in ``b``; either may be EMPTY."""
    # 1. The maximum of the two maxima.
    # 2. The one case in which the next line would compute -inf - (-inf).
    # 3. Each sum brought to the new maximum: times exp(its own maximum - the new one). Then added.
    ### BEGIN SOLUTION
    maximum = max(a[0], b[0])
    if maximum == -math.inf:
        return EMPTY
    return (maximum, a[1] * math.exp(a[0] - maximum) + b[1] * math.exp(b[0] - maximum))
    ### END SOLUTION


def result(state):
    """Return ``(maximum, sum of exp(x - maximum))`` over every value ``state`` stands for."""
    # 1. Which two numbers of your state are these?
    ### BEGIN SOLUTION
    return (state[0], state[1])
    ### END SOLUTION
