"""What L5 is timed on: 64 tokens, where reading the weights decides, and 2048, where arithmetic does."""

import torch

from learning.bench import Peer, Row, Shape
from learning.lens import roofline
from learning.lessons.gated_mlp.reference import eager_gated_mlp, gated_mlp_reference

SHAPES = (
    Shape("64 tokens", "x [64, 4096], weights [11008, 4096], float16", {"rows": 64, "inner": 4096, "outer": 11008}),
    Shape(
        "2048 tokens", "x [2048, 4096], weights [11008, 4096], float16", {"rows": 2048, "inner": 4096, "outer": 11008}
    ),
)
TINY = {"rows": 5, "inner": 24, "outer": 40}
TUNED = ("tuned",)
oracle = gated_mlp_reference


def inputs(draw, rows, inner, outer):
    """x [rows, inner] and both weights [outer, inner], float16, scaled so that gate and up have a spread of about 1."""
    x = draw.normal(rows, inner, dtype=torch.float16)
    w_gate = draw.normal(outer, inner, dtype=torch.float16, scale=inner**-0.5)
    return (x, w_gate, draw.normal(outer, inner, dtype=torch.float16, scale=inner**-0.5)), {}


def work(x, w_gate, w_up):
    """x and both weights in, the result out; two products of M · H · I multiplications and additions each."""
    (rows, inner), outer = x.shape, w_gate.shape[0]
    out = x.new_empty((rows, outer))
    return roofline.tensors(x, w_gate, w_up, out, flops=4 * rows * inner * outer, tensor_cores=True)


PEERS = (
    Peer("eager", eager_gated_mlp, "four calls in float16, each rounded"),
    Peer("torch.compile", eager_gated_mlp, "the same four lines, compiled", compiled=True),
)
ROWS = (Row("gated MLP, 64 tokens: ahead of eager", "64 tokens", "eager", answer="tuned"),)
