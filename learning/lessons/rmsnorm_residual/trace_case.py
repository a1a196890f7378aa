"""Two float32 matrices of 3 rows and 24 columns, x[i] + residual[i] = 3, −3, 0, 0, …; weight 2, eps = 0.25."""

import torch


def trace_case(rmsnorm_residual):
    """Every program has ragged lanes, and mean square plus eps is 1, so the result can be said without a computer."""
    x, residual = torch.full((3, 24), -1.0), torch.ones(3, 24)
    x[:, 0], x[:, 1] = 2.0, -4.0
    weight = torch.full((24,), 2.0)
    normed, summed = rmsnorm_residual(x, residual, weight, 0.25)
    return {"x": x, "residual": residual, "weight": weight, "summed": summed, "normed": normed}
