"""A float32 matrix of 5 rows and 37 columns, x[i, j] = 0 in column i and −1000 elsewhere."""

import torch


def trace_case(softmax):
    """Every program has ragged lanes, and the result can be said without a computer: 1 in column i, 0 elsewhere."""
    x = torch.full((5, 37), -1000.0)
    x.fill_diagonal_(0.0)
    return {"x": x, "out": softmax(x)}
