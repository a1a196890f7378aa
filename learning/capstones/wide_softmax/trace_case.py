"""A float16 matrix of 1 row and 131072 columns: −1000 everywhere, but 0 in the first column and in the last."""

import torch


def trace_case(softmax, softmax_reference):
    """Both values get one half, and each stands on the other side of what can be kept."""
    x = torch.full((1, 131072), -1000.0, dtype=torch.float16)
    x[0, 0] = x[0, -1] = 0.0
    return {"x": x, "out": softmax(x)}
