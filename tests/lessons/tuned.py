"""A second form of an answer, put to every check of its lesson in this process."""

from __future__ import annotations

import importlib

from learning.judge import Check, setting
from learning.judge.finding import PASSED, WAITING
from learning.judge.trial import Trial
from learning.lens import device


def passes_every_check(card, function, monkeypatch) -> None:
    """``function`` passes every check of ``card`` that this machine can decide, but for the house rules, which read cells.

    On a GPU the traced check is left out as well: it asks a process beside for the entry by its name.
    """
    kind, judged = device.current().kind, 0
    monkeypatch.setattr(Trial, "house_rules", lambda self, *args, **options: None)
    with setting.use(setting.Setting(lesson=card.slug, device=kind)):
        for name in ("checks", "hidden"):
            module = importlib.import_module(f"learning.lessons.{card.slug}.{name}")
            for found in [value for value in vars(module).values() if isinstance(value, Check)]:
                result = found.run(function)
                told = result.finding.sentence() if result.finding else ""
                if kind == "cuda" and "no lesson is open here" in told:
                    continue
                assert result.state in (PASSED, WAITING), f"{found.name}: {told}"
                judged += result.cases
    assert judged > 30
