"""What L3b is timed on: 4096 rows of 4096, and the 64 rows of a small batch."""

import torch

from learning.bench import Peer, Row, Shape
from learning.lens import roofline
from learning.lessons.rmsnorm_residual.reference import rmsnorm_residual_oracle_in, rmsnorm_residual_reference

SHAPES = (
    Shape("4096 x 4096", "4096 rows of 4096, float16", {"rows": 4096, "columns": 4096}),
    Shape("64 x 4096", "64 rows of 4096, float16", {"rows": 64, "columns": 4096}),
)
TINY = {"rows": 5, "columns": 37}
oracle = rmsnorm_residual_oracle_in(torch.float16)


def inputs(draw, rows, columns):
    """x and residual [rows, columns], weight [columns] around 1, eps."""
    x = draw.normal(rows, columns, dtype=torch.float16)
    residual = draw.normal(rows, columns, dtype=torch.float16)
    return (x, residual, draw.normal(columns, dtype=torch.float16, scale=0.25, offset=1.0), 1e-6), {}


def work(x, residual, weight, eps):
    """Two matrices and the weight in, two matrices out; about five operations an element."""
    return roofline.tensors(x, residual, weight, x, x, flops=5 * x.numel())


def norm_of_torch(x, residual, weight, eps):
    """``F.rms_norm`` of the sum, two calls."""
    summed = x + residual
    return torch.nn.functional.rms_norm(summed, (x.shape[1],), weight, eps), summed


PEERS = (
    Peer("eager", rmsnorm_residual_reference, "the sum rounded to fp16; the norm in fp32, rounded once"),
    Peer("torch.compile", rmsnorm_residual_reference, "the same expression, compiled", compiled=True),
    Peer("F.rms_norm", norm_of_torch, "the sum rounded to fp16; the norm as PyTorch's own function rounds it"),
)
ROWS = (Row("RMSNorm + residual 4096²: at most torch.compile's time", "4096 x 4096", "torch.compile"),)
