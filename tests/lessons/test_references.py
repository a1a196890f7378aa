"""What is right by other means must pass too: eager PyTorch itself, and float64 rounded once to the dtype.

They enter at the numeric comparison, past the house rules and past what a wrapper must refuse: a check that fails them
is too strict, whatever our answer does.
"""

from __future__ import annotations

import importlib
from collections import defaultdict

import pytest

from learning import lesson
from learning.judge import Check, setting
from learning.judge.finding import PASSED, WAITING
from learning.judge.parity import apply
from learning.judge.seen import Counts
from learning.judge.trial import Trial
from learning.lens import device

GPU_LESSONS = [card for card in lesson.discover() if card.kind == "gpu"]


def reference_of(card, entry):
    return getattr(importlib.import_module(f"learning.lessons.{card.slug}.reference"), f"{entry}_reference")


def float64_of(card, entry, dtype):
    """The reference, to be called on float64 copies; where the contract rounds on the way, the oracle that does so too."""
    module = importlib.import_module(f"learning.lessons.{card.slug}.reference")
    stepwise = getattr(module, f"{entry}_oracle_in", None)
    return stepwise(dtype) if stepwise else getattr(module, f"{entry}_reference")


def owned(value):
    """Fresh and contiguous, as a wrapper would have allocated it; several outputs stay a tuple."""
    return tuple(map(owned, value)) if isinstance(value, tuple) else value.contiguous().clone()


def eager(card, entry):
    reference = reference_of(card, entry)
    return lambda *args, **options: owned(apply(reference, args, options))


def rounded_from_float64(card, entry):
    def compute(*args, **options):
        reference = float64_of(card, entry, args[0].dtype)
        made = owned(apply(reference, tuple(x.double() if hasattr(x, "double") else x for x in args), options))
        rounded = tuple(part.to(args[0].dtype) for part in (made if isinstance(made, tuple) else (made,)))
        return rounded if isinstance(made, tuple) else rounded[0]

    return compute


class Unseen:
    """What a tracer would say of an answer without a kernel: nothing, so nothing is demanded of it."""

    def __init__(self):
        self.inputs = self.outputs = defaultdict(Counts)

    def __getattr__(self, name):
        return lambda *args, **demands: None


@pytest.mark.parametrize("wrap", [eager, rounded_from_float64])
@pytest.mark.parametrize("card", GPU_LESSONS, ids=lambda card: card.slug)
def test_the_bounds_accept_what_is_right_by_other_means(card, wrap, monkeypatch):
    for past in ("house_rules", "rejects", "faster"):
        monkeypatch.setattr(Trial, past, lambda self, *args, **options: None)
    monkeypatch.setattr(Trial, "structure", lambda self, *args, **options: Unseen())
    judged = 0
    with setting.use(setting.Setting(lesson=card.slug, device=device.current().kind)):
        for name in ("checks", "hidden"):
            module = importlib.import_module(f"learning.lessons.{card.slug}.{name}")
            for found in [value for value in vars(module).values() if isinstance(value, Check)]:
                result = found.run(*[wrap(card, entry) for entry in found.entries])
                assert result.state in (PASSED, WAITING), result.finding.sentence()
                judged += result.cases
    assert judged > 5
