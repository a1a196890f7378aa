"""num_stages does nothing on a T4, whose blocks hold 64 KiB of shared memory."""

import torch
import triton
import triton.language as tl

from learning.ledger.exhibit import COMPILED, bites, case, instructions

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


def _made(target, stages, tile=(32, 32, 32), dtype=torch.float16, warps=4):
    from learning.lens import compile as view

    a = torch.empty(N, N, dtype=dtype)
    bm, bn, bk = tile
    return view.kernel(
        product_kernel, a, a, torch.empty(N, N, dtype=dtype), N, BM=bm, BN=bn, BK=bk, num_warps=warps, num_stages=stages,
        target=target,
    )  # fmt: skip


@case(COMPILED)
def one_to_four_stages(device):
    """On sm_75 num_stages of 1 to 4 gives one and the same code."""
    kinds = {
        target: len({"\n".join(instructions(_made(target, stages))) for stages in (1, 2, 3, 4)})
        for target in ("sm_75", "sm_80")
    }
    told = f"sm_75: {kinds['sm_75']} kernel{'s' if kinds['sm_75'] > 1 else ''} for four settings"
    return bites(kinds["sm_75"] == 1, told, f"sm_80: {kinds['sm_80']}")


@case(COMPILED)
def a_tile_that_no_t4_can_start(device):
    """A float32 tile of 128 × 256 × 64 asks for more shared memory than a T4's block has."""
    big = (128, 256, 64)
    t4, h100 = (_made(target, 2, big, torch.float32, 8) for target in ("sm_75", "sm_90"))
    told = f"{t4.shared} of {t4.card.shared_block} bytes on a T4"
    return bites(
        t4.shared > t4.card.shared_block, told, f"{h100.card.name}: {'starts' if h100.launches else 'does not start'}"
    )
