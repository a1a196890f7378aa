"""Every lesson's answer and variants pass every check; every mutant fails the check it names; the starter is TODO.

Mutants but one a lesson are marked slow. Where a mutant dies on a device this machine lacks, it is skipped and says so.
"""

from __future__ import annotations

import pytest

from learning import attempts, lesson
from learning.judge import cells, engine
from learning.judge.finding import FAILED, PASSED, WAITING

LESSONS = lesson.discover()
RIGHT = [(card, attempt) for card in LESSONS for attempt in [attempts.answer(card), *attempts.variants(card)]]
WRONG = [(card, attempt) for card in LESSONS for attempt in attempts.mutants(card)]


def named(pairs):
    return [f"{card.slug}-{attempt.kind}-{attempt.name}" for card, attempt in pairs]


QUICK = {}
for _card, _attempt in WRONG:
    if _attempt.dies_on != ("cuda",):
        QUICK.setdefault(_card.slug, _attempt.name)


def first_of_its_lesson(card, attempt):
    """One mutant a lesson stays in the quick run: the first that dies without a GPU."""
    return QUICK.get(card.slug) == attempt.name


def told(graded, *, slow_is_allowed=False):
    """What did not pass, a line each."""
    return "\n".join(
        f"{result.check}: {result.state}; {result.finding.sentence() if result.finding else ''}"
        for result in graded.results
        if result.state not in (PASSED, WAITING) and not (slow_is_allowed and result.needs_gpu)
    )


@pytest.mark.parametrize(
    ("card", "attempt"),
    [pytest.param(*pair, marks=[] if pair[1].kind == "answer" else pytest.mark.slow) for pair in RIGHT],
    ids=named(RIGHT),
)
def test_right_answers_pass_every_check(card, attempt, grade):
    graded = grade(card, attempt.source)
    assert not graded.todo and not graded.faults, graded.faults
    wrong = told(graded, slow_is_allowed=attempt.kind == "variant")
    assert not wrong, wrong
    waiting = [result for result in graded.results if result.state == WAITING]
    assert all(result.needs_gpu and graded.device != "cuda" for result in waiting), waiting
    assert any(result.hidden and result.state == PASSED for result in graded.results)


@pytest.mark.parametrize(
    ("card", "attempt"),
    [pytest.param(*pair, marks=[] if first_of_its_lesson(*pair) else pytest.mark.slow) for pair in WRONG],
    ids=named(WRONG),
)
def test_mutants_die_at_the_check_they_name(card, attempt, grade, record_property):
    device = engine.default_device(card)
    if device not in attempt.dies_on:
        pytest.skip(f"dies on {', '.join(attempt.dies_on)}, and this machine runs {card.slug} on {device}")
    record_property("mutant", f"{card.slug} on {device}")
    graded = grade(card, attempt.source, only={attempt.caught_by})
    (result,) = graded.results
    assert result.state == FAILED, f"{attempt.story}\n{result}"
    assert result.earned < result.points
    assert result.finding.sentence()


@pytest.mark.parametrize("card", LESSONS, ids=lambda card: card.slug)
def test_the_starter_is_todo_and_earns_nothing(card, notebook_of, grade):
    starter = starter_of(notebook_of(card))
    graded = grade(card, starter)
    assert graded.todo and not any(result.earned for result in graded.results)
    assert grade(card, starter.replace("    ...", "    # thinking\n    ...")).todo


@pytest.mark.parametrize("card", LESSONS, ids=lambda card: card.slug)
def test_a_starter_that_is_not_told_from_an_answer_fails_every_parity_check(card, notebook_of, grade):
    """Unsolved must fail on its own merits too, not only because it is recognised."""
    graded = grade(card, starter_of(notebook_of(card)) + "\n\n\nNOT_THE_STARTER = True\n", hidden=False)
    assert not graded.todo
    parity = [result for result in graded.results if result.check != "keeps_the_house_rules"]
    assert parity and all(result.state == FAILED for result in parity), told(graded)


def starter_of(notebook):
    answers = [cells.text_of(cell) for cell, role in cells.roles(notebook) if role == "answer"]
    return "\n\n\n".join(cells.starter_of(source) for source in answers)
