"""Numbers against the float64 oracle: masks, the aggregate bound, the element-wise bound, exact equality.

With u the output dtype's eps, w the arithmetic's, n the terms of the longest sum, g = ¼·w·√n, o the oracle,
e = |answer − o| and y = |eager − o|:

- aggregate: ‖e‖ ≤ k · max(‖y‖, c·u·‖o‖, g·‖o‖, ½·w·‖s‖), the last term only where a condition s is given. Divided by
  ‖o‖ the first two read relL2(answer) ≤ k · max(relL2(eager), c·u); a product of zeros needs no division.
- element: eᵢ ≤ k · ((½·u + g)·|oᵢ| + t + max(8·w, r)·sᵢ), t the dtype's smallest step, r the worst of eager's own
  (yᵢ − ½·u·|oᵢ|)/sᵢ. The condition s is what rounding errors scale with: |A||B| for a dot, Σ|x| for a sum; where the
  caller names none it is the largest |o| of the element's row.

Why these constants. Adding n positive terms one after another in fp32 has a standard error near 0.12·w·√n of the sum
(a partial sum of k terms rounds by about 0.2·w·k/n, and the squares add up) and 0.3·w·√n was the worst of 40 draws, up to
131072 uniform or exponentiated terms; eager torch sums pairwise and is far better than an honest order need be. Summing K
products of normal operands has 0.14·w·K against |A||B| ≈ 0.64·K. So an honest order of summation has a margin of two and
more, while TF32 or 16-bit operands (3e-4 of ‖o‖) have none up to n = 131072.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from learning.judge.describe import index_text, number_text

FLOOR_16 = 0.25
FLOOR_32 = 1.0
CONDITION_SHARE = 0.5
ARITHMETIC_STEPS = 8.0
SUM_GROWTH = 0.25
_WORDS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


@dataclass(frozen=True)
class Bounds:
    """``k`` the factor on the yardstick, ``c`` the floor in eps of the output (``None``: 0.25 for 16-bit, 1 for fp32),
    ``working`` the dtype the contract lets intermediates have, ``terms`` the terms of the longest sum, ``exact`` demands equal values ("bits": equal bytes)."""

    k: float = 2.0
    c: float | None = None
    working: torch.dtype = torch.float32
    terms: int = 1
    exact: bool | str = False


@dataclass
class Miss:
    """Why numbers are wrong: ``rule`` in a word, ``got``, ``expected`` one line each, ``where``, ``advice``."""

    rule: str
    got: str
    expected: str
    where: str = ""
    advice: str = ""


def bits(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor's bit patterns as integers of its width, contiguous."""
    return tensor.contiguous().view(_WORDS[tensor.element_size()])


def index_of(flat: int, shape: torch.Size | tuple[int, ...]) -> tuple[int, ...]:
    """The index of the ``flat``-th element in row-major order."""
    index = []
    for size in reversed(shape):
        index.append(flat % size)
        flat //= size
    return tuple(reversed(index))


def places_text(wrong: torch.Tensor, tile=None) -> str:
    """``452 of 2500 elements, from element 2048 to element 2499`` for a boolean mask of wrong elements."""
    hits = wrong.reshape(-1).nonzero().reshape(-1)
    count, total = hits.numel(), wrong.numel()
    first = index_text(index_of(int(hits[0]), wrong.shape), tile)
    if count == 1:
        return f"1 of {total} elements, {first}" if total > 1 else first
    last = index_text(index_of(int(hits[-1]), wrong.shape), tile)
    return f"{count} of {total} elements, from {first} to {last}"


def differ(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor | None:
    """A mask of the elements whose bits differ between two tensors of one dtype and shape; ``None`` where none does."""
    if one.numel() == 0:
        return None
    unequal = bits(one) != bits(other)
    return unequal if bool(unequal.any()) else None


def compare(
    answer: torch.Tensor,
    oracle: torch.Tensor,
    eager: torch.Tensor | None,
    bounds: Bounds,
    scale: torch.Tensor | None = None,
    tile: int | tuple[int, ...] | None = None,
) -> Miss | None:
    """Judge ``answer`` (any dtype) against ``oracle`` (float64 for float answers) of the same shape.

    ``eager`` is torch's own result in the answer's dtype, the yardstick, or ``None`` for none. ``scale`` is the condition,
    nonnegative, broadcastable to the shape. Returns ``None`` where the answer is right.
    """
    if answer.numel() == 0:
        return None
    oracle = oracle.to(answer.device)
    if bounds.exact or not answer.dtype.is_floating_point:
        return _exact(answer, oracle, bounds.exact == "bits", tile)
    got, truth = answer.double(), oracle.double()
    error, size = (got - truth).abs(), truth.abs()
    finite = error.isfinite()
    if not bool(finite.all()) or float(size.max()) >= _nearly_infinite(answer.dtype):
        miss = _masks(answer.dtype, got, truth, tile)
        if miss is not None:
            return miss
        error, size = (torch.where(finite, values, 0.0) for values in (error, size))
    slack = torch.zeros_like(error)
    if eager is not None:
        own = (eager.to(answer.device).double() - truth).abs()
        slack = torch.where(finite & own.isfinite(), own, 0.0)
    return _bounded(answer, truth, error, size, slack, bounds, scale, tile)


def _bounded(answer, truth, error, size, slack, bounds: Bounds, scale, tile) -> Miss | None:
    info = torch.finfo(answer.dtype)
    work = torch.finfo(bounds.working).eps
    floor = bounds.c if bounds.c is not None else (FLOOR_16 if info.bits == 16 else FLOOR_32)
    if scale is None:
        condition = size.amax(-1, keepdim=True) if size.dim() else size
    else:
        condition = scale.to(error.device).double().abs()
    worst_eager = _ratio((slack - 0.5 * info.eps * size).clamp_min(0), condition)
    steps = max(ARITHMETIC_STEPS * work, worst_eager)
    growth = SUM_GROWTH * work * bounds.terms**0.5
    allowed = bounds.k * ((0.5 * info.eps + growth) * size + info.smallest_normal * info.eps + steps * condition)
    wrong = error > allowed
    length, yard, err = (float(torch.linalg.vector_norm(v)) for v in (size, slack, error))
    share = 0.0
    if scale is not None:
        share = CONDITION_SHARE * work * float(torch.linalg.vector_norm(condition.expand(error.shape)))
    limit = bounds.k * max(yard, max(floor * info.eps, growth) * length, share, info.smallest_normal * info.eps)
    if bool(wrong.any()):
        flat = int((error / allowed).nan_to_num(0.0).reshape(-1).argmax())
        index = index_of(flat, error.shape)
        tolerance = float(allowed.expand(error.shape)[index])
        return Miss(
            "wrong values",
            number_text(float(answer[index])),
            f"{number_text(float(truth[index]))} ± {tolerance:.2g}",
            f"worst at {index_text(index, tile)}; wrong: {places_text(wrong, tile)}",
            _one_factor(answer, truth, allowed.expand(error.shape), index),
        )
    if err > limit:
        base = length or 1.0
        return Miss(
            "precision",
            f"a relative error of {err / base:.2g} over the whole result",
            f"at most {limit / base:.2g} (eager torch in this dtype: {yard / base:.2g})",
            "no single element stands out",
            _precision_advice(err / base, answer.dtype),
        )
    return None


def _one_factor(answer: torch.Tensor, truth: torch.Tensor, allowed: torch.Tensor, index: tuple[int, ...]) -> str:
    """Advice where the row of ``index`` is its true values times one number, as a wrong sum or maximum makes it; else ""."""
    row = index[:-1] if index else ()
    got, want, room = answer[row].double().reshape(-1), truth[row].reshape(-1), allowed[row].reshape(-1)
    told = want.abs() > 64 * room  # only these say a factor to some percent
    if int(told.sum()) < 4 or bool((want[told] - want[told][0] == 0).all()):
        return ""
    factors = got[told] / want[told]
    middle = float(factors.median())
    spread = room[told] / want[told].abs() + 1e-6 * abs(middle)
    if middle == 0 or bool(((factors - middle).abs() > 4 * spread).any()) or abs(middle - 1) <= 4 * float(spread.max()):
        return ""
    return f"this row is its right values times one factor, {middle:.4g}: what else is in its sum, or what is it divided by?"


def _ratio(excess: torch.Tensor, condition: torch.Tensor) -> float:
    """max excess/condition where the condition is positive."""
    ratio = torch.where(condition > 0, excess / condition, 0.0)
    return float(ratio.max())


def _precision_advice(relative: float, dtype: torch.dtype) -> str:
    if dtype == torch.float32 and relative > 5e-5:
        return "errors of this size come from 16-bit or TF32 operands; keep fp32, and ask tl.dot for input_precision='ieee'"
    if dtype != torch.float32:
        return "errors of this size come from 16-bit intermediates; compute in fp32 and cast once, at the store"
    return "look for a sum kept in too few bits, or a difference of two nearly equal numbers"


def _nearly_infinite(dtype: torch.dtype) -> float:
    """From here on rounding to ``dtype`` may give an infinity."""
    info = torch.finfo(dtype)
    return info.max * (1 - 2 * info.eps)


def _masks(dtype: torch.dtype, got: torch.Tensor, truth: torch.Tensor, tile) -> Miss | None:
    """NaN, +Inf and −Inf must stand where the oracle, rounded to ``dtype``, has them.

    Within two eps of the largest finite value rounding may go either way.
    """
    info = torch.finfo(dtype)
    margin = 2 * info.eps
    for name, has, must, may in (
        ("NaN", got.isnan(), truth.isnan(), truth.isnan()),
        ("+Inf", got == torch.inf, truth > info.max * (1 + margin), truth > info.max * (1 - margin)),
        ("-Inf", got == -torch.inf, truth < -info.max * (1 + margin), truth < -info.max * (1 - margin)),
    ):
        extra, lacking = has & ~may, must & ~has
        for wrong, verb in ((extra, "holds"), (lacking, "lacks")):
            if bool(wrong.any()):
                flat = int(wrong.reshape(-1).nonzero()[0])
                index = index_of(flat, wrong.shape)
                value, want = float(got[index]), float(truth[index])
                advice = (
                    f"the result {verb} {name} where float64 arithmetic {'does not' if verb == 'holds' else 'has it'}"
                )
                if name == "NaN" and verb == "holds":
                    advice += ": a lane that was loaded under a mask without other=, or ∞ − ∞, 0 · ∞ or 0 / 0?"
                where = f"first at {index_text(index, tile)}; wrong: {places_text(wrong, tile)}"
                return Miss("wrong values", number_text(value), number_text(want), where, advice)
    return None


def _exact(answer: torch.Tensor, oracle: torch.Tensor, by_bits: bool, tile) -> Miss | None:
    wanted = oracle.to(answer.dtype)
    if by_bits:
        wrong = bits(answer) != bits(wanted)
    else:
        wrong = answer != wanted
        if answer.dtype.is_floating_point:
            wrong &= ~(answer.isnan() & wanted.isnan())
    if not bool(wrong.any()):
        return None
    index = index_of(int(wrong.reshape(-1).nonzero()[0]), wrong.shape)
    got, want = (number_text(float(t[index])) for t in (answer, wanted))
    if got == want:
        got, want = (float(t[index]).hex() for t in (answer, wanted))
    where = f"first at {index_text(index, tile)}; wrong: {places_text(wrong, tile)}"
    return Miss("wrong values", got, f"exactly {want}", where)
