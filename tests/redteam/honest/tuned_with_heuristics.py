"""Autotuner and heuristics at once, the configurations from a comprehension, one of them dropped by a function."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)


def fewer(configs, names, **options):
    return [c for c in configs if c.kwargs["BLOCK"] <= max(256, triton.next_power_of_2(names.get("n", 256)))]

@triton.autotune([triton.Config({"BLOCK": 1 << k}, num_warps=w) for k, w in ((8, 2), (9, 4))], key=["n"],
                 prune_configs_by={"early_config_prune": fewer})
@triton.heuristics({"EVEN": lambda names: names["n"] % names["BLOCK"] == 0})
@triton.jit
def tuned_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        total = tl.load(x_ptr + offsets).to(tl.float32) + tl.load(y_ptr + offsets).to(tl.float32)
        tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty))
    else:
        mask = offsets < n
        total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
        tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)

def add(x, y):
    out = torch.empty_like(x)
    tuned_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, out, x.numel())
    return out
