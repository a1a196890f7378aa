"""An honest answer with everything an honest learner leaves around it: it must earn every point."""

try:
    import a_plotting_library
except ImportError:
    a_plotting_library = None

import functools

print("starting")


@functools.lru_cache
def block_for(length):
    return 128 if length < 1000 else 256


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, total, mask=mask)


def add(x, y):
    out = torch.empty_like(x)
    block = block_for(x.numel())
    add_kernel[(triton.cdiv(x.numel(), block),)](x, y, out, x.numel(), BLOCK=block)
    print("added", x.shape)
    return out
