"""Kernel kinds of the course that multiply matrices: see ``kernels.py``."""

import torch
import triton
import triton.language as tl

from .kernels import _random


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(a_ptr + m[:, None] * sam + k[None, :] * sak, mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * sbk + n[None, :] * sbn, mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    mask = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(c_ptr.dtype.element_ty), mask=mask)


def matmul(dtype, device):
    a, b = _random(130, 72, dtype=dtype, device=device), _random(72, 96, dtype=dtype, device=device)
    c = torch.empty(130, 96, dtype=dtype, device=device)
    matmul_kernel[(5, 3)](a, b, c, 130, 96, 72, *a.stride(), *b.stride(), BM=32, BN=32, BK=32)
    return c, a.double() @ b.double(), 40


@triton.jit
def descriptor_matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, BN])
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a_desc.load([m, k]), b_desc.load([k, n]), acc, input_precision="ieee")
    c_desc.store([m, n], acc.to(c_ptr.dtype.element_ty))


def matmul_by_descriptor(dtype, device):
    a, b = _random(130, 72, dtype=dtype, device=device), _random(72, 96, dtype=dtype, device=device)
    c = torch.empty(130, 96, dtype=dtype, device=device)
    if device == "cuda":
        triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device=device))
    descriptor_matmul_kernel[(5, 3)](a, b, c, 130, 96, 72, BM=32, BN=32, BK=32)
    return c, a.double() @ b.double(), 40


@triton.jit
def block_pointer_matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    a = tl.make_block_ptr(a_ptr, (M, K), (K, 1), (m, 0), (BM, BK), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (N, 1), (0, n), (BK, BN), (1, 0))
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        x = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        y = tl.load(b, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(x, y, acc, input_precision="ieee")
        a = tl.advance(a, (0, BK))
        b = tl.advance(b, (BK, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (N, 1), (m, n), (BM, BN), (1, 0))
    tl.store(c, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


def matmul_by_block_pointer(dtype, device):
    a, b = _random(130, 72, dtype=dtype, device=device), _random(72, 96, dtype=dtype, device=device)
    c = torch.empty(130, 96, dtype=dtype, device=device)
    block_pointer_matmul_kernel[(5, 3)](a, b, c, 130, 96, 72, BM=32, BN=32, BK=32)
    return c, a.double() @ b.double(), 40


@triton.jit
def grouped_gemm_kernel(
    a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K, GROUP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    pid = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = pid // (GROUP * tiles_n)
    first = group * GROUP
    size = min(tiles_m - first, GROUP)
    m = (first + (pid % (GROUP * tiles_n)) % size) * BM + tl.arange(0, BM)
    n = ((pid % (GROUP * tiles_n)) // size) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(a_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    acc += tl.load(bias_ptr + n, mask=n < N, other=0.0).to(tl.float32)[None, :]
    acc = tl.maximum(acc, 0.0)
    tl.store(
        c_ptr + m[:, None] * N + n[None, :],
        acc.to(c_ptr.dtype.element_ty),
        mask=(m[:, None] < M) & (n[None, :] < N),
    )


def grouped_gemm(dtype, device):
    a, b = _random(130, 40, dtype=dtype, device=device), _random(40, 70, dtype=dtype, device=device)
    bias = _random(70, dtype=dtype, device=device)
    c = torch.empty(130, 70, dtype=dtype, device=device)
    grouped_gemm_kernel[(5 * 3,)](a, b, bias, c, 130, 70, 40, GROUP=4, BM=32, BN=32, BK=32)
    return c, torch.relu(a.double() @ b.double() + bias.double()), 40


@triton.jit
def gated_mlp_kernel(
    x_ptr, g_ptr, u_ptr, out_ptr, M, H, inner, sgh, sgi, BM: tl.constexpr, BI: tl.constexpr, BH: tl.constexpr
):  # fmt: skip
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    i = tl.program_id(1) * BI + tl.arange(0, BI)
    gate = tl.zeros((BM, BI), dtype=tl.float32)
    up = tl.zeros((BM, BI), dtype=tl.float32)
    for start in range(0, H, BH):
        h = start + tl.arange(0, BH)
        x = tl.load(x_ptr + m[:, None] * H + h[None, :], mask=(m[:, None] < M) & (h[None, :] < H), other=0.0)
        mask = (h[:, None] < H) & (i[None, :] < inner)
        gate = tl.dot(x, tl.load(g_ptr + h[:, None] * sgh + i[None, :] * sgi, mask=mask, other=0.0), gate,
                      input_precision="ieee")  # fmt: skip
        up = tl.dot(x, tl.load(u_ptr + h[:, None] * sgh + i[None, :] * sgi, mask=mask, other=0.0), up,
                    input_precision="ieee")  # fmt: skip
    out = gate * tl.sigmoid(gate) * up
    mask = (m[:, None] < M) & (i[None, :] < inner)
    tl.store(out_ptr + m[:, None] * inner + i[None, :], out.to(out_ptr.dtype.element_ty), mask=mask)


def gated_mlp(dtype, device):
    x = _random(20, 40, dtype=dtype, device=device)
    wg, wu = (_random(50, 40, dtype=dtype, seed=s, device=device) * 0.2 for s in (1, 2))
    out = torch.empty(20, 50, dtype=dtype, device=device)
    g, u = wg.t(), wu.t()
    gated_mlp_kernel[(1, 2)](x, g, u, out, 20, 40, 50, *g.stride(), BM=32, BI=32, BH=32)
    gate = x.double() @ wg.double().t()
    return out, torch.nn.functional.silu(gate) * (x.double() @ wu.double().t()), 40


@triton.jit
def gemv_kernel(x_ptr, w_ptr, out_ptr, N, K, BN: tl.constexpr, BK: tl.constexpr):
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    acc = tl.zeros((BN,), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(x_ptr + k, mask=k < K, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + n[:, None] * K + k[None, :], mask=(n[:, None] < N) & (k[None, :] < K), other=0.0)
        acc += tl.sum(w.to(tl.float32) * x[None, :], axis=1)
    tl.store(out_ptr + n, acc.to(out_ptr.dtype.element_ty), mask=n < N)


def gemv(dtype, device):
    x, w = _random(200, dtype=dtype, device=device), _random(100, 200, dtype=dtype, device=device)
    out = torch.empty(100, dtype=dtype, device=device)
    gemv_kernel[(4,)](x, w, out, 100, 200, BN=32, BK=64)
    return out, w.double() @ x.double(), 60


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, N, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr
):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :], mask=m[:, None] < N, other=0.0)
    best = tl.full((BM,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    for start in range(0, N, BN):
        n = start + tl.arange(0, BN)
        k = tl.load(k_ptr + n[None, :] * D + d[:, None], mask=n[None, :] < N, other=0.0)
        s = tl.dot(q, k, input_precision="ieee") * scale
        seen = n[None, :] < N
        if CAUSAL:
            seen = seen & (n[None, :] <= m[:, None])
        s = tl.where(seen, s, -float("inf"))
        new = tl.maximum(best, tl.max(s, axis=1))
        p = tl.exp(s - new[:, None])
        rescale = tl.exp(best - new)
        total = total * rescale + tl.sum(p, axis=1)
        v = tl.load(v_ptr + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
        acc = acc * rescale[:, None] + tl.dot(p.to(v.dtype), v, input_precision="ieee")
        best = new
    out = acc / total[:, None]
    tl.store(out_ptr + m[:, None] * D + d[None, :], out.to(out_ptr.dtype.element_ty), mask=m[:, None] < N)


def attention(dtype, device):
    q, k, v = (_random(100, 32, dtype=dtype, seed=s, device=device) for s in (0, 1, 2))
    out = torch.empty_like(q)
    attention_kernel[(4,)](q, k, v, out, 100, 32**-0.5, D=32, BM=32, BN=32, CAUSAL=True)
    s = q.double() @ k.double().t() * 32**-0.5
    s = s.masked_fill(~torch.ones(100, 100, dtype=torch.bool, device=device).tril(), -float("inf"))
    return out, torch.softmax(s, -1) @ v.double(), 4


@triton.jit
def decode_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, length, window, k_head, v_head, scale,
    GROUP: tl.constexpr, D: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    head = tl.program_id(0)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + head * D + d).to(tl.float32)
    best = -float("inf")
    total = 0.0
    acc = tl.zeros((D,), dtype=tl.float32)
    first = tl.maximum(length - window, 0)
    for start in range(first, length, BN):
        n = start + tl.arange(0, BN)
        mask = n[:, None] < length
        k = tl.load(k_ptr + (head // GROUP) * k_head + n[:, None] * D + d[None, :], mask=mask, other=0.0)
        s = tl.sum(k.to(tl.float32) * q[None, :], axis=1) * scale
        s = tl.where(n < length, s, -float("inf"))
        new = tl.maximum(best, tl.max(s, axis=0))
        p = tl.exp(s - new)
        rescale = tl.exp(best - new)
        v = tl.load(v_ptr + (head // GROUP) * v_head + n[:, None] * D + d[None, :], mask=mask, other=0.0)
        acc = acc * rescale + tl.sum(p[:, None] * v.to(tl.float32), axis=0)
        total = total * rescale + tl.sum(p, axis=0)
        best = new
    tl.store(out_ptr + head * D + d, (acc / total).to(out_ptr.dtype.element_ty))


def windowed_decode(dtype, device):
    q = _random(8, 32, dtype=dtype, device=device)
    k, v = (_random(2, 256, 32, dtype=dtype, seed=s, device=device) for s in (1, 2))
    out = torch.empty_like(q)
    decode_kernel[(8,)](q, k, v, out, 200, 96, k.stride(0), v.stride(0), 32**-0.5, GROUP=4, D=32, BN=32)
    kd, vd = (t.double()[:, 104:200].repeat_interleave(4, 0) for t in (k, v))
    s = (kd * q.double()[:, None]).sum(-1) * 32**-0.5
    return out, (torch.softmax(s, -1)[..., None] * vd).sum(1), 4
