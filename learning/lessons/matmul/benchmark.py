"""What L4 is timed on: 4096 cubed, where arithmetic decides, and the 512 × 2048 × 1024 of a small layer."""

import torch

from learning.bench import Peer, Row, Shape
from learning.lens import roofline
from learning.lessons.matmul.reference import matmul_reference

SHAPES = (
    Shape("4096 cubed", "[4096, 4096] times [4096, 4096], float16", {"rows": 4096, "inner": 4096, "columns": 4096}),
    Shape(
        "512 x 2048 x 1024", "[512, 2048] times [2048, 1024], float16", {"rows": 512, "inner": 2048, "columns": 1024}
    ),
)
TINY = {"rows": 17, "inner": 24, "columns": 40}
TUNED = ("tuned",)
oracle = matmul_reference


def inputs(draw, rows, inner, columns):
    """a [rows, inner] and b [inner, columns], float16."""
    return (draw.normal(rows, inner, dtype=torch.float16), draw.normal(inner, columns, dtype=torch.float16)), {}


def work(a, b):
    """Both matrices in, their product out; a multiplication and an addition for each of M · N · K."""
    (rows, inner), columns = a.shape, b.shape[1]
    return roofline.tensors(a, b, a.new_empty((rows, columns)), flops=2 * rows * columns * inner, tensor_cores=True)


PEERS = (
    Peer("cuBLAS", matmul_reference, "torch.matmul: 16-bit operands, fp32 sums, rounded once"),
    Peer("torch.compile", matmul_reference, "the same call, compiled", compiled=True),
)
ROWS = (Row("matmul 4096³ fp16: at least 0.85 of cuBLAS", "4096 cubed", "cuBLAS", 1 / 0.85, answer="tuned"),)
