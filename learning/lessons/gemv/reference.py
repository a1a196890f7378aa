"""What ``gemv`` must equal: PyTorch's product of matrix and vector, taken in float32 and rounded once."""

import torch


def gemv_reference(x, weight):
    """``weight`` [N, K] times ``x`` [K] by torch, [N] in the dtype of ``x``; float64 is computed in float64."""
    work = torch.promote_types(x.dtype, torch.float32)
    return (weight.to(work) @ x.to(work)).to(x.dtype)


def condition(x, weight):
    """What the rounding errors of each sum scale with: the sum of |weight| · |x| along its row."""
    return weight.abs() @ x.abs()


def agrees(trial, gemv, x, weight, **options):
    """Let ``trial`` judge one product: contract and memory first, then every number."""
    trial.parity(gemv, x, weight, reference=gemv_reference, scale=condition, **options)
