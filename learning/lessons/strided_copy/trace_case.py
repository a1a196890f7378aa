"""x = w.t() for a packed float32 w of 150 rows and 100 columns, with x[i, j] = 1000 i + j."""

import torch


def trace_case(materialise):
    """A turned matrix, ragged at both edges of its 64 by 64 tiles, whose elements say their own indices."""
    w = torch.arange(150, dtype=torch.float32)[:, None] + 1000 * torch.arange(100, dtype=torch.float32)
    x = w.t()
    return {"x": x, "out": materialise(x)}
