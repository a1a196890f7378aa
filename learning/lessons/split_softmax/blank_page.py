"""The blank page of A2: three kernels from memory, with another state or another thing to store."""

import torch

from learning.lesson import Variation

CASES = (
    {"rows": 3, "columns": 513},
    {"rows": 2, "columns": 256},
    {"rows": 1, "columns": 1},
    {"rows": 2, "columns": 700},
    {"rows": 1, "columns": 4097},
    {"rows": 40, "columns": 3},
    {"rows": 0, "columns": 300},
)
CHUNKS = ({"chunk_size": 256}, {"chunk_size": 256}, {}, {"chunk_size": 256}, {"chunk_size": 4096})


def chunks_apart(draw, dtype, rows, columns):
    """x [rows, columns] around −40, its last fifth higher by 20: chunks differ, and 0 is no neutral padding."""
    x = draw.normal(rows, columns, dtype=dtype, offset=-40.0)
    x[:, columns - columns // 5 :] += 20
    return (x,)


def chunks_and_an_eps(draw, dtype, rows, columns):
    """The same and an eps."""
    return *chunks_apart(draw, dtype, rows, columns), 0.5


VARIATIONS = (
    Variation(
        entry="log_softmax",
        brief=(
            "`log_softmax(x, *, chunk_size=1024)` returns x − max − log Σ exp(x − max) by row, computed in float32 and cast once. "
            "Everything else in the contract of `softmax` stays."
        ),
        changes="The third kernel subtracts; a logarithm is taken once a row, and where it is taken decides what is handed on.",
        inputs=chunks_apart,
        cases=CASES,
        options=CHUNKS,
    ),
    Variation(
        entry="log_total",
        brief=(
            "`log_total(x, *, chunk_size=1024)` returns max + log Σ exp(x − max) of each row, float32 `[rows]`. Zero rows give an "
            "empty vector. Everything else in the contract of `softmax` stays."
        ),
        changes="There is no second walk: two kernels are enough, and x crosses memory once.",
        inputs=chunks_apart,
        cases=CASES,
        options=CHUNKS,
    ),
    Variation(
        entry="normalise_rows",
        brief=(
            "`normalise_rows(x, eps, *, chunk_size=1024)` returns (x − min) / (max − min + eps) by row, eps a positive Python "
            "float, computed in float32 and cast once. Everything else in the contract of `softmax` stays."
        ),
        changes="Another state, two extremes: its EMPTY and its merge are yours to find, and nothing is rescaled.",
        inputs=chunks_and_an_eps,
        cases=CASES,
        options=CHUNKS,
    ),
)


def log_softmax_reference(x):
    """Log-softmax of each row of ``x`` [rows, columns] by eager torch."""
    return torch.log_softmax(x, dim=1)


def log_total_reference(x):
    """The logarithm of each row's sum of exponentials, float32 (float64 for a float64 ``x``), [rows]."""
    return torch.logsumexp(x if x.dtype == torch.float64 else x.float(), dim=1)


def normalise_rows_reference(x, eps):
    """(x − min) / (max − min + eps) by row in float32 (float64 for a float64 ``x``), rounded once."""
    wide = x if x.dtype == torch.float64 else x.float()
    low, high = wide.amin(dim=1, keepdim=True), wide.amax(dim=1, keepdim=True)
    return ((wide - low) / (high - low + eps)).to(x.dtype)
