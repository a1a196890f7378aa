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


# A tile is ROWS × COLS of x; a program walks over PART columns, in either kernel.
ROWS, COLS, PART = 64, 64, 512


@triton.jit
def states_kernel(
    x_ptr,  # x[0, 0], at an address that 16 divides; x[i, j] and x[i + 1, j] lie side by side
    maxima_ptr,  # maxima[0, 0] of [parts, rows], float32: the largest value of each row's part
    totals_ptr,  # totals[0, 0] of [parts, rows], float32: its sum of exp(x - maximum)
    n_rows,
    n_cols,
    x_col_stride,  # elements from x[i, j] to x[i, j + 1]: a whole number of 16 bytes
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
    PART: tl.constexpr,  # columns of one part: a multiple of COLS
):
    """One program, ROWS rows, one part of their columns: a maximum and a total for each of the rows."""
    # 1. x as it lies: n_cols lines of n_rows, tiles of COLS × ROWS. Which rows are mine, which part? (tl.make_tensor_descriptor)
    # 2. A maximum and a total for every place of the tile, so that nothing is combined before the walk is over. Begin with the
    #    smallest float32 and 0. What a descriptor loads outside x is 0: which of that may never count?
    # 3. Each step: the new maximum; the total so far, brought over to it; plus exp(x - new maximum).
    # 4. The places of one row become one state, in the same way. Store it; whose rows exist?
    ### BEGIN SOLUTION
    first, part = tl.program_id(0) * ROWS, tl.program_id(1)
    x_tiles = tl.make_tensor_descriptor(x_ptr, [n_cols, n_rows], [x_col_stride, 1], [COLS, ROWS])
    maxima = tl.full((COLS, ROWS), -3.4028234663852886e38, dtype=tl.float32)
    totals = tl.zeros((COLS, ROWS), dtype=tl.float32)
    for start in tl.range(part * PART, tl.minimum(n_cols, (part + 1) * PART), COLS, num_stages=3):
        cols = start + tl.arange(0, COLS)
        x = x_tiles.load([start, first]).to(tl.float32)
        x = tl.where((cols < n_cols)[:, None], x, -float("inf"))
        higher = tl.maximum(maxima, x)
        totals = totals * tl.exp(maxima - higher) + tl.exp(x - higher)
        maxima = higher
    maximum = tl.max(maxima, axis=0)
    total = tl.sum(totals * tl.exp(maxima - maximum[None, :]), axis=0)
    rows = first + tl.arange(0, ROWS)
    tl.store(maxima_ptr + part * n_rows + rows, maximum, mask=rows < n_rows)
    tl.store(totals_ptr + part * n_rows + rows, total, mask=rows < n_rows)
    ### END SOLUTION


@triton.jit
def quotients_kernel(
    x_ptr,  # as for states_kernel
    maxima_ptr,  # [parts, rows], float32, as states_kernel left them
    totals_ptr,  # [parts, rows], float32
    out_ptr,  # out[0, 0]; out is contiguous
    n_rows,
    n_cols,
    x_col_stride,
    n_parts,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
    PART: tl.constexpr,
    PARTS: tl.constexpr,  # lanes for the parts of a row: a power of two, at least n_parts
):
    """One program, ROWS rows, one part of their columns, what was read last first: merge the rows' states, then quotients."""
    # 5. Which rows, which part, when program (0, 0) takes the last of both?
    # 6. All states of my rows, a column of PARTS for each; lanes without a part hold nothing: a maximum of -inf, a total of 0.
    # 7. One maximum and one total a row. Rows that do not exist have neither: pin what would be NaN.
    # 8. Each tile: quotients, cast, turned round, stored where both row and column exist. (tl.trans)
    ### BEGIN SOLUTION
    first = (tl.num_programs(0) - 1 - tl.program_id(0)) * ROWS
    part = tl.num_programs(1) - 1 - tl.program_id(1)
    x_tiles = tl.make_tensor_descriptor(x_ptr, [n_cols, n_rows], [x_col_stride, 1], [COLS, ROWS])
    rows, parts = first + tl.arange(0, ROWS), tl.arange(0, PARTS)
    held = (parts < n_parts)[:, None] & (rows < n_rows)[None, :]
    places = parts[:, None] * n_rows + rows[None, :]
    maxima = tl.load(maxima_ptr + places, mask=held, other=-float("inf"))
    totals = tl.load(totals_ptr + places, mask=held, other=0.0)
    maximum = tl.where(rows < n_rows, tl.max(maxima, axis=0), 0.0)
    total = tl.sum(totals * tl.exp(maxima - maximum[None, :]), axis=0)
    share = 1.0 / tl.where(rows < n_rows, total, 1.0)
    for start in tl.range(part * PART, tl.minimum(n_cols, (part + 1) * PART), COLS, num_stages=3):
        cols = start + tl.arange(0, COLS)
        x = x_tiles.load([start, first]).to(tl.float32)
        y = (tl.exp(x - maximum[None, :]) * share[None, :]).to(out_ptr.dtype.element_ty)
        owned = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
        to = rows[:, None] * n_cols + cols[None, :]
        tl.store(out_ptr + to, tl.trans(y), mask=owned, eviction_policy="evict_first")
    ### END SOLUTION


def room_for_descriptors(size, alignment, stream):
    """What Triton asks for where the hardware reads a descriptor from memory (sm_90): ``size`` bytes on the GPU.

    Zeros: there a descriptor is put in its place by exchanges, each of which reads what stood there before.
    """
    return torch.zeros(size, dtype=torch.int8, device="cuda")


def tuned(x, *, num_warps=4):
    """The contract of ``softmax``; an x whose rows lie side by side, element by element, is read along that axis."""
    # 9. Refuse as before. Is x turned, stride(0) 1 and stride(1) at least the number of rows and a whole number of 16 bytes,
    #    at an address that 16 divides? If not, or without rows: softmax.
    # 10. Result, and scratch of this call: two float32 numbers for every part of every row. (torch.empty)
    # 11. triton.set_allocator(room_for_descriptors), then both kernels: as many programs as blocks of rows, times parts.
    ### BEGIN SOLUTION
    refuse(x, num_warps)
    n_rows, n_cols = x.shape
    turned = x.stride(0) == 1 and x.stride(1) >= max(n_rows, 1)
    if not turned or n_rows == 0 or x.stride(1) * x.element_size() % 16 or x.data_ptr() % 16:
        return softmax(x, num_warps=num_warps)
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    n_parts = triton.cdiv(n_cols, PART)
    maxima, totals = (torch.empty((n_parts, n_rows), dtype=torch.float32, device=x.device) for _ in range(2))
    grid, tile = (triton.cdiv(n_rows, ROWS), n_parts), {"ROWS": ROWS, "COLS": COLS, "PART": PART}
    triton.set_allocator(room_for_descriptors)
    states_kernel[grid](x, maxima, totals, n_rows, n_cols, x.stride(1), **tile, num_warps=num_warps)
    quotients_kernel[grid](
        x, maxima, totals, out, n_rows, n_cols, x.stride(1), n_parts,
        **tile, PARTS=triton.next_power_of_2(n_parts), num_warps=num_warps,
    )  # fmt: skip
    return out
    ### END SOLUTION
