"""L7 from memory: scores bent by tanh before the mask."""

import torch
import triton
import triton.language as tl


def reference(q, k_cache, v_cache, length, window, cap):
    group = q.shape[0] // k_cache.shape[0]
    keys = k_cache[:, :length].float().repeat_interleave(group, dim=0)
    scores = q.float() @ keys.transpose(1, 2) / q.shape[2] ** 0.5
    scores = cap * torch.tanh(scores / cap)
    place = torch.arange(length - q.shape[1], length, device=q.device)[:, None]
    key = torch.arange(length, device=q.device)[None, :]
    scores = scores.masked_fill((key > place) | (key <= place - window), -torch.inf)
    values = v_cache[:, :length].float().repeat_interleave(group, dim=0)
    return (torch.softmax(scores, dim=-1).to(q.dtype).float() @ values).to(q.dtype)


@triton.jit
def capped_kernel(
    q_ptr,  # q[0, 0, 0]
    k_ptr,  # k_cache[0, 0, 0]
    v_ptr,  # v_cache[0, 0, 0]
    out_ptr,  # out[0, 0, 0]; packed
    q_head_stride,  # elements from q[h, t, 0] to q[h + 1, t, 0]
    q_step_stride,  # elements from q[h, t, 0] to q[h, t + 1, 0]
    k_head_stride,  # elements from k_cache[h, p, 0] to k_cache[h + 1, p, 0]
    k_key_stride,  # elements from k_cache[h, p, 0] to k_cache[h, p + 1, 0]
    v_head_stride,  # the same for v_cache
    v_key_stride,
    steps,  # T, the new tokens
    length,  # valid keys in the caches, the new ones included
    window,  # how many keys a query sees at most, its own included; no larger than length here
    group,  # query heads that share one key head
    scale,  # 1 / sqrt(D)
    cap,  # scores never exceed it
    D: tl.constexpr,  # numbers in a head: 16, 32, 64 or 128
    QUERIES: tl.constexpr,  # queries one program owns: a power of two, at least 16 for tl.dot
    KEYS: tl.constexpr,  # keys it takes in one step: a power of two, at least 16 for tl.dot
):
    """One program, QUERIES queries of one head: they are read once, and so is every key that one of them sees."""
    tiles = tl.cdiv(steps, QUERIES)
    head = tl.program_id(0) // tiles
    first = tl.program_id(0) % tiles * QUERIES
    query = first + tl.arange(0, QUERIES)
    exists = query < steps
    place = length - steps + query
    dims = tl.arange(0, D)
    q_offsets = head * q_head_stride + query[:, None] * q_step_stride + dims[None, :]
    q = tl.load(q_ptr + q_offsets, mask=exists[:, None], other=0.0)
    low = tl.maximum(length - steps + first - window + 1, 0)
    high = tl.minimum(length - steps + first + QUERIES, length)
    k_head_ptr = k_ptr + head // group * k_head_stride
    v_head_ptr = v_ptr + head // group * v_head_stride
    best = tl.full((QUERIES,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((QUERIES,), dtype=tl.float32)
    mixed = tl.zeros((QUERIES, D), dtype=tl.float32)
    for start in range(low, high, KEYS):
        key = start + tl.arange(0, KEYS)
        held = key < high
        k = tl.load(k_head_ptr + key[:, None] * k_key_stride + dims[None, :], mask=held[:, None], other=0.0)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        small = tl.exp(-2 * tl.abs(scores) / cap)
        bent = cap * (1 - small) / (1 + small)
        scores = tl.where(scores < 0, -bent, bent)
        seen = (key[None, :] <= place[:, None]) & (key[None, :] > place[:, None] - window)
        scores = tl.where(seen, scores, float("-inf"))
        newest = tl.maximum(best, tl.max(scores, axis=1))
        pinned = tl.where(newest == float("-inf"), 0.0, newest)
        weights = tl.exp(scores - pinned[:, None])
        fade = tl.exp(best - pinned)
        v = tl.load(v_head_ptr + key[:, None] * v_key_stride + dims[None, :], mask=held[:, None], other=0.0)
        total = total * fade + tl.sum(weights, axis=1)
        mixed = mixed * fade[:, None] + tl.dot(weights.to(v.dtype), v, input_precision="ieee")
        best = newest
    out = mixed / tl.where(exists, total, 1.0)[:, None]
    out_offsets = (head * steps + query[:, None]) * D + dims[None, :]
    tl.store(out_ptr + out_offsets, out.to(out_ptr.dtype.element_ty), mask=exists[:, None])


def attend_capped(q, k_cache, v_cache, length, window, cap):
    """Return for each query of ``q`` [Hq, T, D] its mixture of the values it sees, a fresh packed [Hq, T, D]."""
    heads, steps, dims = q.shape
    out = torch.empty((heads, steps, dims), dtype=q.dtype, device=q.device)
    capped_kernel[(heads * triton.cdiv(steps, 16),)](
        q, k_cache, v_cache, out, q.stride(0), q.stride(1), k_cache.stride(0), k_cache.stride(1), v_cache.stride(0),
        v_cache.stride(1), steps, length, min(window, length), heads // k_cache.shape[0], dims**-0.5, cap,
        D=dims, QUERIES=16, KEYS=32, num_warps=8 if dims == 128 else 4,
    )  # fmt: skip
    return out
