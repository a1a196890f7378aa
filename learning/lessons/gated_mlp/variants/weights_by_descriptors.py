"""The weights are named by tensor descriptors where their rows are whole 16 bytes, by pointers where not."""

import torch
import triton
import triton.language as tl


@triton.jit
def pointers_kernel(
    x_ptr, gate_ptr, up_ptr, out_ptr, n_rows, n_outer, n_inner, x_row_stride, x_inner_stride,
    BLOCK_M: tl.constexpr, BLOCK_I: tl.constexpr, BLOCK_H: tl.constexpr,
):  # fmt: skip
    across = tl.cdiv(n_outer, BLOCK_I)
    rows = tl.program_id(0) // across * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    cols = tl.program_id(0) % across * BLOCK_I + tl.arange(0, BLOCK_I)[None, :]
    gate = tl.zeros((BLOCK_M, BLOCK_I), dtype=tl.float32)
    up = tl.zeros((BLOCK_M, BLOCK_I), dtype=tl.float32)
    for start in range(0, n_inner, BLOCK_H):
        along, down = start + tl.arange(0, BLOCK_H)[None, :], start + tl.arange(0, BLOCK_H)[:, None]
        x = tl.load(
            x_ptr + rows * x_row_stride + along * x_inner_stride, mask=(rows < n_rows) & (along < n_inner), other=0.0
        )
        w_gate = tl.load(gate_ptr + cols * n_inner + down, mask=(down < n_inner) & (cols < n_outer), other=0.0)
        w_up = tl.load(up_ptr + cols * n_inner + down, mask=(down < n_inner) & (cols < n_outer), other=0.0)
        gate = tl.dot(x, w_gate, gate, input_precision="ieee")
        up = tl.dot(x, w_up, up, input_precision="ieee")
    y = gate * tl.sigmoid(gate) * up
    owned = (rows < n_rows) & (cols < n_outer)
    tl.store(out_ptr + rows * n_outer + cols, y.to(out_ptr.dtype.element_ty), mask=owned)


@triton.jit
def descriptors_kernel(
    x_ptr, gate_ptr, up_ptr, out_ptr, n_rows, n_outer, n_inner, x_row_stride, x_inner_stride,
    BLOCK_M: tl.constexpr, BLOCK_I: tl.constexpr, BLOCK_H: tl.constexpr,
):  # fmt: skip
    across = tl.cdiv(n_outer, BLOCK_I)
    rows = tl.program_id(0) // across * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    col = tl.program_id(0) % across * BLOCK_I
    cols = col + tl.arange(0, BLOCK_I)[None, :]
    gate_tiles = tl.make_tensor_descriptor(gate_ptr, [n_outer, n_inner], [n_inner, 1], [BLOCK_I, BLOCK_H])
    up_tiles = tl.make_tensor_descriptor(up_ptr, [n_outer, n_inner], [n_inner, 1], [BLOCK_I, BLOCK_H])
    gate = tl.zeros((BLOCK_M, BLOCK_I), dtype=tl.float32)
    up = tl.zeros((BLOCK_M, BLOCK_I), dtype=tl.float32)
    for start in range(0, n_inner, BLOCK_H):
        along = start + tl.arange(0, BLOCK_H)[None, :]
        x = tl.load(
            x_ptr + rows * x_row_stride + along * x_inner_stride, mask=(rows < n_rows) & (along < n_inner), other=0.0
        )
        gate = tl.dot(x, tl.trans(gate_tiles.load([col, start])), gate, input_precision="ieee")
        up = tl.dot(x, tl.trans(up_tiles.load([col, start])), up, input_precision="ieee")
    y = gate * tl.sigmoid(gate) * up
    owned = (rows < n_rows) & (cols < n_outer)
    tl.store(out_ptr + rows * n_outer + cols, y.to(out_ptr.dtype.element_ty), mask=owned)


def room(size, alignment, stream):
    return torch.zeros(size, dtype=torch.int8, device="cuda")


def gated_mlp(x, w_gate, w_up):
    (n_rows, n_inner), n_outer = x.shape, w_gate.shape[0]
    out = torch.empty((n_rows, n_outer), dtype=x.dtype, device=x.device)
    whole = n_inner * x.element_size() % 16 == 0 and w_gate.data_ptr() % 16 == 0 and w_up.data_ptr() % 16 == 0
    kernel = descriptors_kernel if whole and n_inner * n_outer > 0 else pointers_kernel
    triton.set_allocator(room)
    grid = (triton.cdiv(n_rows, 32) * triton.cdiv(n_outer, 32),)
    kernel[grid](
        x,
        w_gate,
        w_up,
        out,
        n_rows,
        n_outer,
        n_inner,
        x.stride(0),
        x.stride(1),
        BLOCK_M=32,
        BLOCK_I=32,
        BLOCK_H=32,
        num_warps=4,
    )
    return out
