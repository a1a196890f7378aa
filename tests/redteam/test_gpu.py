"""Timing, stream, cache and memory attacks on a real GPU; ``make redteam-gpu`` runs the same and keeps the record."""

from __future__ import annotations

import pytest

from learning.judge import engine
from tests.redteam import field

pytestmark = [pytest.mark.gpu, pytest.mark.slow]
LIMITS = engine.Limits(call_seconds=6.0, after_timeout_seconds=2.0, total_seconds=40.0)
ATTACKS = {attack.name: attack for attack in field.attacks("gpu")}


@pytest.fixture(autouse=True)
def a_gpu():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no CUDA GPU on this machine")


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_fails_the_check_that_must_refuse_it(servers, name):
    check = field.TIMED if ATTACKS[name].check == "timed" else field.FIRST
    result = field.graded(ATTACKS[name].source, {check}, "cuda", servers, LIMITS)[check]
    assert (result.state, result.earned) == ("failed", 0.0), result


def test_an_honest_answer_is_as_fast_after_them_as_before(servers):
    text = (field.HERE / "honest" / "shape_keyed_cache.py").read_text()
    found = field.graded(text, {field.FIRST, field.TIMED}, "cuda", servers, LIMITS)
    assert {r.state for r in found.values()} == {"passed"}, found
