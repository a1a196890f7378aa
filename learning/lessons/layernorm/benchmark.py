"""What L3d is timed on: 4096 rows of 4096, and the 64 rows of a small batch."""

import torch

from learning.bench import Peer, Row, Shape
from learning.lens import roofline
from learning.lessons.layernorm.reference import layernorm_oracle, layernorm_reference

SHAPES = (
    Shape("4096 x 4096", "4096 rows of 4096, float16", {"rows": 4096, "columns": 4096}),
    Shape("64 x 4096", "64 rows of 4096, float16", {"rows": 64, "columns": 4096}),
)
TINY = {"rows": 5, "columns": 37}
oracle = layernorm_oracle


def inputs(draw, rows, columns):
    """x [rows, columns], weight around 1 and bias around 0 [columns], float16, and eps."""
    x = draw.normal(rows, columns, dtype=torch.float16)
    weight = draw.normal(columns, dtype=torch.float16, scale=0.25, offset=1.0)
    return (x, weight, draw.normal(columns, dtype=torch.float16, scale=0.5), 1e-5), {}


def work(x, weight, bias, eps):
    """The matrix in and out, weight and bias in; about seven operations an element."""
    return roofline.tensors(x, x, weight, bias, flops=7 * x.numel())


def spelled_out(x, weight, bias, eps):
    """The definition in fp32, line by line, for a compiler to fuse."""
    wide = x.float()
    deviation = wide - wide.mean(dim=1, keepdim=True)
    variance = deviation.square().mean(dim=1, keepdim=True)
    return (deviation * torch.rsqrt(variance + eps) * weight.float() + bias.float()).to(x.dtype)


def liger(x, weight, bias, eps):
    """The layer norm of the Liger library: one program a row."""
    from liger_kernel.ops.layer_norm import LigerLayerNormFunction

    return LigerLayerNormFunction.apply(x, weight, bias, eps)


PEERS = (
    Peer("F.layer_norm", layernorm_reference, "PyTorch's own kernel: fp32 inside, rounded once"),
    Peer("torch.compile", spelled_out, "fp32 inside, rounded once, compiled", compiled=True),
    Peer("Liger", liger, "fp32 inside, rounded once", needs="liger_kernel"),
)
ROWS = (
    Row("LayerNorm 4096²: at most F.layer_norm's time", "4096 x 4096", "F.layer_norm"),
    Row("LayerNorm 4096²: at most Liger's time", "4096 x 4096", "Liger"),
)
