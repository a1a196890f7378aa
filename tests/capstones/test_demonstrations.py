"""The demonstrations run: a fault that is caught now, bytes and visits that are what the derivation says, and no time without a GPU."""

import re

import pytest

from learning import attempts, lesson
from learning.capstones import demonstration
from learning.lens import nvml
from learning.lesson import LessonError

CAPSTONES = lesson.discover("capstone")
SEEN = {
    "causal_schedule": (
        "tiles of 16: 9; visits of a tile of keys: 45, of values: 45",
        "1 + 2 + … + 9 = 45; a walk over all keys makes 81",
        "the busiest program loads 1.111 times the average; one tile a program would be near 1.80",
    ),
    "softmax_workspace": (
        "launches, in order: part_kernel, merge_kernel, normalise_kernel, part_kernel, merge_kernel, normalise_kernel",
    ),
    "wide_softmax": (
        "kept of a row: 32768 of 131072 columns, so 2 − 32768 / 131072 = 1.75 rows are asked for",
        "seen: 1.75 rows, 65536 bytes a row fewer than two passes ask for; no element more than twice",
        "x: 262144 bytes; 458752 loaded (1.750 times), 0 stored (0.000 times)",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("card", CAPSTONES, ids=lambda card: card.slug)
def test_a_demonstration_shows_all_six_parts_and_nothing_is_wrong(card, servers):
    lines = []
    assert demonstration.show(card, lines.append, servers=servers)
    text = "\n".join(lines)
    heads = re.findall(r"^--- (.*) ---$", text, re.M)
    assert len(heads) == 6 and heads[0].startswith(f"{card.id} ")
    with_fault, without = text.split("Judged with the fault:")[1].split("Judged without it:")
    assert "not yet" in with_fault and "passed" in without.split("---")[0]
    for line in SEEN[card.slug]:
        assert line in text
    if nvml.first_gpu() is None:
        assert "No time is claimed" in text and not re.search(r"\d (µs|ms)\b", text)


@pytest.mark.parametrize("card", CAPSTONES, ids=lambda card: card.slug)
def test_its_fault_is_a_mutant_and_its_texts_are_there(card):
    told = demonstration.told_by(card)
    assert told.FAULT in {one.name for one in attempts.mutants(card)}
    assert len(told.DERIVATION) > 500 and len(told.LIMITATION) > 200


def test_a_capstone_without_a_demonstration_is_told():
    with pytest.raises(LessonError, match=r"learning/capstones/vector_add/demonstration\.py is missing"):
        demonstration.told_by(lesson.load("vector_add"))


def test_a_fault_that_nobody_catches_is_no_success(monkeypatch, servers):
    """The check's verdict decides, not the text: an entry that is right, planted as a fault, is reported."""
    card = lesson.load("softmax_workspace")
    told = demonstration.told_by(card)
    (mutant,) = [one for one in attempts.mutants(card) if one.name == told.FAULT]
    harmless = attempts.Attempt(
        "mutant", mutant.name, mutant.path, attempts.answer(card).source, "Nothing.", mutant.caught_by
    )
    monkeypatch.setattr(attempts, "mutants", lambda _: [harmless])
    assert demonstration.WRONG in list(demonstration.fault(card, told, servers))
