"""Operations of the course as the parity tests need them: a reference, its condition, and honest ways to compute it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import torch


def wide(*tensors):
    """The tensors in float32, or as they are where they already are float64 (the oracle's case)."""
    found = tuple(t if t.dtype == torch.float64 else t.float() for t in tensors)
    return found if len(found) > 1 else found[0]


def rounded(function):
    """``function`` in wide arithmetic with one rounding to the first argument's dtype."""

    def reference(*args):
        return function(*args).to(args[0].dtype).contiguous()

    reference.__name__ = function.__name__
    return reference


def in_double(function):
    """``function`` in float64, rounded once: the best possible answer."""

    def answer(*args):
        return function(*(a.double() for a in args)).to(args[0].dtype).contiguous()

    return answer


def add(x, y):
    x, y = wide(x, y)
    return x + y


def softmax(x):
    return torch.softmax(wide(x), -1)


def rmsnorm(x, weight):
    x, weight = wide(x, weight)
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * weight


def layernorm(x, weight):
    x, weight = wide(x, weight)
    centred = x - x.mean(-1, keepdim=True)
    return centred * torch.rsqrt((centred * centred).mean(-1, keepdim=True) + 1e-5) * weight


def minmax(x, _=None):
    x = wide(x)
    low, high = x.amin(-1, keepdim=True), x.amax(-1, keepdim=True)
    return (x - low) / (high - low + 1e-5)


def matmul(a, b):
    a, b = wide(a, b)
    return a @ b


def row_sums(x):
    return wide(x).sum(-1)


def layernorm_condition(x, weight):
    """√n/4·|x|·|w|/σ: what the rounding of the mean, a sum of n terms of one sign, is multiplied by."""
    spread = torch.sqrt(x.var(-1, correction=0, keepdim=True) + 1e-5)
    return max(1.0, x.shape[-1] ** 0.5 / 4) * x.abs().amax(-1, keepdim=True) / spread * weight.abs()


def products(a, b):
    """|A||B|, the condition of a dot."""
    return a.abs() @ b.abs()


def running(terms):
    """The sum along the last axis taken one term after another in the terms' own dtype."""
    total = torch.zeros(terms.shape[:-1], dtype=terms.dtype)
    for column in range(terms.shape[-1]):
        total = total + terms[..., column]
    return total


def chunked(terms, size=7):
    """The sum along the last axis as the sum of sums of ``size`` neighbours, from the right."""
    total = torch.zeros(terms.shape[:-1], dtype=terms.dtype)
    for start in reversed(range(0, terms.shape[-1], size)):
        total = total + terms[..., start : start + size].flip(-1).sum(-1)
    return total


def softmax_by(total):
    def answer(x):
        weights = torch.exp(wide(x) - wide(x).amax(-1, keepdim=True))
        return weights / total(weights)[..., None]

    return answer


def online_softmax(x):
    """One pass with a maximum that changes as columns arrive."""
    values = wide(x)
    top = torch.full(values.shape[:-1], -torch.inf)
    total = torch.zeros(values.shape[:-1])
    for column in range(values.shape[-1]):
        new = torch.maximum(top, values[..., column])
        total = total * torch.exp(top - new) + torch.exp(values[..., column] - new)
        top = new
    return torch.exp(values - top[..., None]) / total[..., None]


def rmsnorm_by(total):
    def answer(x, weight):
        x, weight = wide(x, weight)
        return x / torch.sqrt(total(x * x)[..., None] / x.shape[-1] + 1e-6) * weight

    return answer


def layernorm_by(total):
    def answer(x, weight):
        x, weight = wide(x, weight)
        centred = x - (total(x) / x.shape[-1])[..., None]
        return centred / torch.sqrt(total(centred * centred)[..., None] / x.shape[-1] + 1e-5) * weight

    return answer


def matmul_by(total):
    def answer(a, b):
        a, b = wide(a, b)
        return total(a[:, None, :] * b.t()[None, :, :])

    return answer


@dataclass
class Operation:
    """``function`` computes in wide arithmetic; ``shapes(rows, columns)`` gives the argument shapes; ``scale`` is the
    condition; ``others`` are honest ways to compute the same."""

    function: Callable
    shapes: Callable
    scale: Callable | None = None
    others: list[Callable] = field(default_factory=list)

    @property
    def reference(self):
        return rounded(self.function)

    @property
    def answers(self):
        """Right answers: eager, float64 then rounded, reordered."""
        return [rounded(self.function), in_double(self.function), *map(rounded, self.others)]


OPERATIONS = {
    "add": Operation(add, lambda m, n: [(n,), (n,)]),
    "softmax": Operation(
        softmax, lambda m, n: [(m, n)], None, [softmax_by(running), softmax_by(chunked), online_softmax]
    ),
    "rmsnorm": Operation(rmsnorm, lambda m, n: [(m, n), (n,)], None, [rmsnorm_by(running), rmsnorm_by(chunked)]),
    "layernorm": Operation(
        layernorm, lambda m, n: [(m, n), (n,)], layernorm_condition, [layernorm_by(running), layernorm_by(chunked)]
    ),
    "minmax": Operation(minmax, lambda m, n: [(m, n)]),
    "matmul": Operation(matmul, lambda m, n: [(m, n), (n, 3)], products, [matmul_by(running), matmul_by(chunked)]),
    "row_sums": Operation(
        row_sums,
        lambda m, n: [(m, n)],
        lambda x: x.abs().sum(-1),
        [lambda x: running(wide(x)), lambda x: chunked(wide(x))],
    ),
}
