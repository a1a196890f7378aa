"""The supplied answer of A2: the states of all chunks, then of all rows, then the quotients; and a form that takes turns."""

import torch
import triton
import triton.language as tl

MAX_COLUMNS = 131072
MAX_OFFSET = 2**31 - 1
CHUNK_SIZES = (256, 1024, 4096)
DTYPES = (torch.float32, torch.float16, torch.bfloat16)


@triton.jit
def part_kernel(
    x_ptr,  # x[0, 0]; packed
    maxima_ptr,  # maxima[0, 0] of [rows, chunks], float32: the largest value of each chunk
    totals_ptr,  # totals[0, 0] of [rows, chunks], float32: its sum of exp(x - maximum)
    n_cols,  # columns of x: elements from x[i, j] to x[i + 1, j]
    n_chunks,  # chunks of a row
    CHUNK: tl.constexpr,  # columns of a chunk, lanes of a program: 256, 1024 or 4096
):
    """One program, one chunk of one row: its state."""
    # 1. Which row and which chunk are mine? Which columns do my lanes stand for, and which lanes stand for none?
    # 2. Load the chunk; what may lanes hold that own nothing? Widen to fp32.
    # 3. The state of A1: the maximum, and the sum of exp(x - maximum).
    # 4. Store both at my own place: states lie as [rows, chunks].
    ### BEGIN SOLUTION
    place = tl.program_id(0)
    row, chunk = place // n_chunks, place % n_chunks
    cols = chunk * CHUNK + tl.arange(0, CHUNK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=-float("inf")).to(tl.float32)
    maximum = tl.max(x, axis=0)
    total = tl.sum(tl.exp(x - maximum), axis=0)
    tl.store(maxima_ptr + place, maximum)
    tl.store(totals_ptr + place, total)
    ### END SOLUTION


@triton.jit
def merge_kernel(
    maxima_ptr,  # [rows, chunks], float32, as part_kernel left them
    totals_ptr,  # [rows, chunks], float32
    row_maxima_ptr,  # [rows], float32: the largest value of each row
    row_totals_ptr,  # [rows], float32: its sum of exp(x - row maximum)
    n_chunks,  # chunks of a row
    CHUNKS: tl.constexpr,  # lanes of a program: a power of two, at least n_chunks
):
    """One program, one row: the states of its chunks become one."""
    # 5. Which row is mine, which chunks do my lanes stand for, and which lanes stand for none? They hold A1's EMPTY.
    # 6. The row's maximum; then each total, brought over to it; then their sum.
    # 7. Store both numbers of the row.
    ### BEGIN SOLUTION
    row = tl.program_id(0)
    chunks = tl.arange(0, CHUNKS)
    mask = chunks < n_chunks
    maxima = tl.load(maxima_ptr + row * n_chunks + chunks, mask=mask, other=-float("inf"))
    totals = tl.load(totals_ptr + row * n_chunks + chunks, mask=mask, other=0.0)
    maximum = tl.max(maxima, axis=0)
    total = tl.sum(totals * tl.exp(maxima - maximum), axis=0)
    tl.store(row_maxima_ptr + row, maximum)
    tl.store(row_totals_ptr + row, total)
    ### END SOLUTION


@triton.jit
def normalise_kernel(
    x_ptr,  # x[0, 0]; packed
    row_maxima_ptr,  # [rows], float32, as merge_kernel left them
    row_totals_ptr,  # [rows], float32
    out_ptr,  # out[0, 0]; packed
    n_cols,  # columns of x and out
    n_chunks,  # chunks of a row
    CHUNK: tl.constexpr,  # columns of a chunk, lanes of a program
):
    """One program, one chunk of one row: its quotients."""
    # 8. Row, chunk, columns and mask as in the first kernel, and the same load.
    # 9. The two numbers of my row. Whose maximum is subtracted here, the chunk's or the row's?
    # 10. Divide, cast to the element type of out, store under the mask.
    ### BEGIN SOLUTION
    place = tl.program_id(0)
    row, chunk = place // n_chunks, place % n_chunks
    cols = chunk * CHUNK + tl.arange(0, CHUNK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=-float("inf")).to(tl.float32)
    y = tl.exp(x - tl.load(row_maxima_ptr + row)) / tl.load(row_totals_ptr + row)
    tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=mask)
    ### END SOLUTION


def refuse(x, chunk_size):
    """Raise TypeError or ValueError for what the contract excludes, naming the argument and the limit."""
    # 11. A tensor? On the device in use, of a dtype we know, 2-D, no gradient wanted, 1 to 131072 columns, contiguous, within
    #     2**31 - 1 elements? And is chunk_size one of three ints?
    ### BEGIN SOLUTION
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"x must be a torch.Tensor, not {type(x).__name__}")
    if x.device.type != DEVICE:
        raise ValueError(f"x must be on the device in use, {DEVICE}, not on {x.device}")
    if x.dtype not in DTYPES:
        raise TypeError(f"x must have dtype float32, float16 or bfloat16, not {x.dtype}")
    if x.ndim != 2:
        raise ValueError(f"x must be 2-D, not {x.ndim}-D")
    if x.requires_grad and torch.is_grad_enabled():
        raise ValueError("x must not require grad while autograd is on: this softmax has no backward pass")
    if not 1 <= x.shape[1] <= MAX_COLUMNS:
        raise ValueError(f"x must have 1 to {MAX_COLUMNS} columns, not {x.shape[1]}")
    if not x.is_contiguous():
        raise ValueError(f"x must be contiguous, with strides {(x.shape[1], 1)}, not {x.stride()}")
    if x.numel() > MAX_OFFSET:
        raise ValueError(f"x must have at most {MAX_OFFSET} (2**31 - 1) elements, not {x.numel()}")
    if type(chunk_size) is not int or chunk_size not in CHUNK_SIZES:
        raise ValueError(f"chunk_size must be 256, 1024 or 4096, not {chunk_size!r}")
    ### END SOLUTION


def softmax(x, *, chunk_size=1024):
    """Softmax of each row of contiguous ``x`` [rows, columns], chunk by chunk: fresh, same dtype and device."""
    # 12. Refuse; make room for the result; no rows: return it as it is.
    # 13. How many chunks has a row? Scratch of this call: two float32 numbers a chunk, two a row. (torch.empty)
    # 14. Three launches, in this order. The first and the third have a program for each chunk of each row.
    # 15. Return the result.
    ### BEGIN SOLUTION
    refuse(x, chunk_size)
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if n_rows == 0:
        return out
    n_chunks = triton.cdiv(n_cols, chunk_size)
    maxima, totals = (torch.empty((n_rows, n_chunks), dtype=torch.float32, device=x.device) for _ in range(2))
    row_maxima, row_totals = (torch.empty(n_rows, dtype=torch.float32, device=x.device) for _ in range(2))
    each, warps = (n_rows * n_chunks,), 8 if chunk_size == 4096 else 4
    part_kernel[each](x, maxima, totals, n_cols, n_chunks, CHUNK=chunk_size, num_warps=warps)
    CHUNKS = triton.next_power_of_2(n_chunks)
    merge_kernel[(n_rows,)](maxima, totals, row_maxima, row_totals, n_chunks, CHUNKS=CHUNKS)
    normalise_kernel[each](x, row_maxima, row_totals, out, n_cols, n_chunks, CHUNK=chunk_size, num_warps=warps)
    return out
    ### END SOLUTION


# Bytes of x that are read before the first of them is read again: about what the L2 cache of an H200 holds.
GROUP_BYTES = 2**26


@triton.jit
def turns_kernel(
    x_ptr,  # x[0, 0]; packed
    maxima_ptr,  # [rows, chunks], float32: written for the chunks to be read, read for those to be finished
    totals_ptr,  # [rows, chunks], float32, likewise
    out_ptr,  # out[0, 0]; packed
    n_cols,  # columns of x and out
    n_chunks,  # chunks of a row
    first_to_finish,  # the first chunk, all rows counted through, of the group whose states an earlier launch left
    to_finish,  # how many chunks that group has; 0 in the first launch
    first_to_read,  # the first chunk of the next group
    to_read,  # how many chunks it has; 0 in the last launch
    CHUNKS: tl.constexpr,  # lanes for the states of a row: a power of two, at least n_chunks
    CHUNK: tl.constexpr,  # columns of a chunk
    AHEAD: tl.constexpr,  # whether the next launch may begin before this one has ended
):
    """One program, one chunk: even programs finish a group, its last chunk first, odd ones read the next; then what is left."""
    # 1. Do I finish or read, and as the how-manieth of my kind? While both kinds last they alternate. (tl.where)
    # 2. Which chunk is that, counted forwards if I read, backwards if I finish? Row, chunk, columns, mask as before.
    # 3. To finish: begin the load of x first, and let it be evicted first; if AHEAD, wait for the launch before; all states of
    #    my row, merged as merge_kernel does; quotients, cast, store. (tl.extra.cuda.gdc_wait)
    # 4. To read: the load, kept as long as the cache can; the state, as part_kernel leaves it. (eviction_policy=)
    # 5. If AHEAD, let the next launch begin, before anything else. (tl.extra.cuda.gdc_launch_dependents)
    ### BEGIN SOLUTION
    if AHEAD:
        tl.extra.cuda.gdc_launch_dependents()
    program, pairs = tl.program_id(0), tl.minimum(to_finish, to_read)
    alternating = program < 2 * pairs
    finishing = tl.where(alternating, program % 2 == 0, to_finish > to_read)
    turn = tl.where(alternating, program // 2, program - pairs)
    place = tl.where(finishing, first_to_finish + to_finish - 1 - turn, first_to_read + turn)
    row, chunk = place // n_chunks, place % n_chunks
    cols = chunk * CHUNK + tl.arange(0, CHUNK)
    mask = cols < n_cols
    at = row * n_cols + cols
    if finishing:
        x = tl.load(x_ptr + at, mask=mask, other=-float("inf"), eviction_policy="evict_first").to(tl.float32)
        if AHEAD:
            tl.extra.cuda.gdc_wait()
        chunks = tl.arange(0, CHUNKS)
        held = chunks < n_chunks
        maxima = tl.load(maxima_ptr + row * n_chunks + chunks, mask=held, other=-float("inf"))
        totals = tl.load(totals_ptr + row * n_chunks + chunks, mask=held, other=0.0)
        maximum = tl.max(maxima, axis=0)
        share = 1.0 / tl.sum(totals * tl.exp(maxima - maximum), axis=0)
        y = (tl.exp(x - maximum) * share).to(out_ptr.dtype.element_ty)
        tl.store(out_ptr + at, y, mask=mask, eviction_policy="evict_first")
    else:
        x = tl.load(x_ptr + at, mask=mask, other=-float("inf"), eviction_policy="evict_last").to(tl.float32)
        maximum = tl.max(x, axis=0)
        tl.store(maxima_ptr + place, maximum)
        tl.store(totals_ptr + place, tl.sum(tl.exp(x - maximum), axis=0))
    ### END SOLUTION


def tuned(x, *, chunk_size=4096):
    """The contract of ``softmax``, a group of rows at a time: each launch finishes one group while it reads the next."""
    # 6. Refuse, result, no rows: as before. Scratch: two float32 numbers a chunk.
    # 7. How many rows are GROUP_BYTES, at least one? One launch for each group of rows, and one more, in which nothing is left
    #    to read. Each has a program for every chunk that it finishes and every chunk that it reads; num_warps=4.
    # 8. AHEAD, on a card of capability (9, 0) or more: then every launch but the first also takes launch_pdl=True.
    # 9. Return the result.
    ### BEGIN SOLUTION
    refuse(x, chunk_size)
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if n_rows == 0:
        return out
    n_chunks = triton.cdiv(n_cols, chunk_size)
    maxima, totals = (torch.empty((n_rows, n_chunks), dtype=torch.float32, device=x.device) for _ in range(2))
    CHUNKS, group = triton.next_power_of_2(n_chunks), max(1, GROUP_BYTES // (n_cols * x.element_size()))
    ahead = x.is_cuda and torch.cuda.get_device_capability(x.device) >= (9, 0)
    before = 0, 0
    for first in (*range(0, n_rows, group), n_rows):
        now = first * n_chunks, min(group, n_rows - first) * n_chunks
        turns_kernel[(before[1] + now[1],)](
            x, maxima, totals, out, n_cols, n_chunks, *before, *now,
            CHUNKS=CHUNKS, CHUNK=chunk_size, AHEAD=ahead, num_warps=4, **({"launch_pdl": True} if ahead and first else {}),
        )  # fmt: skip
        before = now
    return out
    ### END SOLUTION
