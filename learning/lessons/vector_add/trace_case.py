"""2500 float32 elements, x[i] = i and y[i] = 10 i."""

import torch


def trace_case(add):
    """Small enough to count by hand: two whole tiles of 1024 and a ragged one."""
    x = torch.arange(2500, dtype=torch.float32)
    y = 10 * torch.arange(2500, dtype=torch.float32)
    return {"x": x, "y": y, "out": add(x, y)}
