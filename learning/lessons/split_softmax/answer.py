"""The supplied answer of A2: the states of all chunks, then of all rows, then the quotients; and a form that reads x once."""

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


PATIENCE = 16384  # how often a program asks for the states of its row before it reads the whole row itself
STEP = 256  # so many columns at a time
LOG2E = tl.constexpr(1.4426950408889634)  # log2(e)


@triton.jit
def clear_kernel(words_ptr, n_words, BLOCK: tl.constexpr, AHEAD: tl.constexpr):
    """Zeros in words [n_words], int64."""
    # 1. If AHEAD: wait for the launch before, then let the next one begin. (tl.extra.cuda.gdc_wait, gdc_launch_dependents)
    # 2. BLOCK words a program.
    ### BEGIN SOLUTION
    if AHEAD:
        tl.extra.cuda.gdc_wait()
        tl.extra.cuda.gdc_launch_dependents()
    words = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(words_ptr + words, tl.zeros((BLOCK,), dtype=tl.int64), mask=words < n_words)
    ### END SOLUTION


@triton.jit
def power(exponent, BINARY: tl.constexpr):
    """2 to the power ``exponent`` if ``BINARY``, else e to that power."""
    # 3. One of the two is a single instruction, the other needs a product before it. (tl.exp2, tl.exp)
    ### BEGIN SOLUTION
    return tl.exp2(exponent) if BINARY else tl.exp(exponent)
    ### END SOLUTION


@triton.jit
def weight(x, shift, BINARY: tl.constexpr):
    """exp(x - shift); if ``BINARY`` the shift has been multiplied by log2(e) already: 2 ** (x * log2(e) - shift)."""
    # 4. A product and a difference are one instruction, in this order; a difference and a product are two.
    ### BEGIN SOLUTION
    return power(x * LOG2E - shift if BINARY else x - shift, BINARY)
    ### END SOLUTION


@triton.jit
def word_of(maximum, total):
    """A state as one int64: the bits of its maximum above those of its total. No total is 0, so no word is."""
    # 5. The bits of a float32 as an int32, and those as an int64. (.to(…, bitcast=True)) What does a sign do to the upper half when
    #    32 bits become 64? May the lower number have one?
    ### BEGIN SOLUTION
    above = maximum.to(tl.int32, bitcast=True).to(tl.int64) << 32
    return above | (total.to(tl.int32, bitcast=True).to(tl.int64) & 0xFFFFFFFF)
    ### END SOLUTION


@triton.jit
def state_in(words):
    """Maxima and totals, float32, of the states in int64 ``words``."""
    # 6. The same, backwards.
    ### BEGIN SOLUTION
    return (words >> 32).to(tl.int32).to(tl.float32, bitcast=True), words.to(tl.int32).to(tl.float32, bitcast=True)
    ### END SOLUTION


@triton.jit
def state_of(row_ptr, n_cols, STEP: tl.constexpr, BINARY: tl.constexpr):
    """Maximum (times log2(e) if ``BINARY``) and total of the n_cols numbers at ``row_ptr``, by this program alone."""
    # 7. A1's update, STEP numbers at a time, from the lowest float32 (torch.finfo(torch.float32).min) and 0; the maximum as shifts
    #    are counted.
    ### BEGIN SOLUTION
    maximum, total = -3.4028234663852886e38, 0.0
    for first in range(0, n_cols, STEP):
        cols = first + tl.arange(0, STEP)
        x = tl.load(row_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        highest = tl.max(x, axis=0)
        higher = tl.maximum(maximum, highest * LOG2E if BINARY else highest)
        total = total * power(maximum - higher, BINARY) + tl.sum(weight(x, higher, BINARY), axis=0)
        maximum = higher
    return maximum, total
    ### END SOLUTION


@triton.jit
def anew(x, number):
    """x, 16 bits an element, bit for bit; but for the compiler a value that begins only when ``number`` is known."""
    # 8. One instruction of the GPU that copies two elements at a time and looks at nothing else. (tl.inline_asm_elementwise with
    #    pack=2: a constraint for each register of 32 bits, the result's first. Two of x fill one, two numbers fill two.)
    ### BEGIN SOLUTION
    return tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r,r,r", [x, number], dtype=x.dtype, is_pure=False, pack=2)
    ### END SOLUTION


@triton.jit
def once_kernel(
    x_ptr,  # x[0, 0]; packed
    words_ptr,  # [rows, chunks], int64, zeros: the state of each chunk, 0 while nobody has left it
    out_ptr,  # out[0, 0]; packed
    n_cols,  # columns of x and out
    n_chunks,  # chunks of a row
    CHUNKS: tl.constexpr,  # lanes for the words of a row: a power of two, at least n_chunks and at least one for each thread
    CHUNK: tl.constexpr,  # columns of a chunk
    STEP: tl.constexpr,
    PATIENCE: tl.constexpr,
    WHOLE: tl.constexpr,  # whether every chunk has CHUNK columns: then no mask is needed
    READS: tl.constexpr,  # whether this launch leaves states
    ENDS: tl.constexpr,  # whether it makes quotients
    AHEAD: tl.constexpr,  # whether this launch may begin before clear_kernel has ended
    BINARY: tl.constexpr,  # whether maxima count in powers of two
):
    """One program, one chunk of one row: leave its state, ask for those of the row, make its quotients."""
    # 9. First, if AHEAD, let the next launch begin. Row, chunk, columns and mask as in the first kernel; the load,
    #    evicted first, since hardly anybody reads x again. No widening yet.
    # 10. To read: the maximum of x; x anew, known from the maximum on, if it has 16 bits and the launch also finishes; the total.
    #    If AHEAD, wait for clear_kernel now. Exchange my word of the row for the state. (tl.atomic_xchg, sem="relaxed")
    # 11. To finish: all words of my row, in one load; lanes without a chunk hold 1, which is not 0, and no state either. While one
    #    of them is 0, load again, PATIENCE times at the most. (volatile=True)
    # 12. All there: their states, merged as merge_kernel does (what did lanes without a chunk hold there?), and one division. Not
    #    there: from x, by myself.
    # 13. x anew, known from the row's maximum on, if it has 16 bits and was kept; quotients, cast, store.
    ### BEGIN SOLUTION
    if AHEAD:
        tl.extra.cuda.gdc_launch_dependents()
    place = tl.program_id(0)
    row, chunk = place // n_chunks, place % n_chunks
    cols = chunk * CHUNK + tl.arange(0, CHUNK)
    mask = None if WHOLE else cols < n_cols
    nothing = None if WHOLE else -float("inf")
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=nothing, eviction_policy="evict_first")
    KEPT: tl.constexpr = READS & ENDS & (x.dtype.primitive_bitwidth == 16)
    if READS:
        maximum = tl.max(x, axis=0).to(tl.float32)
        if KEPT:
            x = anew(x, maximum)
        shift = maximum * LOG2E if BINARY else maximum
        total = tl.sum(weight(x.to(tl.float32), shift, BINARY), axis=0)
        if AHEAD:
            tl.extra.cuda.gdc_wait()
        tl.atomic_xchg(words_ptr + place, word_of(shift, total), sem="relaxed")
    if ENDS:
        chunks = tl.arange(0, CHUNKS)
        held = chunks < n_chunks
        words = tl.load(words_ptr + row * n_chunks + chunks, mask=held, other=1, volatile=True)
        missing, left = tl.sum((words == 0).to(tl.int32), axis=0), PATIENCE
        while (missing > 0) & (left > 0):
            words = tl.load(words_ptr + row * n_chunks + chunks, mask=held, other=1, volatile=True)
            missing = tl.sum((words == 0).to(tl.int32), axis=0)
            left -= 1
        if missing == 0:
            maxima, totals = state_in(words)
            shift = tl.max(tl.where(held, maxima, -float("inf")), axis=0)
            share = 1.0 / tl.sum(tl.where(held, totals * power(maxima - shift, BINARY), 0.0), axis=0)
        else:
            shift, whole = state_of(x_ptr + row * n_cols, n_cols, STEP, BINARY)
            share = 1.0 / whole
        if KEPT:
            x = anew(x, shift)
        y = (weight(x.to(tl.float32), shift, BINARY) * share).to(out_ptr.dtype.element_ty)
        tl.store(out_ptr + row * n_cols + cols, y, mask=mask, eviction_policy="evict_first")
    ### END SOLUTION


def tuned(x, *, chunk_size=4096):
    """The contract of ``softmax``, but for a row whose states come late: it is read again, a last digit may differ.

    On a GPU x is read once, and waits in registers until the states of its row are there.
    """
    # 14. Refuse, result, no rows: as before. Scratch of this call: an int64 a chunk. num_warps: one for 2048 columns, at least one.
    # 15. clear_kernel, 1024 words a program. Then once_kernel, a program a chunk: on a GPU (x.is_cuda) one launch that reads and
    #     finishes; elsewhere, where programs take turns and cannot wait, one that reads and one that finishes.
    # 16. AHEAD on a card of capability (9, 0) or more (torch.cuda.get_device_capability), and then launch_pdl=True for each.
    #     BINARY for float16 alone.
    ### BEGIN SOLUTION
    refuse(x, chunk_size)
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if n_rows == 0:
        return out
    n_chunks, warps = triton.cdiv(n_cols, chunk_size), max(1, chunk_size // 2048)
    words = torch.empty((n_rows, n_chunks), dtype=torch.int64, device=x.device)
    ahead = x.is_cuda and torch.cuda.get_device_capability(x.device) >= (9, 0)
    early = {"launch_pdl": True} if ahead else {}
    clear_kernel[(triton.cdiv(words.numel(), 1024),)](words, words.numel(), BLOCK=1024, AHEAD=ahead, **early)
    for reads, ends in ((True, True),) if x.is_cuda else ((True, False), (False, True)):
        once_kernel[(n_rows * n_chunks,)](
            x, words, out, n_cols, n_chunks, CHUNKS=max(triton.next_power_of_2(n_chunks), 32 * warps), CHUNK=chunk_size,
            STEP=STEP, PATIENCE=PATIENCE, WHOLE=n_cols % chunk_size == 0, READS=reads, ENDS=ends, AHEAD=ahead,
            BINARY=x.dtype == torch.float16, num_warps=warps, **early,
        )  # fmt: skip
    return out
    ### END SOLUTION
