"""What ``softmax`` must equal: eager PyTorch for the dtype, the definition in float64 for the truth."""

import torch


def softmax_reference(x):
    """The softmax of each row of ``x`` [rows, columns] by eager torch, in ``x``'s own dtype."""
    return torch.softmax(x, dim=1)


def softmax_oracle(x):
    """The definition in float64: exp(x - max) / sum of exp(x - max) by row.

    The shift by the row's maximum cancels in the quotient; it only keeps every exponent at or below 0.
    """
    wide = x.double()
    weights = (wide - wide.amax(dim=1, keepdim=True)).exp()
    return weights / weights.sum(dim=1, keepdim=True)
