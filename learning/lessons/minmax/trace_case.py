"""A float32 matrix of 3 rows and 37 columns, x[i, j] = 100 + j, with eps = 1."""

import torch


def trace_case(minmax):
    """Every program has ragged lanes, a padding of 0 would win the minimum, and the result can be said without a computer."""
    x = 100 + torch.arange(37, dtype=torch.float32).repeat(3, 1)
    return {"x": x, "out": minmax(x, 1.0)}
