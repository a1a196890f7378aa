"""Run a check's body as the judge would, and hand back what it found."""

from __future__ import annotations

import torch

from learning.judge.check import Check
from learning.judge.finding import BROKEN, FAILED
from learning.judge.setting import Setting, use


def run(body, *, device="interpreter", lesson="", cells=(), **options):
    """The ``CheckResult`` of ``body(trial)``; a check that breaks raises ``AssertionError``."""

    def a_check(trial):
        """A check made for a test."""
        body(trial)

    made = Check(a_check, 1.0, hidden=False, needs_gpu=False, trap=None)
    with use(Setting(lesson=lesson, device=device, cells=lambda: list(cells), **options)):
        result = made.run()
    assert result.state != BROKEN, result.finding
    return result


def finding(body, **options):
    """The finding of a body that fails, or ``None``."""
    result = run(body, **options)
    assert (result.state == FAILED) == (result.finding is not None)
    return result.finding


def judge(entry, *args, **options):
    """The finding of ``trial.parity(entry, *args, **options)``, or ``None``."""
    return finding(lambda trial: trial.parity(entry, *args, **options))


def add_reference(x, y):
    return x + y


def pair_reference(x):
    return x + 1, x * 2


def values(*shape, dtype=torch.float32, seed=0):
    """Normal values, the same for the same seed."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)
