"""tl.dot gets no tensor cores on a T4: scalar multiply-adds for every dtype, and the usual tile spills."""

import torch
import triton
import triton.language as tl

from learning.ledger.exhibit import COMPILED, bites, case

N = 256


@triton.jit
def product_kernel(a_ptr, b_ptr, c_ptr, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows, cols, inner = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, n, BK):
        a = tl.load(a_ptr + rows[:, None] * n + (k + inner)[None, :])
        b = tl.load(b_ptr + (k + inner)[:, None] * n + cols[None, :])
        total = tl.dot(a, b, total)
    tl.store(c_ptr + rows[:, None] * n + cols[None, :], total.to(c_ptr.dtype.element_ty))


def _made(bm, bn, bk, warps, dtype=torch.float16, target="sm_75", **options):
    from learning.lens import compile as view

    a = torch.empty(N, N, dtype=dtype)
    return view.kernel(
        product_kernel,
        a,
        a,
        torch.empty(N, N, dtype=dtype),
        N,
        BM=bm,
        BN=bn,
        BK=bk,
        num_warps=warps,
        target=target,
        **options,
    )


@case(COMPILED)
def what_multiplies(device):
    """On sm_75 tl.dot becomes scalar multiply-adds in float16, bfloat16 and float32."""
    units = [_made(32, 32, 32, 4, dtype).unit for dtype in (torch.float16, torch.bfloat16, torch.float32)]
    told = dict(zip(("float16", "bfloat16", "float32"), units, strict=True))
    words = ", ".join(f"{dtype} {unit}" for dtype, unit in told.items())
    return bites(
        set(units) == {"FMA"}, f"sm_75: {words}", f"sm_80, float16: {_made(32, 32, 32, 4, target='sm_80').unit}"
    )


@case(COMPILED)
def the_usual_tile_spills(device):
    """An fp16 tile of 64 × 64 × 32 with 4 warps runs out of registers on sm_75; two others do not."""
    usual, flat, small = _made(64, 64, 32, 4), _made(64, 64, 16, 8), _made(32, 32, 32, 4)
    fine = f"64×64×16 with 8 warps {flat.spill_stores} bytes, 32×32×32 with 4 warps {small.spill_stores}"
    told = (
        f"64×64×32 with 4 warps: {usual.registers} registers, {'spills' if usual.spill_stores else 'nothing spilled'}"
    )
    return bites(usual.spill_stores > flat.spill_stores + small.spill_stores, told, fine)
