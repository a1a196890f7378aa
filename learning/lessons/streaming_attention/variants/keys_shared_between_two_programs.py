"""The keys are cut in two halves, whose unfinished results a second kernel merges."""

import torch
import triton
import triton.language as tl

MAX_TOKENS = 2048
DTYPES = (torch.float16, torch.bfloat16)
WIDTHS = (16, 32, 64)
STEPS = (32, 64)


@triton.jit
def attention_kernel(
    q_ptr,  # q[0, 0]; all four tensors are [N, D] and contiguous
    k_ptr,  # k[0, 0]
    v_ptr,  # v[0, 0]
    best_ptr,  # best[query, half]
    total_ptr,  # total[query, half]
    mixed_ptr,  # mixed[query, half, 0]
    n_tokens,  # N: queries, and keys
    scale,  # 1 / sqrt(D)
    CAUSAL: tl.constexpr,  # whether a query sees no key behind its own place
    D: tl.constexpr,  # numbers in a query, a key, a value: 16, 32 or 64
    BLOCK_M: tl.constexpr,  # queries one program owns
    BLOCK_N: tl.constexpr,  # keys it takes in one step
):
    """One program: BLOCK_M queries, which meet every tile of keys and values once."""
    query = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    exists = query < n_tokens
    q = tl.load(q_ptr + query[:, None] * D + dims[None, :], mask=exists[:, None], other=0.0)
    best = tl.full((BLOCK_M,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    mixed = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    half = tl.program_id(1)
    cut = tl.cdiv(n_tokens, 2)
    for start in range(half * cut, tl.minimum(n_tokens, half * cut + cut), BLOCK_N):
        key = start + tl.arange(0, BLOCK_N)
        held = key < tl.minimum(n_tokens, half * cut + cut)
        k = tl.load(k_ptr + key[:, None] * D + dims[None, :], mask=held[:, None], other=0.0)
        v = tl.load(v_ptr + key[:, None] * D + dims[None, :], mask=held[:, None], other=0.0)
        scores = tl.dot(q, tl.trans(k)) * scale
        seen = held[None, :]
        if CAUSAL:
            seen = seen & (key[None, :] <= query[:, None])
        scores = tl.where(seen, scores, float("-inf"))
        newest = tl.maximum(best, tl.max(scores, axis=1))
        pinned = tl.where(newest == float("-inf"), 0.0, newest)
        weights = tl.exp(scores - pinned[:, None])
        fade = tl.exp(best - pinned)
        total = total * fade + tl.sum(weights, axis=1)
        mixed = mixed * fade[:, None] + tl.dot(weights.to(v.dtype), v)
        best = newest
    place = query * 2 + half
    tl.store(best_ptr + place, best, mask=exists)
    tl.store(total_ptr + place, total, mask=exists)
    tl.store(mixed_ptr + place[:, None] * D + dims[None, :], mixed, mask=exists[:, None])


@triton.jit
def merge_kernel(best_ptr, total_ptr, mixed_ptr, out_ptr, n_tokens, D: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    dims = tl.arange(0, D)
    here, place = row < n_tokens, row[:, None] * D + dims[None, :]
    best = tl.load(best_ptr + row * 2, mask=here, other=0.0)
    other = tl.load(best_ptr + row * 2 + 1, mask=here, other=0.0)
    top = tl.maximum(best, other)
    first, second = tl.exp(best - top), tl.exp(other - top)
    total = tl.load(total_ptr + row * 2, mask=here, other=1.0) * first
    total += tl.load(total_ptr + row * 2 + 1, mask=here, other=0.0) * second
    halves = mixed_ptr + row[:, None] * (2 * D) + dims[None, :]
    mixed = tl.load(halves, mask=here[:, None], other=0.0) * first[:, None]
    mixed += tl.load(halves + D, mask=here[:, None], other=0.0) * second[:, None]
    tl.store(out_ptr + place, (mixed / total[:, None]).to(out_ptr.dtype.element_ty), mask=here[:, None])


def refuse(q, k, v, causal, block_n):
    """TypeError or ValueError, naming argument and limit, for whatever the contract of ``attention`` excludes."""
    for name, x in (("q", q), ("k", k), ("v", v)):
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"{name} must be a torch.Tensor, not {type(x).__name__}")
        if x.device.type != DEVICE or x.device != q.device:
            raise ValueError(f"{name} must be on the device in use, {DEVICE}, and on that of q; it is on {x.device}")
        if x.dtype not in DTYPES or x.dtype != q.dtype:
            raise TypeError(f"{name} must have dtype float16 or bfloat16, the same as q; it has {x.dtype}")
        if x.ndim != 2:
            raise ValueError(f"{name} must be 2-D, [N, D], not {x.ndim}-D")
        if x.shape != q.shape:
            raise ValueError(f"{name} must have the shape of q, {tuple(q.shape)}, not {tuple(x.shape)}")
        if x.shape[0] > MAX_TOKENS:
            raise ValueError(f"{name} must have N of at most {MAX_TOKENS}, not {x.shape[0]}")
        if x.shape[1] not in WIDTHS:
            raise ValueError(f"{name} must have D = 16, 32 or 64, not {x.shape[1]}")
        if not x.is_contiguous():
            raise ValueError(f"{name} must be contiguous; its strides are {x.stride()}")
        if x.requires_grad and torch.is_grad_enabled():
            raise ValueError(f"{name} must not require grad while autograd is on: there is no backward pass")
    if causal is not True and causal is not False:
        raise TypeError(f"causal must be True or False, not {causal!r}")
    if type(block_n) is not int or block_n not in STEPS:
        raise ValueError(f"block_n must be 32 or 64, not {block_n!r}")


def attention(q, k, v, *, causal, block_n=32):
    """Return for each query of ``q`` [N, D] the mixture of the values it sees: a fresh contiguous [N, D]."""
    refuse(q, k, v, causal, block_n)
    n_tokens, width = q.shape
    out = torch.empty((n_tokens, width), dtype=q.dtype, device=q.device)
    best, total = (torch.empty((n_tokens, 2), dtype=torch.float32, device=q.device) for _ in range(2))
    mixed = torch.empty((n_tokens, 2, width), dtype=torch.float32, device=q.device)
    queries = 1024 // block_n
    attention_kernel[(triton.cdiv(n_tokens, queries), 2)](
        q,
        k,
        v,
        best,
        total,
        mixed,
        n_tokens,
        width**-0.5,
        CAUSAL=causal,
        D=width,
        BLOCK_M=queries,
        BLOCK_N=block_n,
        num_warps=8,
    )
    merge_kernel[(triton.cdiv(n_tokens, 32),)](best, total, mixed, out, n_tokens, D=width, ROWS=32)
    return out
