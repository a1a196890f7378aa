"""The supplied answer of A3: attention over tiles of keys that are seen once; then without the future, and shared out."""

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
    out_ptr,  # out[0, 0]
    n_tokens,  # N: queries, and keys
    scale,  # 1 / sqrt(D)
    CAUSAL: tl.constexpr,  # whether a query sees no key behind its own place
    D: tl.constexpr,  # numbers in a query, a key, a value: 16, 32 or 64
    BLOCK_M: tl.constexpr,  # queries one program owns
    BLOCK_N: tl.constexpr,  # keys it takes in one step
):
    """One program: BLOCK_M queries, which meet every tile of keys and values once."""
    # 1. Which queries are mine, which of them exist? Load them once, [BLOCK_M, D]; 0 where there is none.
    # 2. What is known before the first key, for each query: the largest score, the sum of weights, the mixture [BLOCK_M, D].
    # 3. A step: BLOCK_N keys and their values. Which of them exist? Scores by tl.dot, times scale, in float32.
    # 4. Who sees whom? Keys that exist; if CAUSAL, none behind the query. Minus infinity everywhere else. (tl.where)
    # 5. The new maximum; the weights against it; the factor by which the old sum and the old mixture shrink.
    # 6. Both brought up to date: the sum with the weights as they are, the mixture with weights in the dtype of v.
    # 7. After the last tile: mixture over sum, one cast, stored for the queries that exist.
    ### BEGIN SOLUTION
    query = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    exists = query < n_tokens
    q = tl.load(q_ptr + query[:, None] * D + dims[None, :], mask=exists[:, None], other=0.0)
    best = tl.full((BLOCK_M,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    mixed = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    for start in range(0, n_tokens, BLOCK_N):
        key = start + tl.arange(0, BLOCK_N)
        held = key < n_tokens
        k = tl.load(k_ptr + key[:, None] * D + dims[None, :], mask=held[:, None], other=0.0)
        v = tl.load(v_ptr + key[:, None] * D + dims[None, :], mask=held[:, None], other=0.0)
        scores = tl.dot(q, tl.trans(k)) * scale
        seen = held[None, :]
        if CAUSAL:
            seen = seen & (key[None, :] <= query[:, None])
        scores = tl.where(seen, scores, float("-inf"))
        newest = tl.maximum(best, tl.max(scores, axis=1))
        weights = tl.exp(scores - newest[:, None])
        fade = tl.exp(best - newest)
        total = total * fade + tl.sum(weights, axis=1)
        mixed = mixed * fade[:, None] + tl.dot(weights.to(v.dtype), v)
        best = newest
    out = mixed / total[:, None]
    tl.store(out_ptr + query[:, None] * D + dims[None, :], out.to(out_ptr.dtype.element_ty), mask=exists[:, None])
    ### END SOLUTION


def refuse(q, k, v, causal, block_n):
    """TypeError or ValueError, naming argument and limit, for whatever the contract of ``attention`` excludes."""
    # 1. Each of the three: a tensor, on DEVICE, of a dtype in DTYPES, 2-D, contiguous, without a gradient to lose.
    # 2. Together: k and v have the dtype and the shape of q.
    # 3. N up to MAX_TOKENS, D in WIDTHS.
    # 4. The options: causal is True or False; block_n one of STEPS, and an int, which True is too in Python.
    ### BEGIN SOLUTION
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
    ### END SOLUTION


def attention(q, k, v, *, causal, block_n=32):
    """Return for each query of ``q`` [N, D] the mixture of the values it sees: a fresh contiguous [N, D]."""
    # 1. Refuse first. (refuse)
    # 2. Make room for the result. (torch.empty)
    # 3. A tile of scores has 1024 of them: 32 queries by 32 keys, or 16 by 64. How many programs is that? (triton.cdiv)
    # 4. Launch: the scale is D to the power -1/2; CAUSAL, D, BLOCK_M, BLOCK_N=block_n, num_warps=8. Return the result.
    ### BEGIN SOLUTION
    refuse(q, k, v, causal, block_n)
    n_tokens, width = q.shape
    out = torch.empty((n_tokens, width), dtype=q.dtype, device=q.device)
    queries = 1024 // block_n
    attention_kernel[(triton.cdiv(n_tokens, queries),)](
        q, k, v, out, n_tokens, width**-0.5, CAUSAL=causal, D=width, BLOCK_M=queries, BLOCK_N=block_n, num_warps=8
    )
    return out
    ### END SOLUTION


@triton.jit
def skipping_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    n_tokens,
    scale,
    CAUSAL: tl.constexpr,
    D: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """As ``attention_kernel``, but the walk ends with the last key that one of the program's queries sees."""
    # 1. Where may the walk end? Without CAUSAL at N; with it, behind my last query's own key, and not behind N.
    # 2. Which keys of the last step are held now?
    # 3. Everything else stays. Which tiles still need the comparison of key and query?
    ### BEGIN SOLUTION
    first = tl.program_id(0) * BLOCK_M
    query = first + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    exists = query < n_tokens
    q = tl.load(q_ptr + query[:, None] * D + dims[None, :], mask=exists[:, None], other=0.0)
    best = tl.full((BLOCK_M,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    mixed = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    end = n_tokens
    if CAUSAL:
        end = tl.minimum(n_tokens, first + BLOCK_M)
    for start in range(0, end, BLOCK_N):
        key = start + tl.arange(0, BLOCK_N)
        held = key < end
        k = tl.load(k_ptr + key[:, None] * D + dims[None, :], mask=held[:, None], other=0.0)
        v = tl.load(v_ptr + key[:, None] * D + dims[None, :], mask=held[:, None], other=0.0)
        scores = tl.dot(q, tl.trans(k)) * scale
        seen = held[None, :]
        if CAUSAL:
            seen = seen & (key[None, :] <= query[:, None])
        scores = tl.where(seen, scores, float("-inf"))
        newest = tl.maximum(best, tl.max(scores, axis=1))
        weights = tl.exp(scores - newest[:, None])
        fade = tl.exp(best - newest)
        total = total * fade + tl.sum(weights, axis=1)
        mixed = mixed * fade[:, None] + tl.dot(weights.to(v.dtype), v)
        best = newest
    out = mixed / total[:, None]
    tl.store(out_ptr + query[:, None] * D + dims[None, :], out.to(out_ptr.dtype.element_ty), mask=exists[:, None])
    ### END SOLUTION


def skipping(q, k, v, *, causal, block_n=32):
    """The contract of ``attention``, by a walk that leaves out tiles that lie wholly in the future."""
    # 4. As attention, with the other kernel.
    ### BEGIN SOLUTION
    refuse(q, k, v, causal, block_n)
    n_tokens, width = q.shape
    out = torch.empty((n_tokens, width), dtype=q.dtype, device=q.device)
    queries = 1024 // block_n
    skipping_kernel[(triton.cdiv(n_tokens, queries),)](
        q, k, v, out, n_tokens, width**-0.5, CAUSAL=causal, D=width, BLOCK_M=queries, BLOCK_N=block_n, num_warps=8
    )
    return out
    ### END SOLUTION


def pieces():
    """The configurations that the autotuner tries on this machine: 4 to 8 on a GPU, one where nothing can be timed."""
    # 1. Tiles for FMA: 32 queries and 32 or 16 keys, 4 or 8 warps. (triton.Config)
    # 2. Where the capability is (8, 0) or more: 64 queries and 32, 64 or 128 keys, for tensor cores.
    ### BEGIN SOLUTION
    small = [
        triton.Config({"BLOCK_M": 32, "BLOCK_N": 32}, num_warps=8),
        triton.Config({"BLOCK_M": 32, "BLOCK_N": 32}, num_warps=4),
        triton.Config({"BLOCK_M": 32, "BLOCK_N": 16}, num_warps=4),
        triton.Config({"BLOCK_M": 16, "BLOCK_N": 32}, num_warps=4),
    ]
    wide = [
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 32}, num_warps=4, num_stages=3),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64}, num_warps=4, num_stages=2),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64}, num_warps=4, num_stages=3),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64}, num_warps=4, num_stages=4),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128}, num_warps=4, num_stages=2),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128}, num_warps=8, num_stages=2),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 64}, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 32, "BLOCK_N": 64}, num_warps=4, num_stages=3),
    ]
    if not torch.cuda.is_available():
        return small[:1]
    return wide if torch.cuda.get_device_capability() >= (8, 0) else small
    ### END SOLUTION


@triton.autotune(configs=pieces(), key=["n_tokens", "parts", "CAUSAL", "D"])
@triton.jit
def part_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    best_ptr,  # best[query, part]: the largest score a query meets in a part, in units of log2(e); float32
    total_ptr,  # total[query, part]: its sum of weights against that; float32
    mixed_ptr,  # mixed[query, part, 0]: its mixture, not yet divided by the sum; float32
    n_tokens,
    scale,  # log2(e) / sqrt(D): weights are powers of two
    parts,  # into how many parts the keys are cut
    part_keys,  # keys in a part, a multiple of 128
    CAUSAL: tl.constexpr,
    D: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """One program: BLOCK_M queries and one part of the keys; what it found is stored unfinished."""
    # 3. Which queries, which part? Where does the part begin and end, the future left out? It may be empty.
    # 4. The same walk over that stretch. A query may see nothing in it: which number can be subtracted instead of -inf?
    # 5. No division: store best, total and mixed.
    ### BEGIN SOLUTION
    first = tl.program_id(0) * BLOCK_M
    part = tl.program_id(1)
    query = first + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    exists = query < n_tokens
    q = tl.load(q_ptr + query[:, None] * D + dims[None, :], mask=exists[:, None], other=0.0)
    best = tl.full((BLOCK_M,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    mixed = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    low = part * part_keys
    high = tl.minimum(n_tokens, low + part_keys)
    if CAUSAL:
        high = tl.minimum(high, first + BLOCK_M)
    for start in range(low, high, BLOCK_N):
        key = start + tl.arange(0, BLOCK_N)
        held = key < high
        k = tl.load(k_ptr + key[:, None] * D + dims[None, :], mask=held[:, None], other=0.0)
        v = tl.load(v_ptr + key[:, None] * D + dims[None, :], mask=held[:, None], other=0.0)
        scores = tl.dot(q, tl.trans(k)) * scale
        seen = held[None, :]
        if CAUSAL:
            seen = seen & (key[None, :] <= query[:, None])
        scores = tl.where(seen, scores, float("-inf"))
        newest = tl.maximum(best, tl.max(scores, axis=1))
        pinned = tl.where(newest == float("-inf"), 0.0, newest)
        weights = tl.exp2(scores - pinned[:, None])
        fade = tl.exp2(best - pinned)
        total = total * fade + tl.sum(weights, axis=1)
        mixed = mixed * fade[:, None] + tl.dot(weights.to(v.dtype), v)
        best = newest
    place = query * parts + part
    tl.store(best_ptr + place, best, mask=exists)
    tl.store(total_ptr + place, total, mask=exists)
    tl.store(mixed_ptr + place[:, None] * D + dims[None, :], mixed, mask=exists[:, None])
    ### END SOLUTION


@triton.jit
def merge_kernel(
    best_ptr,
    total_ptr,
    mixed_ptr,
    out_ptr,
    n_tokens,
    D: tl.constexpr,
    PARTS: tl.constexpr,  # parts of a query: a power of two
    ROWS: tl.constexpr,  # queries one program merges
):
    """One program: the parts of ROWS queries, each with a maximum of its own, become their results."""
    # 6. A block [ROWS, PARTS] of maxima; each row's largest; each part fades by 2 to the power (its best - the largest).
    # 7. Sums and mixtures fade alike and are added up; divide, cast, store what exists.
    ### BEGIN SOLUTION
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    part = tl.arange(0, PARTS)
    dims = tl.arange(0, D)
    exists = row < n_tokens
    place = row[:, None] * PARTS + part[None, :]
    best = tl.load(best_ptr + place, mask=exists[:, None], other=0.0)
    total = tl.load(total_ptr + place, mask=exists[:, None], other=1.0)
    fade = tl.exp2(best - tl.max(best, axis=1)[:, None])
    mixed_offsets = place[:, :, None] * D + dims[None, None, :]
    mixed = tl.load(mixed_ptr + mixed_offsets, mask=exists[:, None, None], other=0.0)
    out = tl.sum(mixed * fade[:, :, None], axis=1) / tl.sum(total * fade, axis=1)[:, None]
    tl.store(out_ptr + row[:, None] * D + dims[None, :], out.to(out_ptr.dtype.element_ty), mask=exists[:, None])
    ### END SOLUTION


def tuned(q, k, v, *, causal, block_n=32):
    """The contract of ``attention``, with the keys shared out among programs and merged by a second kernel."""
    # 8. Up to 256 keys there is one part and nothing to merge: skipping does that.
    # 9. Otherwise 2, 4 or 8 parts of at least 128 keys, whole 128s each; room for best, total and mixed, in float32.
    # 10. Both kernels, one after the other, on the stream that is current; the first grid is a function.
    ### BEGIN SOLUTION
    refuse(q, k, v, causal, block_n)
    n_tokens, width = q.shape
    if n_tokens <= 256:
        return skipping(q, k, v, causal=causal, block_n=block_n)
    parts = 2 if n_tokens <= 512 else 4
    part_keys = 128 * triton.cdiv(n_tokens, 128 * parts)
    out = torch.empty((n_tokens, width), dtype=q.dtype, device=q.device)
    best, total = (torch.empty((n_tokens, parts), dtype=torch.float32, device=q.device) for _ in range(2))
    mixed = torch.empty((n_tokens, parts, width), dtype=torch.float32, device=q.device)
    scale = width**-0.5 * 1.4426950408889634

    def grid_of(meta):
        return (triton.cdiv(n_tokens, meta["BLOCK_M"]), parts)

    part_kernel[grid_of](q, k, v, best, total, mixed, n_tokens, scale, parts, part_keys, CAUSAL=causal, D=width)
    merge_kernel[(triton.cdiv(n_tokens, 8),)](
        best, total, mixed, out, n_tokens, D=width, PARTS=parts, ROWS=8, num_warps=4
    )
    return out
    ### END SOLUTION
