"""Float16, a of 150 × 40 whose even rows hold 1 and odd rows −1, b of 40 × 72 full of ones, bias[j] = j − 50."""

import torch


def trace_case(matmul_bias_relu):
    """Ragged along all three axes: out[i, j] is relu(40 + j − 50) in even rows and relu(−40 + j − 50), 0, in odd ones."""
    a = torch.ones(150, 40, dtype=torch.float16)
    a[1::2] = -1.0
    b = torch.ones(40, 72, dtype=torch.float16)
    bias = (torch.arange(72) - 50).to(torch.float16)
    return {"a": a, "b": b, "bias": bias, "out": matmul_bias_relu(a, b, bias)}
