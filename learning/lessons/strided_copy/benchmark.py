"""What L2 is timed on: a matrix of 8192 by 8192, turned and packed. Nothing is computed, so nothing is rounded."""

import torch

from learning.bench import COPY, Peer, Row, Shape
from learning.lens import roofline
from learning.lessons.strided_copy.reference import materialise_reference

SHAPES = (
    Shape("turned", "8192 rows of 8192, float16, transposed", {"rows": 8192, "columns": 8192, "turned": True}),
    Shape("packed", "8192 rows of 8192, float16, packed", {"rows": 8192, "columns": 8192, "turned": False}),
)
TINY = {"rows": 70, "columns": 37, "turned": True}


def inputs(draw, rows, columns, turned):
    """x [rows, columns], float16; a turned one has strides (1, rows)."""
    if turned:
        return (draw.normal(columns, rows, dtype=torch.float16).t(),), {}
    return (draw.normal(rows, columns, dtype=torch.float16),), {}


def work(x):
    """One read and one write of each element."""
    return roofline.tensors(x, x)


def oracle(x):
    """The same values."""
    return x


def contiguous(x):
    """What a PyTorch user would write; on a packed x it returns x itself and copies nothing."""
    return x.contiguous()


PEERS = (
    Peer("eager", materialise_reference, "clone: no arithmetic, the bits as they are"),
    Peer(".contiguous()", contiguous, "no arithmetic; copies nothing where x is packed"),
    Peer("torch.compile", materialise_reference, "clone, compiled", compiled=True),
)
ROWS = (
    Row("strided copy of a transposed 8192²: at least 0.7 of the copy ceiling", "turned", COPY, 1 / 0.7),
    Row("strided copy of a transposed 8192²: ahead of .contiguous()", "turned", ".contiguous()"),
)
