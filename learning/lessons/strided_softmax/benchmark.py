"""What I1 is timed on: 4096 rows of 8192, transposed and packed."""

import torch

from learning.bench import COPY, Peer, Row, Shape
from learning.lens import roofline
from learning.lessons.strided_softmax.reference import softmax_oracle, softmax_reference

SHAPES = (
    Shape("transposed", "4096 rows of 8192, float16, transposed", {"rows": 4096, "columns": 8192, "turned": True}),
    Shape("packed", "4096 rows of 8192, float16, packed", {"rows": 4096, "columns": 8192, "turned": False}),
)
TINY = {"rows": 16, "columns": 37, "turned": True}
TUNED = ("tuned",)
oracle = softmax_oracle


def inputs(draw, rows, columns, turned):
    """x [rows, columns], float16; a transposed one has strides (1, rows)."""
    if turned:
        return (draw.normal(columns, rows, dtype=torch.float16).t(),), {}
    return (draw.normal(rows, columns, dtype=torch.float16),), {}


def work(x):
    """One read and one write of each element; about five operations each."""
    return roofline.tensors(x, x, flops=5 * x.numel())


def copied_first(x):
    """A packed copy, then PyTorch's softmax of it."""
    return torch.softmax(x.contiguous(), dim=1)


PEERS = (
    Peer("eager", softmax_reference, "fp32 inside, rounded once, then packed"),
    Peer("torch.compile", softmax_reference, "the same expression, compiled", compiled=True),
    Peer("copy, then softmax", copied_first, "a copy of the bits; fp32 inside, rounded once"),
)
ROWS = (
    Row(
        "softmax of a transposed 4096×8192 fp16, tuned: at most 0.6 of torch.compile's time",
        "transposed",
        "torch.compile",
        0.6,
        answer="tuned",
    ),
    Row("softmax of a transposed 4096×8192 fp16, tuned: at most 1.58 copies", "transposed", COPY, 1.58, "tuned"),
)
