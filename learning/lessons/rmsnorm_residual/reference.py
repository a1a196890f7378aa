"""What ``rmsnorm_residual`` must equal: eager PyTorch in the inputs' dtype, and float64 with the contract's one rounding on the way."""

import torch


def rmsnorm_residual_reference(x, residual, weight, eps):
    """(normed, summed) of ``x`` and ``residual`` [M, H] and ``weight`` [H] by eager torch, both in the dtype of ``x``.

    The sum is rounded to the dtype before anything is computed from it; the norm is float32 inside and rounded once.
    """
    summed = x + residual
    wide = summed.float()
    mean_square = wide.square().mean(dim=1, keepdim=True)
    normed = wide * torch.rsqrt(mean_square + eps) * weight.float()
    return normed.to(x.dtype), summed


def rmsnorm_residual_oracle_in(dtype):
    """The same in float64, for inputs that were given in ``dtype``: the sum is rounded to ``dtype``, and nothing else is."""

    def oracle(x, residual, weight, eps):
        summed = (x + residual).to(dtype).double()
        mean_square = summed.square().mean(dim=1, keepdim=True)
        return summed / torch.sqrt(mean_square + eps) * weight, summed

    return oracle


def agrees(trial, entry, x, residual, weight, eps):
    """Let ``trial`` judge both results of ``entry``: contract and memory first, then every number."""
    trial.parity(
        entry, x, residual, weight, eps,
        reference=rmsnorm_residual_reference, oracle=rmsnorm_residual_oracle_in(x.dtype), outputs="normed summed",
    )  # fmt: skip


def drawn(trial, rows, columns, dtype=torch.float32, scale=1.0, offset=0.0):
    """x and residual [rows, columns] and weight [columns] for a check: the weight lies around 1, so that it matters."""
    x = trial.normal(rows, columns, dtype=dtype, scale=scale, offset=offset)
    residual = trial.normal(rows, columns, dtype=dtype, scale=scale)
    return x, residual, trial.normal(columns, dtype=dtype, scale=0.25, offset=1.0)
