"""What C1 is timed on: one head of 16384 tokens of 64, and of 4096."""

import torch

from learning.bench import Peer, Shape
from learning.capstones.causal_schedule.given import eager_attention
from learning.lens import roofline

SHAPES = (
    Shape("16384 tokens", "16384 tokens of 64, one head, float16, causal", {"tokens": 16384, "width": 64}),
    Shape("4096 tokens", "4096 tokens of 64, one head, float16, causal", {"tokens": 4096, "width": 64}),
)
TINY = {"tokens": 70, "width": 16}
oracle = eager_attention


def inputs(draw, tokens, width):
    """q, k, v [tokens, width], float16."""
    return tuple(draw.normal(tokens, width, dtype=torch.float16) for _ in range(3)), {}


def work(q, k, v, *, block=32):
    """All three in, the result out; two products of D for each pair of a query and a key it sees."""
    tokens, width = q.shape
    return roofline.tensors(q, k, v, q, flops=2 * width * tokens * (tokens + 1), tensor_cores=True)


def sdpa(q, k, v):
    """PyTorch's attention with its choice of kernel, for one sequence of one head."""
    return torch.nn.functional.scaled_dot_product_attention(
        q[None, None], k[None, None], v[None, None], is_causal=True
    )[0, 0]


PEERS = (
    Peer("SDPA", sdpa, "PyTorch's attention, automatic backend: fp32 sums, P in fp16"),
    Peer("eager", eager_attention, "fp32 scores of 1024 queries in memory, P rounded, one rounding"),
)
