"""What ``matmul_bias_relu`` must equal: the definition in float32, rounded once; what eager code makes of it; how errors grow."""

import torch


def matmul_bias_relu_reference(a, b, bias):
    """relu(a · b + bias) in float32 (float64 for float64 arguments), rounded once to the dtype of ``a``.

    a [M, K], b [K, N], bias [N], result [M, N]; relu(bias) in every row where K is 0.
    """
    wide = torch.promote_types(a.dtype, torch.float32)
    return torch.relu(a.to(wide) @ b.to(wide) + bias.to(wide)).to(a.dtype)


def eager_matmul_bias_relu(a, b, bias):
    """The same as a model's code usually has it: three calls in the dtype of ``a``, of which two round."""
    return torch.relu(a @ b + bias)


def matmul_bias_relu_condition(a, b, bias):
    """What one rounding in float32 may move each element by, in units of that rounding: Σ |a · b| + |bias|, [M, N].

    The cut at 0 moves no value away from the true one: both sides are cut.
    """
    return a.abs() @ b.abs() + bias.abs()


def agrees(trial, entry, a, b, bias, **options):
    """Let ``trial`` judge ``entry``: contract and memory first, then each element as an inner product of K terms and a bias."""
    trial.parity(
        entry, a, b, bias, reference=matmul_bias_relu_reference, scale=matmul_bias_relu_condition,
        terms=max(1, a.shape[1]), **options,
    )  # fmt: skip


def drawn(trial, rows, inner, columns, dtype=torch.float16):
    """a [rows, inner], b [inner, columns] and bias [columns] of normal values, the bias about as large as the sums."""
    a, b = trial.normal(rows, inner, dtype=dtype), trial.normal(inner, columns, dtype=dtype)
    return a, b, trial.normal(columns, dtype=dtype, scale=max(1, inner) ** 0.5)


def cancelling(trial, rows, inner, columns, dtype):
    """a, b and a bias that takes sums of a hundred back to about 1: what was rounded before it is lost is then visible."""
    base = trial.normal(1, inner, dtype=dtype, scale=16.0)
    a = (base.float() + trial.normal(rows, inner, scale=0.5)).to(dtype)
    b = trial.normal(inner, columns, dtype=dtype)
    return a, b, (2.0 - (base.double() @ b.double())[0]).to(dtype)
