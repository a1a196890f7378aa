"""L5 from memory: two biases after the loop."""

import torch
import triton
import triton.language as tl


def reference(x, w_gate, w_up, b_gate, b_up):
    gate = x.float() @ w_gate.float().t() + b_gate.float()
    up = x.float() @ w_up.float().t() + b_up.float()
    return (torch.nn.functional.silu(gate) * up).to(x.dtype)


@triton.jit
def biased_kernel(
    x_ptr,  # x[0, 0]
    gate_ptr,  # w_gate[0, 0]
    up_ptr,  # w_up[0, 0]
    b_gate_ptr,  # b_gate[0]
    b_up_ptr,  # b_up[0]
    out_ptr,  # out[0, 0]; out is contiguous
    n_rows,  # M: rows of x and out
    n_outer,  # I: rows of the weights, columns of out
    n_inner,  # H: columns of x and of the weights; may be 0
    x_row_stride,  # elements from x[i, h] to x[i + 1, h]
    x_inner_stride,  # elements from x[i, h] to x[i, h + 1]
    w_inner_stride,  # elements from one row of the (H, I) view of a weight to the next
    w_outer_stride,  # elements from one column of that view to the next
    BLOCK_M: tl.constexpr,  # rows of one tile of out
    BLOCK_I: tl.constexpr,  # columns of one tile of out
    BLOCK_H: tl.constexpr,  # how much of H one step takes
):
    """One program: a tile of both products from one walk along H, then silu of the one times the other."""
    tiles_across = tl.cdiv(n_outer, BLOCK_I)
    tile = tl.program_id(0)
    rows = tile // tiles_across * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    cols = tile % tiles_across * BLOCK_I + tl.arange(0, BLOCK_I)[None, :]
    gate = tl.zeros((BLOCK_M, BLOCK_I), dtype=tl.float32)
    up = tl.zeros((BLOCK_M, BLOCK_I), dtype=tl.float32)
    for start in range(0, n_inner, BLOCK_H):
        inner = start + tl.arange(0, BLOCK_H)
        along, down = inner[None, :], inner[:, None]
        x_offsets = rows * x_row_stride + along * x_inner_stride
        w_offsets = down * w_inner_stride + cols * w_outer_stride
        weighted = (down < n_inner) & (cols < n_outer)
        x = tl.load(x_ptr + x_offsets, mask=(rows < n_rows) & (along < n_inner), other=0.0)
        gate = tl.dot(x, tl.load(gate_ptr + w_offsets, mask=weighted, other=0.0), gate, input_precision="ieee")
        up = tl.dot(x, tl.load(up_ptr + w_offsets, mask=weighted, other=0.0), up, input_precision="ieee")
    gate += tl.load(b_gate_ptr + cols, mask=cols < n_outer, other=0.0).to(tl.float32)
    up += tl.load(b_up_ptr + cols, mask=cols < n_outer, other=0.0).to(tl.float32)
    y = gate * tl.sigmoid(gate) * up
    owned = (rows < n_rows) & (cols < n_outer)
    tl.store(out_ptr + rows * n_outer + cols, y.to(out_ptr.dtype.element_ty), mask=owned)


def biased_mlp(x, w_gate, w_up, b_gate, b_up):
    """Return silu(x · w_gateᵀ) · (x · w_upᵀ) for x [M, H] and contiguous weights [I, H]: a fresh [M, I]."""
    gate, up = w_gate.t(), w_up.t()
    (n_rows, n_inner), n_outer = x.shape, gate.shape[1]
    out = torch.empty((n_rows, n_outer), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(n_rows, 32) * triton.cdiv(n_outer, 32),)
    biased_kernel[grid](
        x, gate, up, b_gate, b_up, out, n_rows, n_outer, n_inner, x.stride(0), x.stride(1), gate.stride(0), gate.stride(1),
        BLOCK_M=32, BLOCK_I=32, BLOCK_H=32, num_warps=8, num_stages=2,
    )  # fmt: skip
    return out
