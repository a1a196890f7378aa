"""float32 operands are cut to the ten bits of TF32, which tensor cores take from sm_80 on."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "walks_along_x_once_for_both_products"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def gated_mlp_kernel(
    x_ptr, gate_ptr, up_ptr, out_ptr, n_rows, n_outer, n_inner, x_row_stride, x_inner_stride, w_inner_stride, w_outer_stride,
    BLOCK_M: tl.constexpr, BLOCK_I: tl.constexpr, BLOCK_H: tl.constexpr,
):  # fmt: skip
    tiles_across = tl.cdiv(n_outer, BLOCK_I)
    tile = tl.program_id(0)
    rows = tile // tiles_across * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    cols = tile % tiles_across * BLOCK_I + tl.arange(0, BLOCK_I)[None, :]
    gate = tl.zeros((BLOCK_M, BLOCK_I), dtype=tl.float32)
    up = tl.zeros((BLOCK_M, BLOCK_I), dtype=tl.float32)
    for start in range(0, n_inner, BLOCK_H):
        inner = start + tl.arange(0, BLOCK_H)
        along, down = inner[None, :], inner[:, None]
        at = down * w_inner_stride + cols * w_outer_stride
        weighted = (down < n_inner) & (cols < n_outer)
        x_mask = (rows < n_rows) & (along < n_inner)
        x = tl.load(x_ptr + rows * x_row_stride + along * x_inner_stride, mask=x_mask, other=0.0)
        w_gate = tl.load(gate_ptr + at, mask=weighted, other=0.0)
        w_up = tl.load(up_ptr + at, mask=weighted, other=0.0)
        gate = tl.dot(x, w_gate, gate, input_precision="tf32")
        up = tl.dot(x, w_up, up, input_precision="tf32")
    y = gate * tl.sigmoid(gate) * up
    owned = (rows < n_rows) & (cols < n_outer)
    tl.store(out_ptr + rows * n_outer + cols, y.to(out_ptr.dtype.element_ty), mask=owned)


def gated_mlp(x, w_gate, w_up):
    gate, up = w_gate.t(), w_up.t()
    (n_rows, n_inner), n_outer = x.shape, gate.shape[1]
    out = torch.empty((n_rows, n_outer), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(n_rows, 32) * triton.cdiv(n_outer, 32),)
    gated_mlp_kernel[grid](
        x, gate, up, out, n_rows, n_outer, n_inner, x.stride(0), x.stride(1), gate.stride(0), gate.stride(1),
        BLOCK_M=32, BLOCK_I=32, BLOCK_H=32, num_warps=4,
    )  # fmt: skip
    return out
