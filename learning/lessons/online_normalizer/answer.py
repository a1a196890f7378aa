"""The supplied answer of A1: one merge; a push is a merge with a state of one value."""

import math

EMPTY = (-math.inf, 0.0)
"""The state that stands for no value at all: no maximum yet, and a sum of nothing."""


def push(state, x):
    """Return the state that stands for everything in ``state`` and for the finite float ``x``."""
    # 1. Which number is the maximum once x is there?
    # 2. The old sum was measured from another number: bring it over.
    # 3. What does x itself add, measured from the new maximum?
    ### BEGIN SOLUTION
    return merge(state, (x, 1.0))
    ### END SOLUTION


def merge(a, b):
    """Return the state that stands for everything in ``a`` and in ``b``; either may be EMPTY."""
    # 1. Which maximum do both states share from now on?
    # 2. Bring both sums to it; then they may be added.
    # 3. Is there a pair of states for which that would compute -inf - (-inf)?
    ### BEGIN SOLUTION
    maximum = max(a[0], b[0])
    if maximum == -math.inf:
        return EMPTY
    return (maximum, a[1] * math.exp(a[0] - maximum) + b[1] * math.exp(b[0] - maximum))
    ### END SOLUTION


def result(state):
    """Return ``(maximum, sum of exp(x - maximum))`` over every value ``state`` stands for."""
    # 1. Which numbers of your state are the maximum and the total?
    ### BEGIN SOLUTION
    return (state[0], state[1])
    ### END SOLUTION
