"""A float32 matrix of 3 rows and 37 columns with strides (1, 3), x[i, j] = 0 in column 0 and −1000 elsewhere."""

import torch


def trace_case(softmax):
    """Every program has ragged lanes, rows do not lie side by side, and the result can be said without a computer."""
    x = torch.full((37, 3), -1000.0).t()
    x[:, 0] = 0.0
    return {"x": x, "out": softmax(x)}
