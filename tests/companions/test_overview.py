"""Checklist, plan, ladder and skills say what the records say, for a new learner, in the middle, and over damage."""

import datetime
import os
import subprocess
import sys
from pathlib import Path

import pytest

from learning import companions, course
from learning import lesson as lessons
from learning.companions import CompanionError, blank, desk, kept, overview, teaching
from learning.companions.machine import begin_with, levels, machine
from learning.gates import claims, records

ROOT = Path(course.__file__).parents[1]


def cells(sheet, word):
    """The cells of the table row that holds ``word``."""
    row = next(line for line in sheet.markdown.splitlines() if line.startswith("|") and word in line)
    return [part.strip() for part in row.strip("|").split("|")]


def test_a_new_learner_has_proved_nothing_and_is_told_where_to_begin(work):
    shown = overview.overview()
    assert shown.markdown.startswith("0 of ") and "0 of" in shown.markdown.split(";")[1]
    assert cells(shown, "L1 Vector add")[1:] == ["0/12", "01 reference first", ""]
    assert all(word in repr(overview.gates()) for word in ("12 log", "A1 Online normalizer", "–"))


def test_records_fill_the_tables_and_their_loss_empties_them(work):
    work.keep("vector_add", "reference", {"before_launch": True})
    work.passed("vector_add")
    work.timed("vector_add", [2600.0, 2650.0])
    row = cells(overview.overview(), "L1 Vector add")
    assert row[1] == "3/12" and row[3] == work.log("vector_add").read_text().split('"time":"')[1][:10]
    gates = cells(overview.gates(), "L1 Vector add")
    assert [gates[n] for n in (1, 6, 7)] == ["proved"] * 3 and gates[2] == "open"
    work.log("vector_add").unlink()
    assert cells(overview.overview(), "L1 Vector add")[1] == "0/12"


def test_a_pass_without_a_gpu_waits_and_is_no_proof(work):
    work.passed("softmax", device="interpreter", card="virtual Tesla T4")
    assert cells(overview.gates(), "L3a Softmax")[6] == "GPU"
    assert "open until they pass on a GPU" in overview.gates("L3a").markdown


def test_damage_is_named_and_the_rest_counts(work):
    work.keep("vector_add", "reference", {"before_launch": True})
    with work.log("vector_add").open("ab") as file:
        file.write(b'{"torn": ')
    shown = overview.overview().markdown
    assert "1/12" in shown and "vector_add: line 2" in shown


def test_evidence_made_by_tests_is_named_and_proves_nothing(work):
    work.keep("vector_add", "reference", {"before_launch": True})
    for _ in range(2):
        records.append(work.log("vector_add"), "benchmark", "vector_add", device="test", payload={}, fixture=True)
    for shown in (overview.overview().markdown, overview.gates("vector_add").markdown):
        assert "1/12" in shown and "cannot be read" not in shown
        assert "vector_add: 2 of its records are evidence made by tests and do not count." in shown


def test_the_plan_goes_on_only_when_every_gate_of_a_step_is_proved(work):
    assert cells(overview.plan(), "homework")[0] == "now"
    for slug in ("minmax", "layernorm"):
        work.passed(slug)
    assert cells(overview.plan(), "homework")[0] == "now"
    for slug in ("softmax", "rmsnorm_residual"):
        work.rewritten(slug)
    assert cells(overview.plan(), "homework")[0] == "done"
    assert cells(overview.plan(), "RMSNorm kernel")[0] == "now" and cells(overview.plan(), "attention")[0] == "later"
    work.passed("cached_attention")  # done ahead of its turn
    assert cells(overview.plan(), "attention")[0] == "done"


def test_every_step_of_the_plan_names_lessons_and_gates_that_exist(card):
    known = lessons.slugs()
    for step in overview.PLAN:
        for slug, gate in step.gates:
            assert gate in lessons.GATES
            assert slug == "whistle" or (slug in known and gate in card(slug).gates)
    assert set(overview.LADDER) <= set(known)


def test_the_ladder_begins_as_it_should_and_names_the_next_rung(work):
    rungs = [one.card.slug for one in overview.rungs()]
    assert rungs[:6] == ["vector_add", "softmax", "rmsnorm_residual", "minmax", "matmul", "gemv"]
    assert sorted(rungs) == sorted(card.slug for card in lessons.discover() if "blank_page" in card.gates)
    assert cells(overview.ladder(), "L1 Vector add")[0] == "next"
    work.rewritten("vector_add")
    assert cells(overview.ladder(), "L1 Vector add")[2] == "rewritten"
    assert "1 passed. That is this week's." in blank.attempts().markdown
    later = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=8)
    assert "none passed" in blank._week(later)
    assert cells(overview.ladder(), "L3a Softmax")[0] == "next" and blank.next_rung().card.slug == "softmax"


@pytest.mark.slow
def test_the_blank_page_draws_the_next_rung_and_shows_what_became_of_it(work):
    assert "Next on the ladder: " in blank.draw(...).markdown and not work.root.exists()
    assert "No page" in blank.attempts().markdown
    blank.draw(None)
    assert (work.root / "vector_add" / "blank_1.ipynb").is_file()
    assert cells(blank.attempts(), "L1 Vector add")[1:2] == ["1"] and "drawn" in cells(
        blank.attempts(), "L1 Vector add"
    )
    with pytest.raises(LookupError, match="vector_add"):
        blank.draw("vector_ad")


def test_skills_are_read_from_predictions_and_their_causes(work):
    assert overview.skills().markdown.count("nothing predicted") == 2
    work.keep(
        "vector_add",
        "prediction",
        {"fields": {"grid": [3], "microseconds": [100.0, 200.0]}, "case": "", "revision": False},
    )
    trace = {
        "launches": [{"kernel": "k", "grid": [4, 1, 1], "programs": 4, "tensors": ["x"], "tile": [1024]}],
        "tensors": {},
    }
    work.keep("vector_add", "launch", {"case": "", "trace": trace}, device="interpreter")
    shown = overview.skills()
    assert "over 1 value, 1 missed" in cells(shown, "correctness")[2]
    assert cells(shown, "debug")[2].startswith("0 of 1 misses")
    work.keep("vector_add", "prediction", {"causes": {"grid": "I forgot the last tile"}})
    assert cells(overview.skills(), "debug")[2].startswith("1 of 1 misses")
    assert cells(overview.skills(), "debug")[2].endswith("gate 09 is proved in 0 lessons")


def test_a_tick_at_the_desk_is_a_claim_in_the_lessons_own_log(work, monkeypatch):
    at = desk.desk("L1")
    heard = []
    at.changed += [lambda: heard.append(1), lambda: 1 / 0]
    assert claims.tick(at, "log", True) == claims.Answer(True) and heard == [1]
    assert cells(overview.gates(), "L1 Vector add")[12] == "claimed" and at.progress.claimed == 1
    assert "claimed" in repr(desk.checklist("vector_add")) and "<table" in desk.checklist("vector_add")._repr_html_()
    assert not claims.tick(at, "rest", True).kept
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert claims.tick(desk.desk("L1"), "log", False).why == "nbgrader runs this notebook"
    monkeypatch.delenv("NBGRADER_EXECUTION")
    work.log("softmax").mkdir(parents=True)
    refused = desk.desk("softmax")
    assert not claims.tick(refused, "log", True).kept and refused.kept().damage


def test_a_link_leads_to_the_learners_notebook_where_it_lies_in_the_course(tmp_path, work, monkeypatch):
    assert kept.one("vector_add").link == "[L1 Vector add](../release/vector_add/vector_add.ipynb)"
    (work.root / "vector_add").mkdir(parents=True)
    (work.root / "vector_add" / "vector_add.ipynb").write_text("{}")
    assert "../release/" in kept.one("vector_add").link  # a folder outside the course has no address in it
    monkeypatch.setattr(course, "ROOT", tmp_path)
    assert kept.one("L1").link == "[L1 Vector add](../work/vector_add/vector_add.ipynb)"


def test_the_companions_say_how_they_open(work, monkeypatch):
    shown = companions.begin("start_here").markdown
    assert "0 of" in shown and "Drive" not in shown
    monkeypatch.delenv("LEARNING_WORK")
    monkeypatch.setenv("COLAB_RELEASE_TAG", "release-colab")
    assert "use_drive()" in companions.begin("start_here").markdown
    with pytest.raises(CompanionError, match="there are start_here"):
        companions.begin("stat_here")


def test_this_machine_is_looked_at_and_a_lesson_is_laid_out_once(work):
    assert "runs here" in machine().markdown.splitlines()[-1]
    shown = levels().markdown
    assert "### Beginner" in shown and "### Advanced" in shown and "60 min" in shown
    assert "was made from the release" in begin_with("L1").markdown
    mine = work.root / "vector_add" / "vector_add.ipynb"
    mine.write_text("mine")
    assert "left as it is" in begin_with("vector_add").markdown and mine.read_text() == "mine"


def test_the_instructors_table_is_read_from_the_sources():
    shown = teaching.lessons()
    row = cells(shown, "L1 Vector add")
    assert row[2] == str(lessons.load("vector_add").version) and row[3].endswith("4 by hand") and "wrong" in row[5]


def test_everything_but_the_machines_device_works_with_nothing_installed(work):
    work.passed("vector_add")
    code = (
        "from learning import companions; from learning.companions import overview, portfolio, worksheet, glossary, machine, blank\n"
        "print(companions.begin('portfolio'), overview.overview(), overview.plan(), overview.ladder(), overview.skills(), overview.gates())\n"
        "print(portfolio.portfolio(), worksheet.show(), glossary.look_up('warp'), machine.levels(), blank.attempts(), machine.machine())"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "The CPU lesson (A1) runs here, with Python alone." in done.stdout and "1/12" in done.stdout
