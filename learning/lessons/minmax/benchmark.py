"""What L3c is timed on: 4096 rows of 4096, and the 64 rows of a small batch."""

import torch

from learning.bench import Peer, Row, Shape
from learning.lens import roofline
from learning.lessons.minmax.reference import minmax_oracle, minmax_reference

SHAPES = (
    Shape("4096 x 4096", "4096 rows of 4096, float16", {"rows": 4096, "columns": 4096}),
    Shape("64 x 4096", "64 rows of 4096, float16", {"rows": 64, "columns": 4096}),
)
TINY = {"rows": 5, "columns": 37}
oracle = minmax_oracle


def inputs(draw, rows, columns):
    """x [rows, columns], float16, and eps."""
    return (draw.normal(rows, columns, dtype=torch.float16), 1e-6), {}


def work(x, eps):
    """One read and one write of each element; four operations each: two comparisons, a subtraction, a division."""
    return roofline.tensors(x, x, flops=4 * x.numel())


PEERS = (
    Peer("eager", minmax_reference, "fp32 inside, rounded once"),
    Peer("torch.compile", minmax_reference, "the same expression, compiled", compiled=True),
)
ROWS = (Row("min-max 4096²: at most torch.compile's time", "4096 x 4096", "torch.compile"),)
