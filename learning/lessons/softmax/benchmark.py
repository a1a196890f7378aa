"""What L3a is timed on: 8192 rows of 8192, beyond any cache, and 4096 rows of 4096, which an H200's L2 holds in part."""

import torch

from learning.bench import Peer, Row, Shape
from learning.lens import roofline
from learning.lessons.softmax.reference import softmax_oracle, softmax_reference

SHAPES = (
    Shape("8192 x 8192", "8192 rows of 8192, float16", {"rows": 8192, "columns": 8192}),
    Shape("4096 x 4096", "4096 rows of 4096, float16", {"rows": 4096, "columns": 4096}),
)
TINY = {"rows": 5, "columns": 37}
oracle = softmax_oracle


def inputs(draw, rows, columns):
    """x [rows, columns], float16."""
    return (draw.normal(rows, columns, dtype=torch.float16),), {}


def work(x):
    """One read and one write of each element; about five operations each: compare, subtract, exp, add, divide."""
    return roofline.tensors(x, x, flops=5 * x.numel())


def liger(x):
    """The softmax of the Liger library: one program a row."""
    from liger_kernel.ops.softmax import LigerSoftmaxFunction

    return LigerSoftmaxFunction.apply(x)


PEERS = (
    Peer("eager", softmax_reference, "fp32 inside, rounded once"),
    Peer("torch.compile", softmax_reference, "the same expression, compiled", compiled=True),
    Peer("Liger", liger, "fp32 inside, rounded once", needs="liger_kernel"),
)
ROWS = (Row("softmax 8192² fp16: at most Liger's time", "8192 x 8192", "Liger"),)
