"""What I2 is timed on: 4096 rows of 4096, y and g packed, and the same with g transposed."""

import torch

from learning.bench import Peer, Row, Shape
from learning.lens import roofline
from learning.lessons.softmax_backward.reference import backward_oracle, backward_reference

SHAPES = (
    Shape("packed", "4096 rows of 4096, float16", {"rows": 4096, "columns": 4096, "turned": False}),
    Shape("g transposed", "4096 rows of 4096, float16, g transposed", {"rows": 4096, "columns": 4096, "turned": True}),
)
TINY = {"rows": 5, "columns": 37, "turned": True}
TUNED = ("tuned",)
oracle = backward_oracle


def inputs(draw, rows, columns, turned):
    """y [rows, columns], a softmax rounded to float16, and g; a transposed g has strides (1, rows)."""
    y = torch.softmax(draw.normal(rows, columns), dim=1).half()
    if turned:
        return (y, draw.normal(columns, rows, dtype=torch.float16).t()), {}
    return (y, draw.normal(rows, columns, dtype=torch.float16)), {}


def work(y, g):
    """Two matrices in, one out; a product and a sum, then a difference and a product for each element."""
    return roofline.tensors(y, g, y, flops=4 * y.numel())


def built_in(y, g):
    """The kernel that PyTorch's own autograd launches for a softmax."""
    return torch.ops.aten._softmax_backward_data(g, y, 1, y.dtype).contiguous()


PEERS = (
    Peer("eager", backward_reference, "an fp32 expression, rounded once"),
    Peer("torch.compile", backward_reference, "the same expression, compiled", compiled=True),
    Peer("PyTorch's own", built_in, "aten's kernel: fp32 inside, rounded once"),
)
ROWS = (
    Row("softmax backward 4096² fp16: at most torch.compile's time", "packed", "torch.compile"),
    Row("softmax backward 4096² fp16, tuned: at most torch.compile's time", "packed", "torch.compile", answer="tuned"),
)
