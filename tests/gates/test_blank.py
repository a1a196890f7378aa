"""Blank pages: drawn, laid out, judged in a real kernel and kept; gate 11 from the records alone."""

import datetime
import json
import os
import random
from pathlib import Path

import nbclient
import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning import course, lesson
from learning.gates import blank, blank_contract, blank_grade, blank_notebook, blank_record, parity_record, records
from learning.gates.progress import progress
from learning.judge import setting as settings
from learning.lesson import LessonError

ROOT = Path(course.__file__).parents[1]
DERIVED = ROOT / "tests" / "lessons" / "blank_pages"
ENTRIES = ("subtract", "add_scaled", "add_three")


def attempt(page, entry, state, **more):
    """A record as ``records.append`` makes it, as far as blank pages read it."""
    payload = {"page": page, "variation": entry, "state": state} | more.pop("payload", {})
    return {"event": "attempt", "lesson": "vector_add", "source": "", "device": "", "payload": payload} | more


def passed(page=1, entry="subtract", *, states=("passed",) * 3, device="interpreter", source="5" * 64):
    checks = [{"check": str(number), "state": state} for number, state in enumerate(states)]
    payload = {"checks": checks, "card": "virtual T4"}
    return attempt(page, entry, "passed", payload=payload, device=device, source=source)


@given(st.integers(0, 2**32), st.integers(1, 12))
def test_a_draw_never_repeats_the_last_and_reaches_every_variation(seed, pages):
    chance, kept = random.Random(seed), []
    for number in range(1, pages + 1):
        entry = blank_record.draw(kept, "vector_add", ENTRIES, chance)
        assert not kept or entry != kept[-1]["payload"]["variation"]
        kept.append(attempt(number, entry, "drawn"))
    drawn = [record["payload"]["variation"] for record in kept]
    assert max(map(drawn.count, ENTRIES)) - min(map(drawn.count, ENTRIES)) <= 1


def test_gate_11_names_where_the_page_passed_and_opens_again_without_the_record():
    card = lesson.load("vector_add")
    kept = [attempt(1, "subtract", "drawn"), attempt(1, "subtract", "failed", device="interpreter"), passed()]
    gate = next(gate for gate in progress(card, kept).gates if gate.id == "blank_page")
    assert gate.proved and gate.why == "blank page 1, subtract, passed in Triton's interpreter (virtual T4)"
    assert gate.record is kept[2]
    assert not next(gate for gate in progress(card, kept[:2]).gates if gate.id == "blank_page").proved
    assert "does not pass yet" in blank_record.proof(card, kept[:2])[1]
    # what it asks for stands on the page alone
    assert blank_record.proof(card, kept[:1])[1] == "blank page 1 is still empty"
    assert 'blank_page("vector_add")' in blank_record.proof(card, [])[1]
    on_gpu = passed(device="cuda")
    on_gpu["payload"]["card"] = "Tesla T4"
    assert blank_record.proof(card, [on_gpu])[1].endswith("passed on Tesla T4")


@pytest.mark.parametrize(
    "record",
    [
        passed(states=("passed", "failed", "passed")),
        passed(states=()),
        passed(source=""),
        attempt(1, "subtract", "passed"),
        {**passed(), "lesson": "softmax"},
        {**passed(), "payload": {"state": "passed"}},
        {**passed(), "payload": {**passed()["payload"], "page": True}},
        {**passed(), "payload": {**passed()["payload"], "checks": "all"}},
    ],
    ids=[
        "a failed check",
        "no checks",
        "no answer",
        "a bare claim",
        "another lesson",
        "no page",
        "a true page",
        "words",
    ],
)
def test_a_record_that_only_says_passed_proves_nothing(record):
    assert blank_record.proof(lesson.load("vector_add"), [record])[0] is None


def test_pages_keep_their_files_and_nobodys_file_is_replaced(tmp_path):
    card, log = lesson.load("online_normalizer"), tmp_path / "week" / records.FILE
    first = blank_grade.lay_out(card, log)
    assert first.number == 1 and (log.parent / "blank_1.ipynb").is_file()
    theirs = log.parent / "blank_2.ipynb"
    theirs.write_text("mine")
    second = blank_grade.lay_out(card, log)
    assert second.number == 3 and theirs.read_text() == "mine"
    assert second.variation.entry != first.variation.entry
    kept = records.read(log).records
    assert [page.state for page in blank_record.pages(kept, card.slug)] == ["drawn", "drawn"]
    assert blank_grade.newest(kept, card.slug).number == 3
    assert blank_grade.found(kept, card.slug, 1).variation == first.variation
    assert blank_grade.found(kept, card.slug, 2) is None
    nbformat.validate(nbformat.read(log.parent / "blank_3.ipynb", as_version=4))


def test_a_page_waits_until_it_passes_or_another_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("LEARNING_WORK", str(tmp_path))
    monkeypatch.setattr(settings, "_default", settings.Setting())
    folder = tmp_path / "online_normalizer"
    assert "blank_1.ipynb is laid out" in blank.blank_page("A1", now=True).text
    assert "blank_1.ipynb waits for you" in blank.blank_page("online_normalizer").text
    (folder / "blank_1.ipynb").unlink()
    assert "blank_1.ipynb was gone and is laid out again" in blank.blank_page("A1").text
    assert "blank_2.ipynb is laid out" in blank.blank_page("A1", another=True).text
    page = blank_grade.newest(records.read(folder / records.FILE).records, "online_normalizer")
    payload = {**passed()["payload"], "page": 2, "variation": page.variation.entry}
    records.append(folder / records.FILE, "attempt", "online_normalizer", device="cpu", source="a", payload=payload)
    assert blank.blank_page("A1").text.startswith("blank_2.ipynb, ") and not (folder / "blank_3.ipynb").exists()
    assert "another=True" in blank.blank_page("A1").text
    assert "blank_3.ipynb is laid out" in blank.blank_page("A1", now=True).text
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert blank.blank_page("A1", another=True).text.startswith("No page is laid out here: nbgrader runs this notebook")


def test_a_folder_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    (tmp_path / "online_normalizer").write_text("a file")
    monkeypatch.setenv("LEARNING_WORK", str(tmp_path))
    monkeypatch.setattr(settings, "_default", settings.Setting())
    with pytest.raises(blank.BlankPageError, match="online_normalizer"):
        blank.blank_page("A1", now=True)


@pytest.fixture
def first_day(tmp_path, monkeypatch):
    """``run_all()``: what the lesson's cell says, and the folder after it."""
    monkeypatch.setenv("LEARNING_WORK", str(tmp_path))
    monkeypatch.setattr(settings, "_default", settings.Setting())
    return tmp_path / "online_normalizer", lambda: blank.blank_page("online_normalizer").text


def test_run_all_before_the_answer_passes_draws_nothing_and_says_when_a_page_is_due(first_day):
    folder, run_all = first_day
    for _ in range(2):
        told = run_all()
        assert told.startswith("No page is drawn yet. A night after your own answer has passed its checks")
        assert 'blank_page("online_normalizer", now=True)' in told
    assert not folder.exists()  # no page, no draw in the records, so no gate that names what will be asked for
    gate = next(g for g in progress(lesson.load("online_normalizer"), []).gates if g.id == "blank_page")
    assert gate.why.startswith("a night after your answer has passed")


def test_a_page_comes_with_the_night_after_the_pass_and_at_once_where_it_is_asked_for(first_day, monkeypatch):
    folder, run_all = first_day
    records.append(folder / records.FILE, "parity", "online_normalizer", device="cpu", source="a", payload=PASSED)
    told = run_all()
    due = parity_record.morning_after(records.read(folder / records.FILE).records)
    assert f"From {due:%Y-%m-%d, %H:%M} on this cell draws one" in told and not list(folder.glob("blank_*"))

    class Later(datetime.datetime):
        @classmethod
        def now(cls, zone=None):
            return due.astimezone(zone)

    with monkeypatch.context() as later:
        later.setattr(blank.datetime, "datetime", Later)
        assert run_all().startswith("blank_1.ipynb is laid out")
    assert run_all().startswith("blank_1.ipynb waits for you")  # what is drawn stays drawn


PASSED = {"checks": [{"check": "pushes", "state": "passed", "device": "cpu"}], "public": ["pushes"]}


def at(time, **more):
    return {"event": "parity", "source": "a", "device": "cpu", "time": time, "payload": PASSED} | more


@given(st.datetimes(datetime.datetime(2000, 1, 1), datetime.datetime(2090, 1, 1), timezones=st.timezones()))
def test_a_morning_and_eight_hours_lie_between_pass_and_page(passed):
    due = parity_record.morning_after([at(passed.isoformat())])
    slept = due - passed
    assert datetime.timedelta(hours=8) <= slept <= datetime.timedelta(hours=33)
    assert due.date() > passed.astimezone().date() or passed.astimezone().hour < 5


@pytest.mark.parametrize("record", [at("yesterday"), at(""), at("0001-01-01T00:00:00+00:00"), at("9999-12-31T23:59:59+00:00"),
                                    at("2026-01-01T00:00:00+00:00", source=""), at("2026-01-01T00:00:00+00:00", payload={}),
                                    at("2026-01-01T00:00:00+00:00", payload=PASSED | {"replaced": ["pushes"]})])  # fmt: skip
def test_a_record_of_no_time_or_no_pass_makes_no_page_due(record):
    assert parity_record.morning_after([record]) is None
    good = at("2026-01-01T12:00:00+00:00")
    assert parity_record.morning_after([record, good]) == parity_record.morning_after([good])


def test_a_variation_that_is_gone_names_those_there_are():
    with pytest.raises(LessonError, match="result_minimum"):
        blank_contract.page("online_normalizer", "result_maximum")


def test_nothing_is_judged_before_a_page_is_open(monkeypatch):
    monkeypatch.setattr(blank, "_open", [])
    with pytest.raises(blank.BlankPageError, match="run the page's first cell"):
        blank.judge()


def test_a_page_from_empty_to_passed_in_a_real_kernel(tmp_path):
    """As a learner goes: judged empty, wrong, right; a cell rewritten; a scratch cell that fails in between."""
    page = blank_contract.page("online_normalizer", "result_minimum")
    book = blank_notebook.notebook(page)
    sources = [course.text(cell) for cell in book["cells"] if cell["cell_type"] == "code"]
    begin = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n" + sources[0].split("\n", 1)[1]
    reference, answer = (DERIVED / "online_normalizer" / "result_minimum.py").read_text().split("\n\n\ndef push", 1)
    reference = reference.split("import math\n", 1)[1]
    wrong = "def push" + answer.replace("min(a[0]", "max(a[0]")
    judge = sources[-1]
    cells = [begin, sources[1], judge, reference, wrong, judge, "1 / 0", "def push" + answer, judge, "judge().text"]
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("NBGRADER", "JPY_SESSION"))}
    client = nbclient.NotebookClient(
        made, timeout=240, allow_errors=True, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute(env=kept | {"PYTHONDONTWRITEBYTECODE": "1", "IPYTHONDIR": str(tmp_path / ".ipython")})
    shown = ["".join(o.get("data", {}).get("text/plain", "") for o in cell.outputs) for cell in made.cells]
    assert "blank page  1 of online_normalizer: push, merge, result" in shown[0]
    assert shown[2].startswith("Still empty")
    assert "1 of 3 checks passed" in shown[5] or "2 of 3 checks passed" in shown[5]
    assert "Passed on the CPU: gate 11 is proved." in shown[8]
    found = records.read(tmp_path / records.FILE)
    assert not found.damage
    attempts = [record for record in found if record["event"] == "attempt"]
    assert [record["payload"]["state"] for record in attempts] == ["failed", "passed", "passed"]
    assert {record["event"] for record in found} == {"attempt"}  # the lesson's own evidence rests
    assert attempts[1]["source"] and attempts[1]["source"] == attempts[2]["source"] != attempts[0]["source"]
    assert json.dumps(attempts[1]["payload"]["checks"])
