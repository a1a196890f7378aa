"""What ``layernorm`` must equal: PyTorch's own layer norm; and what rounding errors grow with where a mean is taken off."""

import torch


def layernorm_reference(x, weight, bias, eps):
    """(x − mean) · rsqrt(variance + eps) · weight + bias for each row of ``x`` [M, H], by eager torch in the dtype of ``x``.

    The variance is biased: the mean of the squared deviations, over H and not over H − 1.
    """
    return torch.nn.functional.layer_norm(x, (x.shape[1],), weight, bias, eps)


def layernorm_oracle(x, weight, bias, eps):
    """The definition in float64, in two passes: the mean, then the squares of what is left when it is taken off."""
    wide = x.double()
    deviation = wide - wide.mean(dim=1, keepdim=True)
    variance = deviation.square().mean(dim=1, keepdim=True)
    return deviation / torch.sqrt(variance + eps) * weight + bias


def layernorm_condition(x, weight, bias, eps):
    """What one rounding in float32 may move each result by, in units of that rounding: [M, H].

    An honest float32 mean of n values is off by about √n / 4 roundings of the largest of them; that offset reaches the
    result over the root of the variance and times the weight.
    """
    wide = x.double()
    deviation = wide - wide.mean(dim=1, keepdim=True)
    root = torch.sqrt(deviation.square().mean(dim=1, keepdim=True) + eps)
    largest = wide.abs().amax(dim=1, keepdim=True)
    return max(1.0, x.shape[1] ** 0.5 / 4) * largest / root * weight.abs() + bias.abs()


def agrees(trial, entry, x, weight, bias, eps):
    """Let ``trial`` judge ``entry``: contract and memory first, then every number within what float32 can promise."""
    trial.parity(
        entry, x, weight, bias, eps,
        reference=layernorm_reference, oracle=layernorm_oracle, scale=layernorm_condition,
    )  # fmt: skip


def drawn(trial, rows, columns, dtype=torch.float32, scale=1.0, offset=0.0):
    """x [rows, columns], weight around 1 and bias around 0 [columns] for a check: both matter, and differ by column."""
    x = trial.normal(rows, columns, dtype=dtype, scale=scale, offset=offset)
    weight = trial.normal(columns, dtype=dtype, scale=0.25, offset=1.0)
    return x, weight, trial.normal(columns, dtype=dtype, scale=0.5)
