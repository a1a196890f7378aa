"""A walrus in a comprehension, a match over the length, names of builtins as locals of functions and lambdas."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)


def block_of(n):
    sizes = [size for k in range(6, 11) if (size := 1 << k) >= n or k == 10]
    match sizes:
        case [smallest, *_]:
            return smallest
        case _:
            return 1024

def add(x, y):
    vars = {"out": torch.empty_like(x), "n": x.numel()}
    if (n := vars["n"]) == 0:
        return vars["out"]
    block = block_of(n)
    grid = (lambda input: (triton.cdiv(input, block),))(n)
    add_kernel[grid](x, y, vars["out"], n, BLOCK=block)
    return vars["out"]
