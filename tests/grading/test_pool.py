"""A judge process may die, fall silent or speak nonsense; its submission is named and its neighbours are graded."""

import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.grading.outcome import FAILED, GRADED, Outcome, Placed
from learning.grading.pool import Pool, Warm
from learning.grading.store import Store, replace, sha
from learning.judge.engine import Graded
from learning.judge.finding import BROKEN, CheckResult, Fault, Finding

SLOT = """
import json, os, sys, time
for line in sys.stdin:
    job = json.loads(line)
    if job["does"] == "die": os._exit(3)
    if job["does"] == "hang": time.sleep(60)
    if job["does"] == "babble": print("not json", flush=True); continue
    if job["does"] == "once" and not os.path.exists(job["flag"]):
        open(job["flag"], "w").close(); os._exit(1)
    print(json.dumps({"state": "graded", "cause": job["does"], "id": job["id"]}), flush=True)
"""


def pool(slots=2, patience=20.0):
    return Pool(slots, patience=patience, command=[sys.executable, "-c", SLOT])


def test_a_dying_judge_costs_its_own_submission_alone():
    with pool() as slots:
        futures = [slots.submit({"does": does}) for does in ("well", "die", "well", "babble", "well")]
        outcomes = [future.result(timeout=60) for future in futures]
    assert [outcome.state for outcome in outcomes] == [GRADED, FAILED, GRADED, FAILED, GRADED]
    assert "status 3" in outcomes[1].cause and "grade this submission again" in outcomes[1].cause


def test_a_judge_that_died_once_gets_a_second_try(tmp_path):
    with pool(1) as slots:
        outcome = slots.submit({"does": "once", "flag": str(tmp_path / "flag")}).result(timeout=60)
    assert outcome.state == GRADED


def test_a_silent_judge_is_ended_and_the_next_one_works():
    with pool(1, patience=1.0) as slots:
        hung, well = slots.submit({"does": "hang"}), slots.submit({"does": "well"})
        assert "no answer within 1 s" in hung.result(timeout=60).cause
        assert well.result(timeout=60).state == GRADED


def test_leaving_the_pool_ends_its_processes_at_once():
    started = time.monotonic()
    with pool(1, patience=60.0) as slots:
        first, queued = slots.submit({"does": "hang"}), slots.submit({"does": "well"})
        while not first.running():
            time.sleep(0.01)
    assert time.monotonic() - started < 15
    assert queued.cancelled() or queued.result(timeout=5).state == FAILED


def test_formgrader_finds_its_judges_warm_until_code_or_size_changes():
    warm = Warm(idle=600)
    first = warm.borrow(2, "code")
    warm.give_back(first, "code")
    assert warm.borrow(1, "code") is first
    warm.give_back(first, "code")
    second = warm.borrow(1, "new code")
    assert second is not first and first.closed
    warm.give_back(second, "new code")
    third = warm.borrow(2, "new code")
    assert third.size == 2 and second.closed
    third.close()


def test_warm_judges_end_when_nobody_asks_for_them():
    warm = Warm(idle=0.05)
    kept = warm.borrow(1, "code")
    warm.give_back(kept, "code")
    end = time.monotonic() + 10
    while not kept.closed and time.monotonic() < end:
        time.sleep(0.01)
    assert kept.closed


def outcome(state=GRADED, **result) -> Outcome:
    found = CheckResult("adds", "adds", 2.0, **result)
    return Outcome(state, graded=Graded("vector_add", 1, "interpreter", "held", results=[found]))


def test_finished_work_is_found_again_and_broken_work_is_not(tmp_path):
    store = Store(tmp_path)
    store.keep("aa1", outcome(earned=2.0))
    store.keep("aa2", Outcome.failed("cut off"))
    broken = outcome()
    broken.graded.results[0].state = BROKEN
    store.keep("aa3", broken)
    assert store.find("aa1").results["adds"].earned == 2.0
    assert store.find("aa2") is store.find("aa3") is store.find("aa4") is None


def test_a_torn_file_in_the_store_counts_as_absent(tmp_path):
    store = Store(tmp_path)
    store.keep("bb1", outcome())
    path = next(tmp_path.rglob("bb1.json"))
    path.write_text(path.read_text()[:40])
    assert store.find("bb1") is None


def test_a_write_that_fails_leaves_the_old_file(tmp_path):
    replace(tmp_path / "kept.json", "old")
    with pytest.raises(UnicodeEncodeError):
        replace(tmp_path / "kept.json", "\udc80")
    assert (tmp_path / "kept.json").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["kept.json"]


@given(st.lists(st.text(max_size=4), max_size=4), st.lists(st.text(max_size=4), max_size=4))
def test_different_parts_never_share_a_key(one, other):
    assert (sha(*one) == sha(*other)) == (one == other)


def test_an_outcome_survives_its_json():
    fault = Fault("ValueError", "no", "answer", 3, "x")
    full = outcome(finding=Finding("fault", fault=fault, seed=7), notes=["n"], skipped=["s"])
    full.cells = [Placed(3, False, "markdown", "text", {"a.png": {"image/png": "x"}})]
    full.answered = {"explain": True}
    assert Outcome.from_dict(full.as_dict()) == full
