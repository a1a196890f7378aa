"""PyTorch multiplies, and the kernel does nothing but gate."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "keeps_the_house_rules"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def gate_kernel(gate_ptr, up_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    gate = tl.load(gate_ptr + at, mask=at < n_elements, other=0.0)
    up = tl.load(up_ptr + at, mask=at < n_elements, other=0.0)
    tl.store(out_ptr + at, (gate * tl.sigmoid(gate) * up).to(out_ptr.dtype.element_ty), mask=at < n_elements)


def gated_mlp(x, w_gate, w_up):
    gate, up = torch.matmul(x.float(), w_gate.float().t()), torch.matmul(x.float(), w_up.float().t())
    out = torch.empty(gate.shape, dtype=x.dtype, device=x.device)
    gate_kernel[(triton.cdiv(out.numel(), 1024),)](gate, up, out, out.numel(), BLOCK=1024)
    return out
