"""What C3 is timed on: rows of 131072, 1024 of them and 256; and the two-pass kernel that it has to beat."""

import torch

from learning.bench import Peer, Row, Shape
from learning.capstones.wide_softmax.baseline import two_passes
from learning.capstones.wide_softmax.given import eager_softmax, true_softmax
from learning.lens import roofline

SHAPES = (
    Shape("1024 rows", "1024 rows of 131072, float16", {"rows": 1024, "columns": 131072}),
    Shape("256 rows", "256 rows of 131072, float16", {"rows": 256, "columns": 131072}),
)
TINY = {"rows": 2, "columns": 33000}
oracle = true_softmax


def inputs(draw, rows, columns):
    """x [rows, columns], float16."""
    return (draw.normal(rows, columns, dtype=torch.float16),), {}


def work(x):
    """One read and one write of each element; about seven operations each."""
    return roofline.tensors(x, x, flops=7 * x.numel())


PEERS = (
    Peer("eager", eager_softmax, "PyTorch's softmax: fp32 inside, rounded once"),
    Peer("torch.compile", eager_softmax, "the same, compiled", compiled=True),
    Peer(
        "two passes", two_passes, "groups of rows take turns in the cache: fp32 inside, rounded once; x is read twice"
    ),
)
ROWS = (Row("wide softmax 1024×131072 fp16: less time than the best two-pass kernel", "1024 rows", "two passes", 1.0),)
