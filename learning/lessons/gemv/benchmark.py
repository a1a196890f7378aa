"""What L6 is timed on: the last layer of a small language model for one token, and a square layer that a large L2
holds."""

import torch

from learning.bench import Peer, Row, Shape
from learning.lens import roofline
from learning.lessons.gemv.reference import gemv_reference

SHAPES = (
    Shape("4096 to 32000", "32000 rows of 4096, float16", {"rows": 32000, "columns": 4096}),
    Shape("4096 to 4096", "4096 rows of 4096, float16", {"rows": 4096, "columns": 4096}),
)
TINY = {"rows": 21, "columns": 70}
TUNED = ("tuned",)
oracle = gemv_reference


def inputs(draw, rows, columns):
    """x [columns] and weight [rows, columns], float16, the weight small as a trained layer's."""
    x = draw.normal(columns, dtype=torch.float16)
    return (x, draw.normal(rows, columns, dtype=torch.float16, scale=0.02)), {}


def work(x, weight):
    """Every weight once, x in and the result out; a multiplication and an addition for each weight."""
    return roofline.tensors(weight, x, weight[:, 0], flops=2 * weight.numel())


def spelled_out(x, weight):
    """Products and sums in fp32, for a compiler to fuse."""
    return (weight.float() * x.float()).sum(dim=1).to(x.dtype)


PEERS = (
    Peer("F.linear", torch.nn.functional.linear, "the vendor's GEMV: fp32 inside, rounded once"),
    Peer("torch.compile", spelled_out, "fp32 products and sums, rounded once, compiled", compiled=True),
)
ROWS = (
    Row("GEMV 4096→32000 fp16: at most F.linear's time", "4096 to 32000", "F.linear"),
    Row("GEMV 4096→32000 fp16, tuned: at most F.linear's time", "4096 to 32000", "F.linear", answer="tuned"),
)
