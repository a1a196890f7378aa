"""A class with a property, hints, docstrings, an f-string, an assert and a print."""

from __future__ import annotations
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)


class Plan:
    """How a length is cut into tiles."""

    block: int = 1024

    def __init__(self, n: int) -> None:
        self.n = n

    @property
    def grid(self) -> tuple[int, ...]:
        return (triton.cdiv(self.n, self.block),)

    def __repr__(self) -> str:
        return f"Plan({self.n})"

    def run(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Launch."""
        out = torch.empty_like(x)
        add_kernel[self.grid](x, y, out, self.n, BLOCK=self.block)
        return out


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The sum."""
    assert x.shape == y.shape, f"{tuple(x.shape)} and {tuple(y.shape)}"
    plan = Plan(x.numel())
    print(f"{plan!r} {x.dtype} {tuple(x.shape)}")
    return plan.run(x, y)
