"""tl.dot takes float32 operands in TF32 from sm_80 on, ten bits of mantissa, unless it is told not to."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "asks_for_the_window_and_for_no_other_key"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def attend_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, q_head_stride, q_step_stride, k_head_stride, k_key_stride, v_head_stride,
    v_key_stride, steps, length, window, group, scale, D: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr,
):  # fmt: skip
    tiles = tl.cdiv(steps, QUERIES)
    head = tl.program_id(0) // tiles
    first = tl.program_id(0) % tiles * QUERIES
    query = first + tl.arange(0, QUERIES)
    exists = query < steps
    place = length - steps + query
    dims = tl.arange(0, D)
    q_at = head * q_head_stride + query[:, None] * q_step_stride + dims[None, :]
    q = tl.load(q_ptr + q_at, mask=exists[:, None], other=0.0)
    low = tl.maximum(length - steps + first - window + 1, 0)
    high = tl.minimum(length - steps + first + QUERIES, length)
    best = tl.full((QUERIES,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((QUERIES,), dtype=tl.float32)
    mixed = tl.zeros((QUERIES, D), dtype=tl.float32)
    for start in range(low, high, KEYS):
        key = start + tl.arange(0, KEYS)
        held = (key < high)[:, None]
        k_at = head // group * k_head_stride + key[:, None] * k_key_stride + dims[None, :]
        v_at = head // group * v_head_stride + key[:, None] * v_key_stride + dims[None, :]
        k = tl.load(k_ptr + k_at, mask=held, other=0.0)
        v = tl.load(v_ptr + v_at, mask=held, other=0.0)
        scores = tl.dot(q, tl.trans(k)) * scale
        seen = (key[None, :] <= place[:, None]) & (key[None, :] > place[:, None] - window)
        scores = tl.where(seen, scores, float("-inf"))
        newest = tl.maximum(best, tl.max(scores, axis=1))
        pinned = tl.where(newest == float("-inf"), 0.0, newest)
        weights = tl.exp(scores - pinned[:, None])
        fade = tl.exp(best - pinned)
        total = total * fade + tl.sum(weights, axis=1)
        mixed = mixed * fade[:, None] + tl.dot(weights.to(v.dtype), v)
        best = newest
    out = mixed / tl.where(exists, total, 1.0)[:, None]
    out_at = (head * steps + query[:, None]) * D + dims[None, :]
    tl.store(out_ptr + out_at, out.to(out_ptr.dtype.element_ty), mask=exists[:, None])


def attend(q, k_cache, v_cache, length, window):
    heads, steps, dims = q.shape
    out = torch.empty((heads, steps, dims), dtype=q.dtype, device=q.device)
    attend_kernel[(heads * triton.cdiv(steps, 16),)](
        q, k_cache, v_cache, out, q.stride(0), q.stride(1), k_cache.stride(0), k_cache.stride(1), v_cache.stride(0),
        v_cache.stride(1), steps, length, min(window, length), heads // k_cache.shape[0], dims**-0.5,
        D=dims, QUERIES=16, KEYS=32, num_warps=8 if dims == 128 else 4,
    )  # fmt: skip
    return out
