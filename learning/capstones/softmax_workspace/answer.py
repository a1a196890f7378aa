"""Our entry for C2: one buffer, one owner, one call at a time; slices of the buffer are the scratch of A2's three kernels."""

import torch
import triton
import triton.language as tl

### BEGIN SOLUTION
MAX_COLUMNS = 131072
MAX_OFFSET = 2**31 - 1
CHUNK_SIZES = (256, 1024, 4096)
DTYPES = (torch.float32, torch.float16, torch.bfloat16)


@triton.jit
def part_kernel(x_ptr, maxima_ptr, totals_ptr, n_cols, n_chunks, CHUNK: tl.constexpr):
    """One program, one chunk of one row: its state."""
    place = tl.program_id(0)
    row, chunk = place // n_chunks, place % n_chunks
    cols = chunk * CHUNK + tl.arange(0, CHUNK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=-float("inf")).to(tl.float32)
    maximum = tl.max(x, axis=0)
    tl.store(maxima_ptr + place, maximum)
    tl.store(totals_ptr + place, tl.sum(tl.exp(x - maximum), axis=0))


@triton.jit
def merge_kernel(maxima_ptr, totals_ptr, row_maxima_ptr, row_totals_ptr, n_chunks, CHUNKS: tl.constexpr):
    """One program, one row: the states of its chunks become one."""
    row = tl.program_id(0)
    chunks = tl.arange(0, CHUNKS)
    mask = chunks < n_chunks
    maxima = tl.load(maxima_ptr + row * n_chunks + chunks, mask=mask, other=-float("inf"))
    totals = tl.load(totals_ptr + row * n_chunks + chunks, mask=mask, other=0.0)
    maximum = tl.max(maxima, axis=0)
    tl.store(row_maxima_ptr + row, maximum)
    tl.store(row_totals_ptr + row, tl.sum(totals * tl.exp(maxima - maximum), axis=0))


@triton.jit
def normalise_kernel(x_ptr, row_maxima_ptr, row_totals_ptr, out_ptr, n_cols, n_chunks, CHUNK: tl.constexpr):
    """One program, one chunk of one row: its quotients."""
    place = tl.program_id(0)
    row, chunk = place // n_chunks, place % n_chunks
    cols = chunk * CHUNK + tl.arange(0, CHUNK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=-float("inf")).to(tl.float32)
    y = tl.exp(x - tl.load(row_maxima_ptr + row)) / tl.load(row_totals_ptr + row)
    tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


### END SOLUTION


class Workspace:
    """Scratch for ``softmax`` that one queue owns: ``owner``; ``nbytes`` of memory held now."""

    ### BEGIN SOLUTION
    def __init__(self):
        self.owner = current()
        self.buffer = None
        self.busy = False

    @property
    def nbytes(self):
        return 0 if self.buffer is None else self.buffer.numel() * 4

    def take_over(self):
        """Make the current queue the owner, behind all that the owner before asked for."""
        self.refuse_busy()
        queue = current()
        if queue == self.owner:
            return
        queue.wait(self.owner.record())
        if self.buffer is not None:
            queue.keeps(self.buffer)
        self.owner = queue

    def release(self):
        """Let go of the memory."""
        self.refuse_others()
        self.refuse_busy()
        self.buffer = None

    def begin(self, floats, device):
        """Start a call that needs so many float32 numbers: the buffer that holds them until ``end``."""
        self.refuse_others()
        self.refuse_busy()
        if self.buffer is None or self.buffer.numel() < floats:
            grown = max(floats, 2 * self.buffer.numel()) if self.buffer is not None else floats
            self.buffer = torch.empty(min(grown, 2 * floats - 1), dtype=torch.float32, device=device)
        self.busy = True
        return self.buffer

    def end(self):
        """The call that ``begin`` started has asked for all its work."""
        self.busy = False

    def refuse_others(self):
        """Raise ValueError on any queue but the owner's."""
        if current() != self.owner:
            raise ValueError(
                f"workspace belongs to {self.owner}, and this is {current()}: call its take_over() here first"
            )

    def refuse_busy(self):
        """Raise ValueError while a call is under way."""
        if self.busy:
            raise ValueError(
                "workspace is in use by a call that has not returned; another workspace can serve this one"
            )

    ### END SOLUTION


### BEGIN SOLUTION
def refuse(x, workspace, chunk_size):
    """Raise TypeError or ValueError for what the contract excludes, naming the argument and the limit."""
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
    if workspace is not None and not isinstance(workspace, Workspace):
        raise TypeError(f"workspace must be a Workspace or None, not {type(workspace).__name__}")


### END SOLUTION


def softmax_reference(x):
    """Softmax of each row of ``x`` [rows, columns] in eager torch, in the dtype of ``x``."""
    ### BEGIN SOLUTION
    return torch.softmax(x, dim=1)
    ### END SOLUTION


def softmax(x, *, workspace=None, chunk_size=1024):
    """Softmax of each row of contiguous ``x`` [rows, columns], chunk by chunk, with scratch of ``workspace`` or of its own."""
    ### BEGIN SOLUTION
    refuse(x, workspace, chunk_size)
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if n_rows == 0:
        return out
    n_chunks = triton.cdiv(n_cols, chunk_size)
    held = Workspace() if workspace is None else workspace
    count = n_rows * n_chunks
    buffer = held.begin(2 * count + 2 * n_rows, x.device)
    try:
        maxima, totals = buffer[:count], buffer[count : 2 * count]
        row_maxima, row_totals = buffer[2 * count : 2 * count + n_rows], buffer[2 * count + n_rows :]
        warps, CHUNKS = 8 if chunk_size == 4096 else 4, triton.next_power_of_2(n_chunks)
        part_kernel[(count,)](x, maxima, totals, n_cols, n_chunks, CHUNK=chunk_size, num_warps=warps)
        merge_kernel[(n_rows,)](maxima, totals, row_maxima, row_totals, n_chunks, CHUNKS=CHUNKS)
        normalise_kernel[(count,)](x, row_maxima, row_totals, out, n_cols, n_chunks, CHUNK=chunk_size, num_warps=warps)
    finally:
        held.end()
    return out
    ### END SOLUTION
