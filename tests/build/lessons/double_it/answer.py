"""The taught answer."""


def double(x):
    """Return twice ``x``."""
    ### BEGIN SOLUTION
    twice_the_number = x + x
    return twice_the_number
    ### END SOLUTION


### BEGIN SOLUTION
EMPTY = 0.0
### END SOLUTION
