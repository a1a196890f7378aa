"""What A2 is timed on: rows of 131072, 1024 of them and 64."""

import torch

from learning.bench import COPY, Peer, Row, Shape
from learning.lens import roofline
from learning.lessons.split_softmax.reference import softmax_oracle, softmax_reference

SHAPES = (
    Shape("1024 rows", "1024 rows of 131072, float16", {"rows": 1024, "columns": 131072}),
    Shape("64 rows", "64 rows of 131072, float16", {"rows": 64, "columns": 131072}),
)
TINY = {"rows": 3, "columns": 2100}
TUNED = ("tuned",)
oracle = softmax_oracle


def inputs(draw, rows, columns):
    """x [rows, columns], float16."""
    return (draw.normal(rows, columns, dtype=torch.float16),), {}


def work(x):
    """One read and one write of each element, though nobody here reads x once; about seven operations each."""
    return roofline.tensors(x, x, flops=7 * x.numel())


PEERS = (
    Peer("eager", softmax_reference, "PyTorch's softmax: fp32 inside, rounded once"),
    Peer("torch.compile", softmax_reference, "the same, compiled", compiled=True),
)
ROWS = (
    Row("split softmax 1024×131072 fp16, tuned: at most 0.69 of eager's time", "1024 rows", "eager", 0.69, "tuned"),
    Row("split softmax 1024×131072 fp16, tuned: at most 1.55 copies", "1024 rows", COPY, 1.55, "tuned"),
    Row("split softmax 64×131072 fp16, tuned: at most 0.34 of eager's time", "64 rows", "eager", 0.34, "tuned"),
)
