"""Tiles of the weights are read as [I, H] lies in memory and turned in registers."""

import torch
import triton
import triton.language as tl


@triton.jit
def turning_kernel(
    x_ptr, gate_ptr, up_ptr, out_ptr, n_rows, n_outer, n_inner, x_row_stride, x_inner_stride,
    BLOCK_M: tl.constexpr, BLOCK_I: tl.constexpr, BLOCK_H: tl.constexpr,
):  # fmt: skip
    across = tl.cdiv(n_outer, BLOCK_I)
    rows = tl.program_id(0) // across * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    cols = tl.program_id(0) % across * BLOCK_I + tl.arange(0, BLOCK_I)[None, :]
    gate = tl.zeros((BLOCK_M, BLOCK_I), dtype=tl.float32)
    up = tl.zeros((BLOCK_M, BLOCK_I), dtype=tl.float32)
    for start in range(0, n_inner, BLOCK_H):
        along = start + tl.arange(0, BLOCK_H)[None, :]
        x = tl.load(
            x_ptr + rows * x_row_stride + along * x_inner_stride, mask=(rows < n_rows) & (along < n_inner), other=0.0
        )
        outputs = tl.program_id(0) % across * BLOCK_I + tl.arange(0, BLOCK_I)[:, None]
        at, real = outputs * n_inner + along, (outputs < n_outer) & (along < n_inner)
        w_gate, w_up = tl.load(gate_ptr + at, mask=real, other=0.0), tl.load(up_ptr + at, mask=real, other=0.0)
        gate = tl.dot(x, tl.trans(w_gate), gate, input_precision="ieee")
        up = tl.dot(x, tl.trans(w_up), up, input_precision="ieee")
    y = gate * tl.sigmoid(gate) * up
    owned = (rows < n_rows) & (cols < n_outer)
    tl.store(out_ptr + rows * n_outer + cols, y.to(out_ptr.dtype.element_ty), mask=owned)


def gated_mlp(x, w_gate, w_up):
    (n_rows, n_inner), n_outer = x.shape, w_gate.shape[0]
    out = torch.empty((n_rows, n_outer), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(n_rows, 16) * triton.cdiv(n_outer, 32),)
    turning_kernel[grid](
        x,
        w_gate,
        w_up,
        out,
        n_rows,
        n_outer,
        n_inner,
        x.stride(0),
        x.stride(1),
        BLOCK_M=16,
        BLOCK_I=32,
        BLOCK_H=32,
        num_warps=4,
    )
    return out
