"""float16 q, k and v of 144 tokens of 16, in tiles of 16: the same query and key everywhere, and token i has the value i."""

import torch


def trace_case(attention, attention_reference):
    """All scores are equal, so row i is the mean of 0 … i, which is i / 2; 9 tiles, 45 visits."""
    q = torch.ones(144, 16, dtype=torch.float16)
    v = torch.arange(144.0)[:, None].repeat(1, 16).half()
    k = torch.ones(144, 16, dtype=torch.float16)
    return {"q": q, "k": k, "v": v, "out": attention(q, k, v, block=16)}
