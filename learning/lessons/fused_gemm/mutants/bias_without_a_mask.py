"""Trap: the last tile of columns reads bias numbers that do not exist."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "adds_the_bias_to_ragged_products_and_cuts_at_zero"
DIES_ON = ("interpreter",)

MAX_OFFSET = 2**31 - 1
DTYPES = (torch.float16, torch.bfloat16)
GROUPS = (1, 4, 8)
TILES = (16, 32, 64)


@triton.jit
def matmul_bias_relu_kernel(
    a_ptr,  # a[0, 0]
    b_ptr,  # b[0, 0]
    bias_ptr,  # bias[0]
    out_ptr,  # out[0, 0]
    n_rows,  # M: rows of a and out
    n_cols,  # N: columns of b and out, elements of bias
    n_inner,  # K: columns of a, rows of b; may be 0
    GROUP_M: tl.constexpr,  # tile rows in one band
    BLOCK_M: tl.constexpr,  # rows of one tile of out
    BLOCK_N: tl.constexpr,  # columns of one tile of out
    BLOCK_K: tl.constexpr,  # how much of K one step takes
):
    """One program: a tile of relu(a · b + bias), which tile being decided by bands of GROUP_M tile rows."""
    tiles_down, tiles_across = tl.cdiv(n_rows, BLOCK_M), tl.cdiv(n_cols, BLOCK_N)
    tile = tl.program_id(0)
    first = tile // (GROUP_M * tiles_across) * GROUP_M
    height = tl.minimum(GROUP_M, tiles_down - first)
    within = tile % (GROUP_M * tiles_across)
    rows = (first + within % height) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    cols = within // height * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, n_inner, BLOCK_K):
        inner = start + tl.arange(0, BLOCK_K)
        along, down = inner[None, :], inner[:, None]
        a = tl.load(a_ptr + rows * n_inner + along, mask=(rows < n_rows) & (along < n_inner), other=0.0)
        b = tl.load(b_ptr + down * n_cols + cols, mask=(down < n_inner) & (cols < n_cols), other=0.0)
        acc = tl.dot(a, b, acc)
    bias = tl.load(bias_ptr + cols).to(tl.float32)
    y = tl.maximum(acc + bias, 0.0)
    owned = (rows < n_rows) & (cols < n_cols)
    tl.store(out_ptr + rows * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=owned)


def refuse(a, b, bias, group_m, tile_m):
    """TypeError or ValueError, naming argument and limit, for whatever the contract of ``matmul_bias_relu`` excludes."""
    for name, x, rank in (("a", a, 2), ("b", b, 2), ("bias", bias, 1)):
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"{name} must be a torch.Tensor, not {type(x).__name__}")
        if x.device.type != DEVICE or x.device != a.device:
            raise ValueError(f"{name} must be on the device in use, {DEVICE}, and on that of a; it is on {x.device}")
        if x.dtype not in DTYPES or x.dtype != a.dtype:
            raise TypeError(f"{name} must have dtype float16 or bfloat16, the same as a; it has {x.dtype}")
        if x.ndim != rank:
            raise ValueError(f"{name} must be {rank}-D, not {x.ndim}-D")
        if not x.is_contiguous():
            raise ValueError(f"{name} must be contiguous; its strides are {x.stride()}")
        if x.requires_grad and torch.is_grad_enabled():
            raise ValueError(f"{name} must not require grad while autograd is on: there is no backward pass")
        if x.numel() - 1 > MAX_OFFSET:
            raise ValueError(
                f"{name} must have element offsets of at most {MAX_OFFSET} (2**31 - 1), not {x.numel() - 1}"
            )
    (n_rows, n_inner), n_cols = a.shape, b.shape[1]
    if b.shape[0] != n_inner:
        raise ValueError(f"b must have shape [K, N] with K = {n_inner}, the columns of a, not {tuple(b.shape)}")
    if bias.shape[0] != n_cols:
        raise ValueError(f"bias must have shape [N] with N = {n_cols}, the columns of b, not {tuple(bias.shape)}")
    if n_rows * n_cols > MAX_OFFSET:
        raise ValueError(f"a and b give a result of {n_rows * n_cols} elements; at most {MAX_OFFSET} (2**31 - 1) fit")
    for name, value, allowed in (("group_m", group_m, GROUPS), ("tile_m", tile_m, TILES)):
        if type(value) is not int or value not in allowed:
            raise ValueError(f"{name} must be one of {', '.join(map(str, allowed))}, not {value!r}")


def matmul_bias_relu(a, b, bias, *, group_m=8, tile_m=64):
    """Return relu(a · b + bias) for contiguous a [M, K], b [K, N] and bias [N]: a fresh [M, N] of their dtype."""
    refuse(a, b, bias, group_m, tile_m)
    (n_rows, n_inner), n_cols = a.shape, b.shape[1]
    out = torch.empty((n_rows, n_cols), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(n_rows, tile_m) * triton.cdiv(n_cols, 64),)
    matmul_bias_relu_kernel[grid](
        a, b, bias, out, n_rows, n_cols, n_inner,
        GROUP_M=group_m, BLOCK_M=tile_m, BLOCK_N=64, BLOCK_K=16, num_warps=8,
    )  # fmt: skip
    return out
