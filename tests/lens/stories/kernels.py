"""Kernel kinds of the course, small: each function runs one in a dtype and returns (got, expected, condition).

``expected`` is computed in float64 from the inputs as rounded to the dtype; ``condition`` scales the error that rounding
can cause (1 where the result is of order 1).
"""

import torch
import triton
import triton.language as tl


def _random(*shape, dtype, seed=0, device="cpu"):
    generator = torch.Generator().manual_seed(seed + sum(shape))
    return torch.randn(*shape, generator=generator, dtype=torch.float32).to(dtype).to(device)


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def add(dtype, device):
    x, y = _random(2500, dtype=dtype, device=device), _random(2500, dtype=dtype, seed=1, device=device)
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(2500, 1024),)](x, y, out, 2500, BLOCK=1024)
    return out, x.double() + y.double(), 4


@triton.jit
def copy_kernel(x_ptr, out_ptr, rows, cols, row_stride, col_stride, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    mask = (r[:, None] < rows) & (c[None, :] < cols)
    x = tl.load(x_ptr + r[:, None] * row_stride + c[None, :] * col_stride, mask=mask)
    tl.store(out_ptr + r[:, None] * cols + c[None, :], x, mask=mask)


def strided_copy(dtype, device):
    x = _random(37, 70, dtype=dtype, device=device).t()
    out = torch.empty(70, 37, dtype=dtype, device=device)
    copy_kernel[(triton.cdiv(70, 32), triton.cdiv(37, 16))](x, out, 70, 37, *x.stride(), BM=32, BN=16)
    return out, x.double(), 0


@triton.jit
def softmax_kernel(x_ptr, out_ptr, x_row, x_col, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row + cols * x_col, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    y = e / tl.sum(e, axis=0)
    tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


def softmax(dtype, device):
    x = _random(5, 781, dtype=dtype, device=device) * 3
    out = torch.empty_like(x)
    softmax_kernel[(5,)](x, out, *x.stride(), 781, BLOCK=1024)
    return out, torch.softmax(x.double(), -1), 1


@triton.jit
def softmax_three_loops_kernel(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    m = -float("inf")
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        s += tl.sum(tl.exp(x - m), axis=0)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        y = tl.exp(x - m) / s
        tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=cols < n_cols)


def softmax_three_loops(dtype, device):
    x = _random(3, 781, dtype=dtype, device=device)
    out = torch.empty_like(x)
    softmax_three_loops_kernel[(3,)](x, out, 781, BLOCK=256)
    return out, torch.softmax(x.double(), -1), 1


@triton.jit
def online_step(m, s, x):
    new = tl.maximum(m, tl.max(x, axis=0))
    return new, s * tl.exp(m - new) + tl.sum(tl.exp(x - new), axis=0)


@triton.jit
def softmax_online_kernel(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    m = -float("inf")
    s = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        m, s = online_step(m, s, x)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(out_ptr + row * n_cols + cols, (tl.exp(x - m) / s).to(out_ptr.dtype.element_ty), mask=cols < n_cols)


def softmax_online(dtype, device):
    x = _random(3, 781, dtype=dtype, device=device)
    out = torch.empty_like(x)
    softmax_online_kernel[(3,)](x, out, 781, BLOCK=256)
    return out, torch.softmax(x.double(), -1), 1


@triton.jit
def chunk_kernel(x_ptr, m_ptr, s_ptr, n_cols, n_chunks, CHUNK: tl.constexpr):
    row, chunk = tl.program_id(0), tl.program_id(1)
    cols = chunk * CHUNK + tl.arange(0, CHUNK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    m = tl.max(x, axis=0)
    tl.store(m_ptr + row * n_chunks + chunk, m)
    tl.store(s_ptr + row * n_chunks + chunk, tl.sum(tl.exp(x - m), axis=0))


@triton.jit
def merge_kernel(m_ptr, s_ptr, total_ptr, n_chunks, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    m = tl.load(m_ptr + row * n_chunks + i, mask=i < n_chunks, other=-float("inf"))
    s = tl.load(s_ptr + row * n_chunks + i, mask=i < n_chunks, other=0.0)
    best = tl.max(m, axis=0)
    tl.store(total_ptr + row * 2, best)
    tl.store(total_ptr + row * 2 + 1, tl.sum(s * tl.exp(m - best), axis=0))


@triton.jit
def finish_kernel(x_ptr, total_ptr, out_ptr, n_cols, CHUNK: tl.constexpr):
    row, chunk = tl.program_id(0), tl.program_id(1)
    cols = chunk * CHUNK + tl.arange(0, CHUNK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
    y = tl.exp(x - tl.load(total_ptr + row * 2)) / tl.load(total_ptr + row * 2 + 1)
    tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=cols < n_cols)


def split_softmax(dtype, device):
    x = _random(3, 781, dtype=dtype, device=device)
    out = torch.empty_like(x)
    m, s, total = (torch.empty(3, n, dtype=torch.float32, device=device) for n in (4, 4, 2))
    chunk_kernel[(3, 4)](x, m, s, 781, 4, CHUNK=256)
    merge_kernel[(3,)](m, s, total, 4, BLOCK=4)
    finish_kernel[(3, 4)](x, total, out, 781, CHUNK=256)
    return out, torch.softmax(x.double(), -1), 1


@triton.jit
def softmax_backward_kernel(y_ptr, g_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    mask = cols < n_cols
    y = tl.load(y_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    g = tl.load(g_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * n_cols + cols, (y * (g - tl.sum(y * g, axis=0))).to(out_ptr.dtype.element_ty), mask=mask)


def softmax_backward(dtype, device):
    y = torch.softmax(_random(4, 300, dtype=torch.float32), -1).to(dtype).to(device)
    g = _random(4, 300, dtype=dtype, device=device)
    out = torch.empty_like(y)
    softmax_backward_kernel[(4,)](y, g, out, 300, BLOCK=512)
    yd, gd = y.double(), g.double()
    return out, yd * (gd - (yd * gd).sum(-1, keepdim=True)), 1


@triton.jit
def rmsnorm_kernel(x_ptr, r_ptr, w_ptr, normed_ptr, summed_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    summed = (x + r).to(summed_ptr.dtype.element_ty)
    tl.store(summed_ptr + row * n_cols + cols, summed, mask=mask)
    s = summed.to(tl.float32)
    scale = tl.rsqrt(tl.sum(s * s, axis=0) / n_cols + eps)
    tl.store(normed_ptr + row * n_cols + cols, (s * scale * w).to(normed_ptr.dtype.element_ty), mask=mask)


def rmsnorm(dtype, device):
    x, r = _random(8, 100, dtype=dtype, device=device), _random(8, 100, dtype=dtype, seed=1, device=device)
    w = _random(100, dtype=dtype, device=device)
    normed, summed = torch.empty_like(x), torch.empty_like(x)
    rmsnorm_kernel[(8,)](x, r, w, normed, summed, 100, 1e-5, BLOCK=128)
    s = (x.double() + r.double()).to(dtype)
    assert torch.equal(s, summed)
    s = s.double()
    return normed, s * torch.rsqrt((s * s).mean(-1, keepdim=True) + 1e-5) * w.double(), 8


@triton.jit
def layernorm_kernel(x_ptr, w_ptr, b_ptr, out_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / n_cols
    d = tl.where(mask, x - mean, 0.0)
    scale = tl.rsqrt(tl.sum(d * d, axis=0) / n_cols + eps)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * n_cols + cols, (d * scale * w + b).to(out_ptr.dtype.element_ty), mask=mask)


def layernorm(dtype, device):
    x, w, b = (_random(*s, dtype=dtype, device=device) for s in ((4, 100), (100,), (100,)))
    out = torch.empty_like(x)
    layernorm_kernel[(4,)](x, w, b, out, 100, 1e-5, BLOCK=128)
    return out, torch.layer_norm(x.double(), (100,), w.double(), b.double(), 1e-5), 16


@triton.jit
def minmax_kernel(x_ptr, out_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    low = tl.min(tl.where(mask, x, float("inf")), axis=0)
    high = tl.max(tl.where(mask, x, -float("inf")), axis=0)
    tl.store(out_ptr + row * n_cols + cols, ((x - low) / (high - low + eps)).to(out_ptr.dtype.element_ty), mask=mask)


def minmax(dtype, device):
    x = _random(4, 100, dtype=dtype, device=device)
    out = torch.empty_like(x)
    minmax_kernel[(4,)](x, out, 100, 1e-6, BLOCK=128)
    xd = x.double()
    low, high = xd.amin(-1, keepdim=True), xd.amax(-1, keepdim=True)
    return out, (xd - low) / (high - low + 1e-6), 1
