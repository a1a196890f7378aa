"""What L1 is timed on: 64 Mi elements, where memory decides, and 4096, where the launch does."""

from learning.bench import COPY, Peer, Row, Shape
from learning.lens import roofline
from learning.lessons.vector_add.reference import add_reference

SHAPES = (
    Shape("64 Mi", "64 Mi float32 elements", {"length": 2**26}),
    Shape("4096", "4096 float32 elements", {"length": 4096}),
)
TINY = {"length": 2500}


def inputs(draw, length):
    """x and y [length], float32."""
    return (draw.normal(length), draw.normal(length)), {}


def work(x, y):
    """Two reads and one write of each element, one addition each."""
    return roofline.tensors(x, y, x, flops=x.numel())


def oracle(x, y):
    """The sum in float64."""
    return x + y


PEERS = (
    Peer("eager", add_reference, "fp32, rounded once"),
    Peer("torch.compile", add_reference, "the same expression, compiled", compiled=True),
)
ROWS = (Row("vector add: at least 0.97 of the copy ceiling", "64 Mi", COPY, 1 / 0.97),)
