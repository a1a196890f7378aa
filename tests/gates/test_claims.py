"""A tick by hand is a claim: shown apart from proof, kept once, and never able to undo a newer one."""

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning import lesson as lessons
from learning.gates import claims, records
from learning.gates.progress import progress

CARD = lessons.load("vector_add")


@pytest.fixture
def open_lesson(tmp_path):
    """What ``claims.tick`` needs of a session, on a real log."""
    log = tmp_path / records.FILE

    def note(event, payload, *, device=""):
        records.append(log, event, CARD.slug, device=device, source="a" * 64, payload=payload)
        return True

    def evidence():
        return records.read(log).records

    return SimpleNamespace(lesson=CARD, log=log, why="", note=note, evidence=evidence)


def states(session):
    return {gate.id: gate.state for gate in progress(CARD, session.evidence()).gates}


def last(session, gate):
    return claims.newest(CARD.slug, session.evidence())[gate]


def test_a_tick_is_a_claim_and_is_counted_apart(open_lesson):
    assert claims.tick(open_lesson, "bench", True) == claims.Answer(True)
    state = progress(CARD, open_lesson.evidence())
    assert str(state) == "progress 0/12, 1 claimed" and state.proved == 0
    gate = state.gates[6]
    assert (gate.state, gate.proved, gate.claimed) == ("claimed", False, True)
    assert gate.tick == last(open_lesson, "bench")["hash"]
    assert claims.tick(open_lesson, "bench", False, gate.tick).kept
    assert str(progress(CARD, open_lesson.evidence())) == "progress 0/12"


def test_proof_beats_a_claim(open_lesson):
    claims.tick(open_lesson, "reference", True)
    records.append(open_lesson.log, "reference", CARD.slug, payload={"before_launch": True})
    state = progress(CARD, open_lesson.evidence())
    assert state.gates[0].state == "proved" and str(state) == "progress 1/12"


def test_asked_twice_it_is_recorded_once(open_lesson):
    for _ in range(3):
        assert claims.tick(open_lesson, "log", True, "", "n1").kept
    assert len(open_lesson.evidence()) == 1


def test_a_tick_kept_by_a_browser_does_not_undo_a_newer_one_made_elsewhere(open_lesson):
    claims.tick(open_lesson, "log", True, "", "elsewhere")
    claims.tick(open_lesson, "log", False, None, "elsewhere too")
    answer = claims.tick(open_lesson, "log", True, "", "late")
    assert not answer.kept and "later change stands" in answer.why
    assert states(open_lesson)["log"] == "open"


def test_a_second_thought_before_the_first_was_acknowledged_is_no_conflict(open_lesson):
    assert claims.tick(open_lesson, "log", True, "", "n1", []).kept
    assert claims.tick(open_lesson, "log", False, "", "n2", ["n1"]).kept
    assert states(open_lesson)["log"] == "open" and len(open_lesson.evidence()) == 2


def test_what_cannot_be_kept_is_answered_with_the_reason(open_lesson):
    open_lesson.log, open_lesson.why = None, "this notebook lies in release/"
    assert claims.tick(open_lesson, "log", True) == claims.Answer(False, "this notebook lies in release/")


def test_gates_that_do_not_apply_cannot_be_ticked(open_lesson):
    open_lesson.lesson = lessons.load("online_normalizer")
    assert not claims.tick(open_lesson, "grid", True).kept and not claims.tick(open_lesson, "no gate", True).kept


WORDS = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.lists(st.integers(), max_size=2))


@settings(max_examples=50, deadline=None)
@given(gate=WORDS, wanted=WORDS, seen=WORDS, number=WORDS, mine=WORDS)
def test_no_message_of_a_browser_raises(gate, wanted, seen, number, mine):
    session = SimpleNamespace(lesson=CARD, log="x", why="", note=lambda *a, **k: True, evidence=lambda: [])
    assert isinstance(claims.tick(session, gate, wanted, seen, number, mine), claims.Answer)


EVENTS = st.lists(st.tuples(st.sampled_from(["grid", "log", "bench"]), st.booleans()), max_size=8)


@settings(max_examples=50, deadline=None)
@given(EVENTS)
def test_the_newest_tick_of_a_gate_counts_whatever_came_before(events):
    made = [{"event": "tick", "lesson": CARD.slug, "payload": {"gate": g, "ticked": t}} for g, t in events]
    found = claims.newest(CARD.slug, made)
    assert {gate: claims.ticked(record) for gate, record in found.items()} == dict(events)
