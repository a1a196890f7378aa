"""A row that holds nothing has the maximum −inf, and −inf − (−inf) is NaN: pin the maximum, and never store the row."""

import torch
import triton
import triton.language as tl

from learning.ledger.exhibit import COMPILED, bites, case

M, ROWS, COLS = 5, 8, 16


@triton.jit
def wrong_ghosts_kernel(x_ptr, out_ptr, m_rows, ROWS: tl.constexpr, COLS: tl.constexpr):
    offs_m, offs_n = tl.arange(0, ROWS), tl.arange(0, COLS)
    x = tl.load(x_ptr + offs_m[:, None] * COLS + offs_n[None, :], mask=(offs_m < m_rows)[:, None], other=-float("inf"))
    m = tl.max(x, axis=1)
    p = tl.exp(x - m[:, None])
    tl.store(out_ptr + offs_n, tl.sum(p, axis=0))


@triton.jit
def right_ghosts_kernel(x_ptr, out_ptr, m_rows, ROWS: tl.constexpr, COLS: tl.constexpr):
    offs_m, offs_n = tl.arange(0, ROWS), tl.arange(0, COLS)
    x = tl.load(x_ptr + offs_m[:, None] * COLS + offs_n[None, :], mask=(offs_m < m_rows)[:, None], other=-float("inf"))
    m = tl.max(x, axis=1)
    m = tl.where(offs_m < m_rows, m, 0.0)
    p = tl.exp(x - m[:, None])
    tl.store(out_ptr + offs_n, tl.sum(p, axis=0))


@case(COMPILED)
def three_ghost_rows_in_a_tile_of_eight(device):
    """Column sums over five real rows and three ghosts: one NaN row makes every sum NaN."""
    x = torch.randn(M, COLS, generator=torch.Generator().manual_seed(13)).to(device)
    true = torch.exp(x - x.amax(1, keepdim=True)).sum(0)
    wrong, right = torch.zeros(COLS, device=device), torch.zeros(COLS, device=device)
    wrong_ghosts_kernel[(1,)](x, wrong, M, ROWS=ROWS, COLS=COLS)
    right_ghosts_kernel[(1,)](x, right, M, ROWS=ROWS, COLS=COLS)
    nans = int(wrong.isnan().sum())
    fine = "every sum right" if torch.allclose(right, true, rtol=1e-5) else f"{int(right.isnan().sum())} NaN"
    return bites(nans > 0, f"{nans} of {COLS} sums are NaN", f"{fine}, the ghosts pinned at 0")
