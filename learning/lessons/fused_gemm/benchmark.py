"""What I3 is timed on: 4096 cubed, where arithmetic decides, and the 512 × 2048 × 1024 of a small layer."""

import torch

from learning.bench import Peer, Row, Shape
from learning.lens import roofline
from learning.lessons.fused_gemm.reference import eager_matmul_bias_relu, matmul_bias_relu_reference

SHAPES = (
    Shape("4096 cubed", "[4096, 4096] times [4096, 4096], float16", {"rows": 4096, "inner": 4096, "columns": 4096}),
    Shape(
        "512 x 2048 x 1024", "[512, 2048] times [2048, 1024], float16", {"rows": 512, "inner": 2048, "columns": 1024}
    ),
)
TINY = {"rows": 17, "inner": 24, "columns": 40}
TUNED = ("tuned",)
EPILOGUE = "cuBLASLt epilogue"
oracle = matmul_bias_relu_reference


def inputs(draw, rows, inner, columns):
    """a [rows, inner], b [inner, columns] and bias [columns], float16; the bias is about as large as the sums."""
    a, b = draw.normal(rows, inner, dtype=torch.float16), draw.normal(inner, columns, dtype=torch.float16)
    return (a, b, draw.normal(columns, dtype=torch.float16, scale=inner**0.5)), {}


def work(a, b, bias):
    """Both matrices and the bias in, the result out; a multiplication and an addition for each of M · N · K, two for each result."""
    (rows, inner), columns = a.shape, b.shape[1]
    flops = 2 * rows * columns * (inner + 1)
    return roofline.tensors(a, b, bias, a.new_empty((rows, columns)), flops=flops, tensor_cores=True)


def epilogue(a, b, bias):
    """cuBLASLt's product with bias and ReLU in its epilogue, by the operator that ``torch.nn`` itself reaches it with.

    Private by name: the public ``torch.addmm`` and ``F.linear`` have no activation.
    """
    return torch._addmm_activation(bias, a, b, use_gelu=False)


PEERS = (
    Peer("eager", matmul_bias_relu_reference, "fp32 operands, fp32 product, bias and ReLU; rounded once"),
    Peer("three calls", eager_matmul_bias_relu, "16-bit product, bias and ReLU; rounded after the first two"),
    Peer("torch.compile", eager_matmul_bias_relu, "the three calls, compiled", compiled=True),
    Peer(EPILOGUE, epilogue, "torch._addmm_activation: fp32 sums, bias and ReLU, rounded once"),
)
ROWS = (
    Row(
        "GEMM + bias + ReLU 4096³ fp16: within 10 % of the cuBLASLt epilogue",
        "4096 cubed",
        EPILOGUE,
        1.1,
        answer="tuned",
    ),
)
