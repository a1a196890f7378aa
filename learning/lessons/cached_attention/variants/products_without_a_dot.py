"""One query a program, and no tl.dot: products are taken by broadcasting and added by tl.sum."""

import torch
import triton
import triton.language as tl


@triton.jit
def query_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, q_head_stride, q_step_stride, k_head_stride, k_key_stride, v_head_stride,
    v_key_stride, steps, length, window, group, scale, D: tl.constexpr, KEYS: tl.constexpr,
):  # fmt: skip
    head, query = tl.program_id(0) // steps, tl.program_id(0) % steps
    place = length - steps + query
    dims = tl.arange(0, D)
    q = tl.load(q_ptr + head * q_head_stride + query * q_step_stride + dims).to(tl.float32) * scale
    best = float("-inf")
    total = tl.zeros((KEYS,), dtype=tl.float32)
    mixed = tl.zeros((D,), dtype=tl.float32)
    for start in range(tl.maximum(place - window + 1, 0), place + 1, KEYS):
        key = start + tl.arange(0, KEYS)
        held = key <= place
        k = tl.load(
            k_ptr + head // group * k_head_stride + key[:, None] * k_key_stride + dims[None, :],
            mask=held[:, None],
            other=0.0,
        )
        v = tl.load(
            v_ptr + head // group * v_head_stride + key[:, None] * v_key_stride + dims[None, :],
            mask=held[:, None],
            other=0.0,
        )
        scores = tl.where(held, tl.sum(q[None, :] * k.to(tl.float32), axis=1), float("-inf"))
        newest = tl.maximum(best, tl.max(scores, axis=0))
        fade = tl.exp(best - newest)
        weights = tl.exp(scores - newest)
        total = total * fade + weights
        mixed = mixed * fade + tl.sum(weights.to(v.dtype).to(tl.float32)[:, None] * v.to(tl.float32), axis=0)
        best = newest
    out = mixed / tl.sum(total, axis=0)
    tl.store(out_ptr + tl.program_id(0) * D + dims, out.to(out_ptr.dtype.element_ty))


def attend(q, k_cache, v_cache, length, window):
    heads, steps, dims = q.shape
    out = torch.empty((heads, steps, dims), dtype=q.dtype, device=q.device)
    query_kernel[(heads * steps,)](
        q, k_cache, v_cache, out, q.stride(0), q.stride(1), k_cache.stride(0), k_cache.stride(1), v_cache.stride(0),
        v_cache.stride(1), steps, length, min(window, length), heads // k_cache.shape[0], dims**-0.5, D=dims, KEYS=64,
    )  # fmt: skip
    return out
