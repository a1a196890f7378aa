"""The first call of an autotuned kernel is a benchmark: every configuration is compiled and timed."""

import itertools

import torch
import triton
import triton.language as tl

from learning.ledger.exhibit import COMPILED, INTERPRETER, bites, case, refusal

N = 1000
CONFIGS = [triton.Config({"BLOCK": block}, num_warps=warps) for block in (64, 256) for warps in (2, 4)]


@triton.autotune(configs=CONFIGS, key=["n"])
@triton.jit
def tuned_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)


@triton.autotune(configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 32})], key=["n"])
@triton.jit
def small_blocks_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)


def _grid(meta):
    return (triton.cdiv(N, meta["BLOCK"]),)


@case(COMPILED, INTERPRETER)
def the_first_call(device):
    """The first call of a key times every configuration, the second times none."""
    x, out = torch.ones(N, device=device), torch.zeros(N, device=device)
    why = refusal(lambda: tuned_kernel[_grid](x, out, N))
    if why:
        return bites(True, why, "a driver, or do_bench= of your own")
    first = tuned_kernel.configs_timings
    tuned_kernel[_grid](x, out, N)
    again = 0 if tuned_kernel.configs_timings is first else len(tuned_kernel.configs_timings)
    return bites(len(first) > 1, f"{len(first)} configurations timed, then {again}", "4 to 8 of them, none for show")


@case(COMPILED)
def a_grid_that_ignores_the_configuration(device):
    """A grid computed for a block of 256 leaves elements unwritten where the tuner chooses 64 or less."""
    x, wrong, right = torch.ones(N, device=device), torch.zeros(N, device=device), torch.zeros(N, device=device)
    small_blocks_kernel[(triton.cdiv(N, 256),)](x, wrong, N)
    small_blocks_kernel[_grid](x, right, N)
    missing = int((wrong != 2).sum())
    # Which block wins is the machine's affair: 4 programs write at most 4 × 64.
    return bites(
        missing >= N - 256, "at least 744 of 1000 elements unwritten", f"{int((right != 2).sum())} with a grid function"
    )


@case(COMPILED, INTERPRETER)
def five_knobs_of_three(device):
    """Five knobs with three settings each make 243 kernels to compile before the first answer."""
    count = len(list(itertools.product(range(3), repeat=5)))
    return bites(count > 8, f"{count} configurations")
