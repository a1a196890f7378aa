"""A float32 x of 40 × 24 full of ones, a w_gate of 72 × 24 full of ones, and a w_up of 72 × 24 with w_up[o, h] = o."""

import torch


def trace_case(gated_mlp):
    """Ragged along all three axes; every gate is 24, which is its own silu in float32, so out[i, o] = 24 · 24 · o."""
    x, w_gate = torch.ones(40, 24), torch.ones(72, 24)
    w_up = torch.arange(72, dtype=torch.float32)[:, None].expand(72, 24).contiguous()
    return {"x": x, "w_gate": w_gate, "w_up": w_up, "out": gated_mlp(x, w_gate, w_up)}
