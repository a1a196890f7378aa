"""Keys past the end need the score −inf: their own 0 is an ordinary score and takes its share of the weights."""

import torch
import triton
import triton.language as tl

from learning.ledger.exhibit import COMPILED, bites, case

KEYS, BLOCK, D = 100, 128, 64


@triton.jit
def wrong_scores_kernel(q_ptr, k_ptr, v_ptr, out_ptr, n, scale, BLOCK: tl.constexpr, D: tl.constexpr):
    cols, d = tl.arange(0, BLOCK), tl.arange(0, D)
    held = (cols < n)[:, None]
    q = tl.load(q_ptr + d)
    k = tl.load(k_ptr + cols[:, None] * D + d[None, :], mask=held, other=0.0)
    v = tl.load(v_ptr + cols[:, None] * D + d[None, :], mask=held, other=0.0)
    s = tl.sum(q[None, :] * k, axis=1) * scale
    p = tl.exp(s - tl.max(s, axis=0))
    tl.store(out_ptr + d, tl.sum(p[:, None] * v, axis=0) / tl.sum(p, axis=0))


@triton.jit
def right_scores_kernel(q_ptr, k_ptr, v_ptr, out_ptr, n, scale, BLOCK: tl.constexpr, D: tl.constexpr):
    cols, d = tl.arange(0, BLOCK), tl.arange(0, D)
    held = (cols < n)[:, None]
    q = tl.load(q_ptr + d)
    k = tl.load(k_ptr + cols[:, None] * D + d[None, :], mask=held, other=0.0)
    v = tl.load(v_ptr + cols[:, None] * D + d[None, :], mask=held, other=0.0)
    s = tl.sum(q[None, :] * k, axis=1) * scale
    s = tl.where(cols < n, s, -float("inf"))
    p = tl.exp(s - tl.max(s, axis=0))
    tl.store(out_ptr + d, tl.sum(p[:, None] * v, axis=0) / tl.sum(p, axis=0))


@case(COMPILED)
def padded_keys_that_score_zero(device):
    """28 of 128 keys do not exist, and without a mask on the scores each of them gets a weight."""
    draw = torch.Generator().manual_seed(4)
    q, k, v = torch.randn(D, generator=draw), torch.randn(KEYS, D, generator=draw), torch.randn(KEYS, D, generator=draw)
    true = torch.softmax(k.double() @ q.double() * D**-0.5, dim=0) @ v.double()
    error = {}
    for kernel in (wrong_scores_kernel, right_scores_kernel):
        out = torch.empty(D, device=device)
        kernel[(1,)](q.to(device), k.to(device), v.to(device), out, KEYS, D**-0.5, BLOCK=BLOCK, D=D)
        error[kernel] = ((out.cpu().double() - true).norm() / true.norm()).item()
    wrong, right = error.values()
    return bites(wrong > 1e-2, f"{wrong:.0%} off", "right" if right < 1e-5 else f"{right:.1e} off")
