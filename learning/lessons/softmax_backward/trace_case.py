"""Float32 y and g of 3 rows and 37 columns; y[i, j] is 1/2 in columns 0 and 1 and 0 elsewhere, g[i, j] = j and g lies transposed."""

import torch


def trace_case(backward):
    """Every program has ragged lanes, y and g lie differently, and the result can be said without a computer."""
    y = torch.zeros(3, 37)
    y[:, :2] = 0.5
    g = torch.arange(37.0)[:, None].repeat(1, 3).t()
    return {"y": y, "g": g, "dx": backward(y, g)}
