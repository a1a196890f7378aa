"""What A3 is timed on: one head of 2048 tokens of 64, with order and without."""

import torch

from learning.bench import Peer, Row, Shape
from learning.lens import roofline
from learning.lessons.streaming_attention.reference import attention_reference

SHAPES = (
    Shape("causal", "2048 tokens of 64, one head, float16, causal", {"tokens": 2048, "width": 64, "causal": True}),
    Shape("full", "2048 tokens of 64, one head, float16, all keys", {"tokens": 2048, "width": 64, "causal": False}),
)
TINY = {"tokens": 70, "width": 16, "causal": True}
TUNED = ("skipping", "tuned")
oracle = attention_reference


def inputs(draw, tokens, width, causal):
    """q, k, v [tokens, width], float16, and whether a query sees no later key."""
    return tuple(draw.normal(tokens, width, dtype=torch.float16) for _ in range(3)), {"causal": causal}


def work(q, k, v, *, causal):
    """All three in, the result out; two products of D for each pair of a query and a key it sees."""
    tokens, width = q.shape
    pairs = tokens * (tokens + 1) // 2 if causal else tokens * tokens
    return roofline.tensors(q, k, v, q, flops=4 * width * pairs, tensor_cores=True)


def sdpa(q, k, v, *, causal):
    """PyTorch's attention with its choice of kernel, for one sequence of one head."""
    call = torch.nn.functional.scaled_dot_product_attention
    return call(q[None, None], k[None, None], v[None, None], is_causal=causal)[0, 0]


PEERS = (
    Peer("SDPA", sdpa, "PyTorch's attention, automatic backend: fp32 sums, P in fp16"),
    Peer("eager", attention_reference, "fp32 scores in memory, P rounded, one rounding"),
    Peer("torch.compile", attention_reference, "the same expression, compiled", compiled=True),
)
ROWS = (
    Row(
        "streaming attention N 2048, D 64, one head, causal: 15 µs where SDPA needs 22",
        "causal",
        "SDPA",
        15 / 22,
        answer="tuned",
    ),
    Row(
        "streaming attention N 2048, D 64, one head, full: 15 µs where SDPA needs 22",
        "full",
        "SDPA",
        15 / 22,
        answer="tuned",
    ),
)
