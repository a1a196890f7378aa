"""Every capstone's entry and variants pass every check, every mutant fails the one it names, and the starter is TODO.

In the quick run: one mutant of each capstone, and our entry of one at the checks that need no compiler for long.
"""

import pytest

from learning import attempts, capstones, lesson
from learning.judge import cells, engine
from learning.judge.finding import FAILED, PASSED, WAITING

CAPSTONES = lesson.discover("capstone")
RIGHT = [(card, one) for card in CAPSTONES for one in [attempts.answer(card), *attempts.variants(card)]]
WRONG = [(card, one) for card in CAPSTONES for one in attempts.mutants(card)]
QUICK = {
    "softmax_workspace": ("takes_over_without_waiting",),
    "causal_schedule": ("one_tile_a_program",),
    "wide_softmax": ("keeps_nothing",),
}


def params(pairs):
    return [
        pytest.param(
            card,
            one,
            id=f"{card.slug}-{one.kind}-{one.name}",
            marks=[] if one.name in QUICK[card.slug] else pytest.mark.slow,
        )
        for card, one in pairs
    ]


@pytest.mark.parametrize(("card", "attempt"), params(RIGHT))
def test_right_entries_pass_every_check(card, attempt, grade):
    graded = grade(card, attempt.source)
    assert not graded.todo and not graded.faults, graded.faults
    wrong = [
        f"{one.check}: {one.finding.sentence() if one.finding else one.state}"
        for one in graded.results
        if one.state not in (PASSED, WAITING) and not (attempt.kind == "variant" and one.needs_gpu)
    ]
    assert not wrong, "\n".join(wrong)
    waiting = {one.check for one in graded.results if one.state == WAITING}
    assert waiting == ({one.check for one in graded.results if one.needs_gpu} if graded.device != "cuda" else set())


def test_our_workspace_has_an_owner_and_hands_over_in_order(grade):
    card = lesson.load("softmax_workspace")
    graded = grade(card, attempts.answer(card).source, only={"belongs_to_one_queue", "hands_over_in_order"})
    assert [one.state for one in graded.results] == [PASSED, PASSED], graded.results


@pytest.mark.parametrize(("card", "attempt"), params(WRONG))
def test_mutants_die_at_the_check_they_name(card, attempt, grade):
    device = engine.default_device(card)
    if device not in attempt.dies_on:
        pytest.skip(f"dies on {', '.join(attempt.dies_on)}, and this machine runs {card.slug} on {device}")
    (result,) = grade(card, attempt.source, only={attempt.caught_by}).results
    assert result.state == FAILED, f"{attempt.story}\n{result}"
    assert result.earned < result.points and result.finding.sentence()


@pytest.mark.parametrize("card", CAPSTONES, ids=lambda card: card.slug)
def test_the_starter_is_todo_and_earns_nothing(card, grade):
    (entry,) = [cells.text_of(cell) for cell, role in cells.roles(capstones.notebook(card)) if role == "answer"]
    graded = grade(card, cells.starter_of(entry))
    assert graded.todo and not any(one.earned for one in graded.results)


@pytest.mark.parametrize("card", CAPSTONES, ids=lambda card: card.slug)
def test_a_capstone_has_enough_wrong_and_right_entries_and_every_check_has_its_mutant(card):
    wrong = attempts.mutants(card)
    assert len(wrong) >= 6 and len(attempts.variants(card)) >= 2
    checks = {
        cell["id"].replace("-", "_"): cell["source"] for cell in capstones.notebook(card)["cells"] if _judges(cell)
    }
    assert {one.caught_by for one in wrong} <= set(checks)
    unproved = set(checks) - {one.caught_by for one in wrong}
    assert all("needs_gpu=True" in checks[name] for name in unproved - ALSO_COVERED), unproved
    assert card.gates[0] == "reference" and capstones.STATES in checks and f"{card.entry}_reference" in card.entries


ALSO_COVERED = {"walks_over_x_twice_and_hands_on_little_else", "keeps_the_house_rules", "depends_on_the_past_alone", "agrees_over_many_tiles",
                "states_the_reference_first"}  # fmt: skip
"""Checks of which lessons A2 and A3 hold the mutants, by the same names or the same judge."""


def _judges(cell):
    return cell["metadata"]["learning"]["role"] == "check"
