"""What L7 is timed on: a decode step with a window of 4096 in a longer cache, and a prompt of 512 tokens."""

import torch

from learning.bench import Peer, Row, Shape
from learning.lens import roofline
from learning.lessons.cached_attention.reference import attend_reference

SHAPES = (
    Shape(
        "decode",
        "32 heads over 8 of 128, 1 token, a window of 4096 in 6000 of 8192 keys, float16",
        {"steps": 1, "length": 6000, "window": 4096},
    ),
    Shape(
        "prompt",
        "32 heads over 8 of 128, 512 tokens, 512 keys, float16",
        {"steps": 512, "length": 512, "window": 512},
    ),
)
TINY = {"steps": 3, "length": 40, "window": 17, "heads": 4, "kv_heads": 2, "dims": 16, "capacity": 48}
TUNED = ("tuned",)
oracle = attend_reference


def inputs(draw, steps, length, window, heads=32, kv_heads=8, dims=128, capacity=8192):
    """q [heads, steps, dims], two caches [kv_heads, capacity, dims], float16, length and window."""
    q = draw.normal(heads, steps, dims, dtype=torch.float16)
    k, v = (draw.normal(kv_heads, capacity, dims, dtype=torch.float16) for _ in range(2))
    return (q, k, v, length, window), {}


def work(q, k_cache, v_cache, length, window):
    """Queries in, results out, and each key and value that some query sees once; two products of D for each pair that
    is seen."""
    steps = q.shape[1]
    places = range(length - steps, length)
    pairs = sum(min(p + 1, window) for p in places)
    first = max(0, length - steps - window + 1)
    window_of = [cache[:, first:length] if steps else cache[:, :0] for cache in (k_cache, v_cache)]
    flops = 4 * q.shape[0] * q.shape[2] * pairs
    return roofline.tensors(q, *window_of, q, flops=flops, tensor_cores=q.dtype != torch.float32)


def sdpa(q, k_cache, v_cache, length, window):
    """PyTorch's attention with its choice of kernel, on the slice of the keys that the queries see; masked where it
    must be."""
    steps, mask = q.shape[1], None
    first = max(0, length - steps - window + 1)
    k, v = (cache[None, :, first:length] for cache in (k_cache, v_cache))
    if steps > 1 and (window < length or steps < length):
        place = torch.arange(length - steps, length, device=q.device)[:, None]
        key = torch.arange(first, length, device=q.device)[None, :]
        mask = (key <= place) & (key > place - window)
    call = torch.nn.functional.scaled_dot_product_attention
    return call(q[None], k, v, attn_mask=mask, is_causal=steps > 1 and mask is None, enable_gqa=True)[0]


PEERS = (
    Peer("SDPA", sdpa, "PyTorch's attention, automatic backend, on the slice: fp32 sums, P in fp16"),
    Peer("eager", attend_reference, "fp32 scores in memory, P rounded, one rounding"),
    Peer("torch.compile", attend_reference, "the same expression, compiled", compiled=True),
)
ROWS = (
    Row(
        "decode attention 32/8 heads, D 128, window 4096: ahead of SDPA on the slice", "decode", "SDPA", answer="tuned"
    ),
)
