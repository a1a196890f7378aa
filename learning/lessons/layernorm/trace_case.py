"""A float32 matrix of 3 rows and 24 columns that hold 100, but 103 and 97 in front; weight 2, bias 10, eps = 0.25."""

import torch


def trace_case(layernorm):
    """Every program has ragged lanes, the mean is far from 0, and variance plus eps is 1, so the result needs no computer."""
    x = torch.full((3, 24), 100.0)
    x[:, 0], x[:, 1] = 103.0, 97.0
    weight, bias = torch.full((24,), 2.0), torch.full((24,), 10.0)
    return {"x": x, "weight": weight, "bias": bias, "out": layernorm(x, weight, bias, 0.25)}
