"""The supplied answer of I1: one program a row, read through x's own strides; and a turned x read along the axis it lies in."""

import torch
import triton
import triton.language as tl

MAX_COLUMNS = 8192
MAX_OFFSET = 2**31 - 1
DTYPES = (torch.float32, torch.float16, torch.bfloat16)


@triton.jit
def softmax_kernel(
    x_ptr,  # x[0, 0]
    out_ptr,  # out[0, 0]; out is contiguous
    x_row_stride,  # elements from x[i, j] to x[i + 1, j]; may be 0
    x_col_stride,  # elements from x[i, j] to x[i, j + 1]; may be 0
    n_cols,  # columns of x and out, 1 to 8192
    BLOCK: tl.constexpr,  # lanes of one program: a power of two, at least n_cols
):
    # 1. Which row is mine, which columns do my lanes stand for, and which lanes stand for none?
    # 2. Load the row through x's two strides; choose the padding for the lanes that own nothing; widen to fp32.
    # 3. Shift by the row's maximum, exponentiate, divide by the sum.
    # 4. Store as the output's element type. Whose row stride is it now?
    ### BEGIN SOLUTION
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols * x_col_stride, mask=mask, other=-float("inf")).to(tl.float32)
    weights = tl.exp(x - tl.max(x, axis=0))
    y = weights / tl.sum(weights, axis=0)
    tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=mask)
    ### END SOLUTION


def refuse(x, num_warps):
    """Raise TypeError or ValueError for what the contract excludes, naming the argument and the limit."""
    # 5. A tensor? On the device in use, of a dtype we know, 2-D, no gradient wanted, 1 to 8192 columns, its largest offset and
    #    its count within 2**31 - 1? And is num_warps one of two numbers?
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
    n_rows, n_cols = x.shape
    if not 1 <= n_cols <= MAX_COLUMNS:
        raise ValueError(f"x must have 1 to {MAX_COLUMNS} columns, not {n_cols}")
    offset = (n_rows - 1) * x.stride(0) + (n_cols - 1) * x.stride(1)
    if max(offset, n_rows * n_cols) > MAX_OFFSET:
        raise ValueError(
            f"x must have element offsets and an element count of at most {MAX_OFFSET} (2**31 - 1): "
            f"its largest offset is {offset}, its count {n_rows * n_cols}"
        )
    if isinstance(num_warps, bool) or num_warps not in (4, 8):
        raise ValueError(f"num_warps must be 4 or 8, not {num_warps!r}")
    ### END SOLUTION


def softmax(x, *, num_warps=4):
    """Softmax of each row of ``x`` [rows, columns]: fresh and contiguous, same dtype and device."""
    # 6. Refuse first.
    # 7. Allocate the output: this shape, this dtype, this device, contiguous whatever x's strides are.
    # 8. No rows: return it as it is.
    # 9. Launch one program a row: x's strides, the column count, BLOCK as a compile-time constant, num_warps.
    ### BEGIN SOLUTION
    refuse(x, num_warps)
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if n_rows == 0:
        return out
    BLOCK = triton.next_power_of_2(n_cols)
    softmax_kernel[(n_rows,)](x, out, x.stride(0), x.stride(1), n_cols, BLOCK=BLOCK, num_warps=num_warps)
    return out
    ### END SOLUTION


# A band is BAND rows of x, a part PART of their columns; x is read STEP columns at a time and written TILE at a time.
BAND, PART, STEP, TILE = 64, 256, 256, 128
LEAD = 8  # a band is finished by programs that read the band LEAD further on: far enough to be ready, near enough for the L2 cache
PATIENCE = 16384  # how often a program asks whether its band is ready before it does that work itself
REGISTERS = 96  # of a thread: with so many 5 programs of 4 warps share a multiprocessor's 65536, with 104 it would be 4
LOG2E = tl.constexpr(1.4426950408889634)  # log2(e)


@triton.jit
def clear_kernel(flags_ptr, n_flags, BLOCK: tl.constexpr, AHEAD: tl.constexpr):
    """Zeros in flags [n_flags], int32."""
    # 1. If AHEAD: wait for the launch before, then let the next one begin. (tl.extra.cuda.gdc_wait, gdc_launch_dependents)
    # 2. BLOCK flags a program.
    ### BEGIN SOLUTION
    if AHEAD:
        tl.extra.cuda.gdc_wait()
        tl.extra.cuda.gdc_launch_dependents()
    flags = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(flags_ptr + flags, tl.zeros((BLOCK,), dtype=tl.int32), mask=flags < n_flags)
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
    """exp(x − shift); if ``BINARY`` the shift has been multiplied by log2(e) already: 2 ** (x · log2(e) − shift)."""
    # 4. A product and a difference are one instruction, in this order; a difference and a product are two.
    ### BEGIN SOLUTION
    return power(x * LOG2E - shift if BINARY else x - shift, BINARY)
    ### END SOLUTION


@triton.jit
def state_of(
    x_ptr,  # x[0, 0]
    rows,  # [BAND], int32: which rows
    n_rows,
    first,  # the first column
    columns,  # how many columns from there on, in whole steps; those past the last of x do not count
    n_cols,
    x_col_stride,
    BAND: tl.constexpr,
    STEP: tl.constexpr,
    LANES: tl.constexpr,
    WHOLE: tl.constexpr,  # whether all these rows and columns exist
    BINARY: tl.constexpr,
):
    """Maximum (× log2(e) if ``BINARY``) and total of some columns of some rows: two float32 tensors [BAND]."""
    # 5. LANES maxima and totals a row, so that nothing is combined before the walk is over. Begin with the lowest float32
    #    (torch.finfo(torch.float32).min) and 0. A tile [STEP, BAND] arrives columns down; what may stand where no column is, or no row?
    # 6. As [STEP // LANES, LANES, BAND] its first axis lies within one thread: its maximum, counted as shifts are, then the new
    #    maximum; the total so far, brought over to it; plus the sum of the weights. (tl.reshape)
    # 7. The LANES of a row become one state, in the same way.
    ### BEGIN SOLUTION
    maxima = tl.full((LANES, BAND), -3.4028234663852886e38, dtype=tl.float32)
    totals = tl.zeros((LANES, BAND), dtype=tl.float32)
    for done in range(0, columns, STEP):
        cols = first + done + tl.arange(0, STEP)
        held = None if WHOLE else (cols < n_cols)[:, None] & (rows < n_rows)[None, :]
        nothing = None if WHOLE else -float("inf")
        places = cols[:, None] * x_col_stride + rows[None, :]
        x = tl.load(x_ptr + places, mask=held, other=nothing, eviction_policy="evict_last").to(tl.float32)
        x = tl.reshape(x, (STEP // LANES, LANES, BAND))
        highest = tl.max(x, axis=0)
        higher = tl.maximum(maxima, highest * LOG2E if BINARY else highest)
        totals = totals * power(maxima - higher, BINARY) + tl.sum(weight(x, higher[None, :, :], BINARY), axis=0)
        maxima = higher
    maximum = tl.max(maxima, axis=0)
    return maximum, tl.sum(totals * power(maxima - maximum[None, :], BINARY), axis=0)
    ### END SOLUTION


@triton.jit
def merged(maxima_ptr, totals_ptr, rows, n_rows, n_parts, PARTS: tl.constexpr, BINARY: tl.constexpr):
    """From the states of all parts: the maximum of each of ``rows`` and 1 over its sum, two float32 tensors [BAND]."""
    # 8. A column of PARTS states for each row; lanes without a part hold nothing: a maximum of −∞, a total of 0.
    # 9. One maximum, one total. Rows that do not exist have neither: pin what would be NaN.
    ### BEGIN SOLUTION
    parts = tl.arange(0, PARTS)
    held = (parts < n_parts)[:, None] & (rows < n_rows)[None, :]
    places = parts[:, None] * n_rows + rows[None, :]
    maxima = tl.load(maxima_ptr + places, mask=held, other=-float("inf"))
    totals = tl.load(totals_ptr + places, mask=held, other=0.0)
    maximum = tl.where(rows < n_rows, tl.max(maxima, axis=0), 0.0)
    return maximum, 1.0 / tl.sum(totals * power(maxima - maximum[None, :], BINARY), axis=0)
    ### END SOLUTION


@triton.jit
def bands_kernel(
    x_ptr,  # x[0, 0]; x[i, j] and x[i + 1, j] lie side by side
    maxima_ptr,  # maxima[0, 0] of [parts, rows], float32: the largest value of each row's part, × log2(e) if BINARY
    totals_ptr,  # totals[0, 0] of [parts, rows], float32: the sum of its weights
    row_maxima_ptr,  # [rows], float32: the largest value of each row, × log2(e) if BINARY
    row_shares_ptr,  # [rows], float32: 1 over the sum of its weights
    arrived_ptr,  # [bands], int32, zeros: how many parts of a band have left their states
    ready_ptr,  # [bands], int32, zeros: 1 once row_maxima and row_shares of a band are there
    out_ptr,  # out[0, 0]; out is contiguous
    n_rows,
    n_cols,
    x_col_stride,  # elements from x[i, j] to x[i, j + 1]
    n_bands,
    n_parts,
    BAND: tl.constexpr,
    PART: tl.constexpr,
    STEP: tl.constexpr,
    TILE: tl.constexpr,
    LEAD: tl.constexpr,
    PARTS: tl.constexpr,  # lanes for the parts of a row: a power of two, at least n_parts
    LANES: tl.constexpr,  # states a row that the threads keep side by side: as many as columns that they load at once
    PATIENCE: tl.constexpr,
    WHOLE: tl.constexpr,  # whether every band has BAND rows and every part PART columns: then no mask is needed
    READS: tl.constexpr,  # whether this launch reads
    ENDS: tl.constexpr,  # whether it finishes
    AHEAD: tl.constexpr,  # whether this launch may begin before clear_kernel has ended
    BINARY: tl.constexpr,  # whether maxima count in powers of two
):
    """One program: read one part of a band and leave its state; then finish the same part of the band LEAD before it."""
    # 10. Which band, which part? Is there such a band to read (there are LEAD bands of programs more than bands of rows)?
    # 11. To read: the state of my part. If AHEAD, wait for clear_kernel now. Store the state; whose rows exist? That is all, unless
    #    the same launch also finishes.
    # 12. Every thread must have stored before I am counted: tl.debug_barrier(), then add 1 to my band's count, and publish with it
    #     what I stored. (tl.atomic_add, sem="acq_rel")
    # 13. Was I the last of my band? Then all its states are there: merge them, store both numbers, and only then, behind a barrier
    #     once more, say that the band is ready. (tl.atomic_xchg, sem="release")
    # 14. To finish: begin the load of the first tile, which hardly anybody needs again. If AHEAD, wait for clear_kernel here too:
    #     who has read no band has not waited yet. An earlier launch has read: merge. This one reads: ask whether the band is ready,
    #     PATIENCE times at the most. (tl.atomic_add of 0, sem="acquire")
    # 15. Ready: the two numbers of each of its rows. Not ready: work them out from x, LANES columns at a time, since the first tile
    #     keeps its registers. No program depends on another to end.
    # 16. Tile by tile: quotients, cast, turned round, stored where both row and column exist. (tl.static_range, tl.trans)
    ### BEGIN SOLUTION
    band, part = tl.program_id(0) // n_parts, tl.program_id(0) % n_parts
    start = part * PART
    if READS & (band < n_bands):
        rows = band * BAND + tl.arange(0, BAND)
        maximum, total = state_of(
            x_ptr, rows, n_rows, start, PART, n_cols, x_col_stride, BAND, STEP, LANES, WHOLE, BINARY
        )
        if AHEAD:
            tl.extra.cuda.gdc_wait()
        tl.store(maxima_ptr + part * n_rows + rows, maximum, mask=rows < n_rows)
        tl.store(totals_ptr + part * n_rows + rows, total, mask=rows < n_rows)
        if ENDS:
            tl.debug_barrier()
            before = tl.atomic_add(arrived_ptr + band, 1, sem="acq_rel")
            if before == n_parts - 1:
                maximum, share = merged(maxima_ptr, totals_ptr, rows, n_rows, n_parts, PARTS, BINARY)
                tl.store(row_maxima_ptr + rows, maximum, mask=rows < n_rows)
                tl.store(row_shares_ptr + rows, share, mask=rows < n_rows)
                tl.debug_barrier()
                tl.atomic_xchg(ready_ptr + band, 1, sem="release")
    if ENDS & (band >= LEAD):
        mine = (band - LEAD) * BAND + tl.arange(0, BAND)
        cols = start + tl.arange(0, TILE)
        held = None if WHOLE else (cols < n_cols)[:, None] & (mine < n_rows)[None, :]
        places = cols[:, None] * x_col_stride + mine[None, :]
        x = tl.load(x_ptr + places, mask=held, eviction_policy="evict_first")
        if AHEAD:
            tl.extra.cuda.gdc_wait()
        if READS:
            ready, left = tl.atomic_add(ready_ptr + band - LEAD, 0, sem="acquire"), PATIENCE
            while (ready == 0) & (left > 0):
                ready = tl.atomic_add(ready_ptr + band - LEAD, 0, sem="acquire")
                left -= 1
            if ready != 0:
                shift = tl.load(row_maxima_ptr + mine, mask=mine < n_rows, other=0.0)
                share = tl.load(row_shares_ptr + mine, mask=mine < n_rows, other=0.0)
            else:
                shift, whole = state_of(
                    x_ptr, mine, n_rows, 0, n_cols, n_cols, x_col_stride, BAND, LANES, LANES, WHOLE, BINARY
                )
                share = 1.0 / whole
        else:
            shift, share = merged(maxima_ptr, totals_ptr, mine, n_rows, n_parts, PARTS, BINARY)
        for first in tl.static_range(0, PART, TILE):
            cols = start + first + tl.arange(0, TILE)
            if first > 0:
                held = None if WHOLE else (cols < n_cols)[:, None] & (mine < n_rows)[None, :]
                places = cols[:, None] * x_col_stride + mine[None, :]
                x = tl.load(x_ptr + places, mask=held, eviction_policy="evict_first")
            y = (weight(x.to(tl.float32), shift[None, :], BINARY) * share[None, :]).to(out_ptr.dtype.element_ty)
            to = mine[:, None] * n_cols + cols[None, :]
            owned = None if WHOLE else (mine < n_rows)[:, None] & (cols < n_cols)[None, :]
            tl.store(out_ptr + to, tl.trans(y), mask=owned, eviction_policy="evict_first")
    ### END SOLUTION


def tuned(x, *, num_warps=4):
    """The contract of ``softmax``, but for a band that is given up: a last digit there may differ between calls.

    An x whose rows lie side by side, element by element, is read along that axis.
    """
    # 17. Refuse as before. Is x turned, stride(0) 1 and stride(1) at least the number of rows? If not, or without rows: softmax.
    # 18. Result, and scratch of this call: two float32 numbers for every part of every row, two for every row, two int32 flags for
    #     every band. (torch.empty)
    # 19. clear_kernel, 1024 flags a program. Then bands_kernel, (n_bands + LEAD) · n_parts programs: on a GPU (x.is_cuda) one launch
    #     that reads and finishes; elsewhere, where programs take turns and cannot wait, one that reads and one that finishes. LANES: a
    #     thread loads 16 bytes of a column; how many threads does a column of BAND rows take, and how many columns do all load?
    # 20. AHEAD on a card of capability (9, 0) or more (torch.cuda.get_device_capability), and then launch_pdl=True for each. BINARY
    #     for float16, whose largest value times log2(e) is rounded by less than 0.004; a float32 can be so large that 2 to the
    #     power of that rounding is ∞ or 0.
    # 21. maxnreg=REGISTERS for bands_kernel where hardly anything spills for it: AHEAD, WHOLE, float16, 4 warps.
    ### BEGIN SOLUTION
    refuse(x, num_warps)
    n_rows, n_cols = x.shape
    if n_rows == 0 or x.stride(0) != 1 or x.stride(1) < n_rows:
        return softmax(x, num_warps=num_warps)
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    n_bands, n_parts = triton.cdiv(n_rows, BAND), triton.cdiv(n_cols, PART)
    maxima, totals = (torch.empty((n_parts, n_rows), dtype=torch.float32, device=x.device) for _ in range(2))
    row_maxima, row_shares = (torch.empty(n_rows, dtype=torch.float32, device=x.device) for _ in range(2))
    flags = torch.empty((2, n_bands), dtype=torch.int32, device=x.device)
    ahead = x.is_cuda and torch.cuda.get_device_capability(x.device) >= (9, 0)
    early = {"launch_pdl": True} if ahead else {}
    whole, half = n_rows % BAND == 0 and n_cols % PART == 0, x.dtype == torch.float16
    few = {"maxnreg": REGISTERS} if ahead and whole and half and num_warps == 4 else {}
    clear_kernel[(triton.cdiv(2 * n_bands, 1024),)](flags, 2 * n_bands, BLOCK=1024, AHEAD=ahead, **early)
    for reads, ends in ((True, True),) if x.is_cuda else ((True, False), (False, True)):
        bands_kernel[((n_bands + LEAD) * n_parts,)](
            x, maxima, totals, row_maxima, row_shares, flags[0], flags[1], out,
            n_rows, n_cols, x.stride(1), n_bands, n_parts,
            BAND=BAND, PART=PART, STEP=STEP, TILE=TILE, LEAD=LEAD, PATIENCE=PATIENCE,
            PARTS=triton.next_power_of_2(n_parts), LANES=num_warps * 512 // (BAND * x.element_size()),
            WHOLE=whole, READS=reads, ENDS=ends, AHEAD=ahead, BINARY=half, num_warps=num_warps, **early, **few,
        )  # fmt: skip
    return out
    ### END SOLUTION
