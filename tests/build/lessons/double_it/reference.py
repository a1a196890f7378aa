"""What the answer is compared with."""

import math

# inputs and outputs, worked out by hand
TABLE = {1.5: 3.0, 21.0: 42.0}


def double_reference(x):
    """Twice ``x``, by the exponent."""
    return math.ldexp(x, 1)
