"""The supplied answer of L7: a program owns a tile of queries and walks along the keys they see; then the keys are
shared out."""

import torch
import triton
import triton.language as tl

from learning.contract import require


@triton.jit
def attend_kernel(
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
    D: tl.constexpr,  # numbers in a head: 16, 32, 64 or 128
    QUERIES: tl.constexpr,  # queries one program owns: a power of two, at least 16 for tl.dot
    KEYS: tl.constexpr,  # keys it takes in one step: a power of two, at least 16 for tl.dot
):
    """One program, QUERIES queries of one head: they are read once, and so is every key that one of them sees."""
    # 1. Which head and which queries are mine? Which of them exist? At which place p does each stand among the keys?
    # 2. Load my queries through their strides, an own tile [QUERIES, D]. What may a query that does not exist hold?
    # 3. The first key that my first query sees, and the end of those that my last one sees: the walk goes from one to
    #    the other.
    # 4. Before it, for each query: no maximum yet, a sum of nothing, and a mixture [QUERIES, D] of nothing, in float32.
    # 5. A step: KEYS keys [KEYS, D] of the key head that mine belongs to; scores [QUERIES, KEYS] by tl.dot, times scale,
    #    and minus infinity where this query does not see this key.
    # 6. The new maximum. Pin it to 0 where it is still minus infinity. Weights exp(score - maximum); the factor by
    #    which the old sum and mixture fade; both brought up to date, the values' tile multiplied by weights in the
    #    dtype of v.
    # 7. After the walk: mixture over sum, cast to the element type of out, and stored for the queries that exist.
    ### BEGIN SOLUTION
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
    ### END SOLUTION


def attend(q, k_cache, v_cache, length, window):
    """Return for each query of ``q`` [Hq, T, D] its mixture of the values it sees, a fresh packed [Hq, T, D]."""
    require(
        q=q, k_cache=k_cache, v_cache=v_cache, axes={"q": "Hq T D", "k_cache": "Hkv Tmax D", "v_cache": "Hkv Tmax D"},
        sizes={"D": (16, 32, 64, 128)}, multiples={"Hq": "Hkv"}, packed_rows=("q", "k_cache", "v_cache"),
        whole={"length": (length, "T", "Tmax"), "window": (window, 1, None)}, output="Hq T D",
    )  # fmt: skip
    # 1. Make room for the result: packed, whatever the strides of q. (torch.empty)
    # 2. A window longer than the keys there are is as good as the length; a smaller number fits an argument of 32 bits.
    # 3. How many tiles of queries does a head have, and how many programs is that? Begin with 16 queries and 32 keys.
    # 4. Launch them, with the strides as the tensors state them:
    #    attend_kernel[grid](…, D=…, QUERIES=…, KEYS=…, num_warps=…). Eight warps where D is 128, else four.
    # 5. Return the result.
    ### BEGIN SOLUTION
    heads, steps, dims = q.shape
    out = torch.empty((heads, steps, dims), dtype=q.dtype, device=q.device)
    attend_kernel[(heads * triton.cdiv(steps, 16),)](
        q, k_cache, v_cache, out, q.stride(0), q.stride(1), k_cache.stride(0), k_cache.stride(1), v_cache.stride(0),
        v_cache.stride(1), steps, length, min(window, length), heads // k_cache.shape[0], dims**-0.5,
        D=dims, QUERIES=16, KEYS=32, num_warps=8 if dims == 128 else 4,
    )  # fmt: skip
    return out
    ### END SOLUTION


@triton.jit
def part_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    best_ptr,  # best[row, part]: the largest score a row meets in a part; row = h * T + t
    total_ptr,  # total[row, part]: its sum of exp(score - best)
    mixed_ptr,  # mixed[row, part, 0]: its mixture, not yet divided by the sum
    q_head_stride,
    q_step_stride,
    k_head_stride,
    k_key_stride,
    v_head_stride,
    v_key_stride,
    steps,
    length,
    window,
    group,
    scale,
    parts,  # into how many parts the keys are cut
    part_keys,  # keys in a part
    D: tl.constexpr,
    ROWS: tl.constexpr,  # rows one program owns: queries of all heads that share a key head
    KEYS: tl.constexpr,
):
    """One program, one part of the keys of one key head, for ROWS of the group * T rows that share it."""
    # 1. Which part, which tile of rows, which key head? Row r of a key head is query r // group of its head r % group.
    # 2. Load my rows of q, once for all heads of the group.
    # 3. Where do the keys of these rows begin and end, and which stretch of them is my part? It may be empty.
    # 4. The walk of attend_kernel, over that stretch. It does not divide at the end: it stores best, total and mixed, as
    #    float32.
    ### BEGIN SOLUTION
    part = tl.program_id(0) % parts
    tiles = tl.cdiv(group * steps, ROWS)
    first = tl.program_id(0) // parts % tiles * ROWS
    kv_head = tl.program_id(0) // parts // tiles
    row = first + tl.arange(0, ROWS)
    exists = row < group * steps
    head, query = kv_head * group + row % group, row // group
    place = length - steps + query
    dims = tl.arange(0, D)
    q_offsets = head[:, None] * q_head_stride + query[:, None] * q_step_stride + dims[None, :]
    q = tl.load(q_ptr + q_offsets, mask=exists[:, None], other=0.0)
    low = tl.maximum(length - steps + first // group - window + 1, 0) + part * part_keys
    high = tl.minimum(length - steps + (first + ROWS - 1) // group + 1, length)
    high = tl.minimum(high, low + part_keys)
    k_head_ptr = k_ptr + kv_head * k_head_stride
    v_head_ptr = v_ptr + kv_head * v_head_stride
    best = tl.full((ROWS,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((ROWS,), dtype=tl.float32)
    mixed = tl.zeros((ROWS, D), dtype=tl.float32)
    for start in range(low, high, KEYS):
        key = start + tl.arange(0, KEYS)
        held = key < high
        k = tl.load(k_head_ptr + key[:, None] * k_key_stride + dims[None, :], mask=held[:, None], other=0.0)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        seen = (key[None, :] <= place[:, None]) & (key[None, :] > place[:, None] - window) & held[None, :]
        scores = tl.where(seen, scores, float("-inf"))
        newest = tl.maximum(best, tl.max(scores, axis=1))
        pinned = tl.where(newest == float("-inf"), 0.0, newest)
        weights = tl.exp(scores - pinned[:, None])
        fade = tl.exp(best - pinned)
        v = tl.load(v_head_ptr + key[:, None] * v_key_stride + dims[None, :], mask=held[:, None], other=0.0)
        total = total * fade + tl.sum(weights, axis=1)
        mixed = mixed * fade[:, None] + tl.dot(weights.to(v.dtype), v, input_precision="ieee")
        best = newest
    place_of_part = (head * steps + query) * parts + part
    tl.store(best_ptr + place_of_part, best, mask=exists)
    tl.store(total_ptr + place_of_part, total, mask=exists)
    tl.store(mixed_ptr + place_of_part[:, None] * D + dims[None, :], mixed, mask=exists[:, None])
    ### END SOLUTION


@triton.jit
def merge_kernel(
    best_ptr,
    total_ptr,
    mixed_ptr,
    out_ptr,  # out[h, t, 0]; packed, so row h * T + t begins D elements after the row before
    parts,
    D: tl.constexpr,
    PARTS: tl.constexpr,  # lanes for the parts: a power of two, at least parts
):
    """One program, one row: its parts, each with a maximum of its own, become one result."""
    # 5. Load best of all parts; what must lanes without a part hold? The largest of them is the row's maximum.
    # 6. Every part fades by exp(its best - the maximum). Sums and mixtures fade alike and are added up; divide, cast,
    #    store.
    ### BEGIN SOLUTION
    row = tl.program_id(0)
    part = tl.arange(0, PARTS)
    here = part < parts
    dims = tl.arange(0, D)
    best = tl.load(best_ptr + row * parts + part, mask=here, other=float("-inf"))
    fade = tl.exp(best - tl.max(best, axis=0))
    total = tl.load(total_ptr + row * parts + part, mask=here, other=0.0)
    mixed_offsets = (row * parts + part)[:, None] * D + dims[None, :]
    mixed = tl.load(mixed_ptr + mixed_offsets, mask=here[:, None], other=0.0)
    out = tl.sum(mixed * fade[:, None], axis=0) / tl.sum(total * fade, axis=0)
    tl.store(out_ptr + row * D + dims, out.to(out_ptr.dtype.element_ty))
    ### END SOLUTION


# 7. Let the part kernel be tuned: tuned_part_kernel = triton.autotune(configs=[…], key=[…])(part_kernel), with 4 to 8 of
#    triton.Config({"KEYS": …}, num_warps=…, num_stages=…). The key must not hold the length, which is another one for
#    every token.
### BEGIN SOLUTION
tuned_part_kernel = triton.autotune(
    configs=[
        triton.Config({"KEYS": 32}, num_warps=4, num_stages=3),
        triton.Config({"KEYS": 32}, num_warps=8, num_stages=2),
        triton.Config({"KEYS": 64}, num_warps=4, num_stages=2),
        triton.Config({"KEYS": 64}, num_warps=4, num_stages=3),
        triton.Config({"KEYS": 64}, num_warps=8, num_stages=2),
        triton.Config({"KEYS": 128}, num_warps=8, num_stages=2),
    ],
    key=["group", "parts", "D"],
)(part_kernel)
### END SOLUTION


def tuned(q, k_cache, v_cache, length, window):
    """The contract of ``attend``, with the keys of a window shared out among many programs and merged by a second
    kernel."""
    require(
        q=q, k_cache=k_cache, v_cache=v_cache, axes={"q": "Hq T D", "k_cache": "Hkv Tmax D", "v_cache": "Hkv Tmax D"},
        sizes={"D": (16, 32, 64, 128)}, multiples={"Hq": "Hkv"}, packed_rows=("q", "k_cache", "v_cache"),
        whole={"length": (length, "T", "Tmax"), "window": (window, 1, None)}, output="Hq T D",
    )  # fmt: skip
    # 8. The result as before; and, in float32, room for best, total and mixed of every row and part.
    # 9. How many parts make some 256 programs in all? Not so many that a part is shorter than a step, nor more than 64.
    # 10. Launch both kernels, one after the other; the first one's grid is a function. Return the result.
    ### BEGIN SOLUTION
    heads, steps, dims = q.shape
    kv_heads, window = k_cache.shape[0], min(window, length)
    group = heads // kv_heads
    out = torch.empty((heads, steps, dims), dtype=q.dtype, device=q.device)
    owners = max(1, kv_heads * triton.cdiv(group * steps, 16))
    reach = max(1, min(length, window + min(steps, 16) - 1))
    part_keys = 32 * triton.cdiv(triton.cdiv(reach, max(1, min(64, 256 // owners))), 32)
    parts = triton.cdiv(reach, part_keys)
    best, total = (torch.empty((heads * steps, parts), dtype=torch.float32, device=q.device) for _ in range(2))
    mixed = torch.empty((heads * steps, parts, dims), dtype=torch.float32, device=q.device)
    programs = kv_heads * triton.cdiv(group * steps, 16) * parts
    tuned_part_kernel[lambda meta: (programs,)](
        q, k_cache, v_cache, best, total, mixed, q.stride(0), q.stride(1), k_cache.stride(0), k_cache.stride(1),
        v_cache.stride(0), v_cache.stride(1), steps, length, window, group, dims**-0.5, parts, part_keys,
        D=dims, ROWS=16,
    )  # fmt: skip
    merge_kernel[(heads * steps,)](
        best, total, mixed, out, parts, D=dims, PARTS=triton.next_power_of_2(parts), num_warps=4
    )
    return out
    ### END SOLUTION
