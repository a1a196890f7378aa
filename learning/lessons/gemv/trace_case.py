"""A float32 weight of 50 × 600, weight[n, k] = n + 1, times an x that is 2 at its last place and 0 elsewhere."""

import torch


def trace_case(gemv):
    """Ragged both ways in tiles of 16 × 256, and only the last, ragged step adds anything: out[n] is 2 · (n + 1)."""
    x, weight = torch.zeros(600), torch.arange(1.0, 51.0)[:, None].repeat(1, 600)
    x[599] = 2.0
    out = gemv(x, weight)
    return {"x": x, "weight": weight, "out": out}
