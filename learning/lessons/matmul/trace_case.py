"""A float32 a of 100 × 40 with a[i, k] = i, times a b of 40 × 72 with b[k, j] = j."""

import torch


def trace_case(matmul):
    """Ragged along all three axes, and every element can be said without a computer: out[i, j] = 40 · i · j."""
    a = torch.arange(100, dtype=torch.float32)[:, None].expand(100, 40).contiguous()
    b = torch.arange(72, dtype=torch.float32)[None, :].expand(40, 72).contiguous()
    return {"a": a, "b": b, "out": matmul(a, b)}
