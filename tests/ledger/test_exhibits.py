"""The exhibits: each trap has one, each shows what it claims, and a row that differs from the recorded one fails."""

import copy
import json

import pytest

from learning import ledger, sheet
from learning.companions import ORDER
from learning.ledger import exhibit, links, page, show, table
from learning.ledger.exhibit import COMPILED, INTERPRETER, Shown
from learning.ledger.exhibits import exhibits
from learning.ledger.run import run

QUICK = {INTERPRETER: (2, 19)}
"""Run again by `make test`; the slow test and CI run all of them."""


def test_every_trap_has_an_exhibit_with_kernels_and_claims():
    found = exhibits()
    assert [one.number for one in found] == [trap.number for trap in ledger.TRAPS]
    for one in found:
        assert one.story and one.cases, one.path.name
        assert one.kernels or one.number == 20
        for case in one.cases:
            assert case.claim.endswith((".", "?")) and set(case.modes) <= set(exhibit.MODES), case.name


def test_the_table_holds_every_case_under_every_pair_of_versions():
    kept = table.read()
    assert list(kept["columns"]) == [
        "Triton 3.6, numpy < 2.4", "Triton 3.6, numpy ≥ 2.4", "Triton 3.8, numpy ≥ 2.4", "Triton 3.9, numpy ≥ 2.4",
    ]  # fmt: skip
    wanted = {table.key(one.number, case.name, mode) for one in exhibits() for case in one.cases for mode in case.modes}
    assert set(kept["rows"]) == wanted
    for row, seen in kept["rows"].items():
        assert list(seen) == list(kept["columns"]), row
        assert {shown["state"] for shown in seen.values()} <= set(exhibit.STATES) - {exhibit.FAILED}, row
    assert table.FILE.read_text(encoding="utf-8") == table.written(kept)


@pytest.mark.parametrize("mode", QUICK)
def test_some_exhibits_still_show_what_was_recorded(mode):
    found = run(QUICK[mode], [mode])
    assert len(found["rows"]) >= 2
    assert not table.differences(table.read(), found)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("mode", exhibit.MODES)
def test_every_exhibit_still_shows_what_was_recorded(mode):
    found = run(modes=[mode])
    wanted = {table.key(one.number, case.name, mode) for one in exhibits() for case in one.cases if mode in case.modes}
    assert set(found["rows"]) == wanted
    assert not table.differences(table.read(), found)


@pytest.mark.gpu
@pytest.mark.timeout(600)
def test_on_a_gpu_the_traps_that_need_one_are_shown():
    found = run([11, 12], [COMPILED])
    assert found["environment"]["card"]
    assert {row["state"] for row in found["rows"].values()} <= {exhibit.BITES, exhibit.HARMLESS}


def test_a_changed_row_is_told_with_both_outcomes():
    kept = table.read()
    name = next(iter(kept["columns"]))
    row = "3/a_row_around_zero@compiled"
    same = {"environment": kept["columns"][name], "rows": {row: kept["rows"][row][name]}}
    assert table.differences(kept, same) == []
    other = copy.deepcopy(same)
    other["rows"][row]["state"] = "does not bite"
    (told,) = table.differences(kept, other)
    assert row in told and "recorded bites" in told and "this run does not bite" in told
    unknown = {"environment": kept["columns"][name] | {"triton": "9.9.0"}, "rows": {}}
    assert "no column 'Triton 9.9" in table.differences(kept, unknown)[0]
    fresh = {"environment": kept["columns"][name], "rows": {"3/new@compiled": {}}}
    assert "not in the table" in table.differences(kept, fresh)[0]


def test_a_run_replaces_its_own_column_and_no_other():
    kept = table.read()
    name = list(kept["columns"])[-1]
    rows = {row: seen[name] | {"wrong": "changed"} for row, seen in kept["rows"].items()}
    merged = table.merged(kept, {"environment": kept["columns"][name], "rows": rows})
    assert merged["columns"] == kept["columns"] and list(merged["rows"]) == list(kept["rows"])
    for row, seen in merged["rows"].items():
        assert seen[name]["wrong"] == "changed"
        assert {c: s for c, s in seen.items() if c != name} == {c: s for c, s in kept["rows"][row].items() if c != name}
    gone = copy.deepcopy(kept)
    gone["rows"]["3/no_longer_there@compiled"] = {name: {}}
    assert (
        "3/no_longer_there@compiled"
        not in table.merged(gone, {"environment": kept["columns"][name], "rows": rows})["rows"]
    )


@pytest.mark.parametrize(
    ("numpy", "name"),
    [("2.1.3", "Triton 3.6, numpy < 2.4"), ("2.4.0", "Triton 3.6, numpy ≥ 2.4"), ("3.0.0", "Triton 3.6, numpy ≥ 2.4")],
)
def test_a_column_is_told_by_what_behaviour_hangs_on(numpy, name):
    assert table.column({"triton": "3.6.0", "numpy": numpy}) == name


def test_the_verdict_is_the_traps_own_claim():
    assert table.verdict(2) == "Triton 3.6, numpy ≥ 2.4"
    assert table.verdict(3) == "in every version tried"
    assert table.verdict(9) == "in no version tried"
    assert table.verdict(12).startswith(("on ", "not on ") if table.read_gpu() else "needs a GPU")
    assert table.verdict(3, table.EMPTY) == "not run yet"


@pytest.mark.parametrize(
    ("number", "told", "shown"),
    [
        (3, "16 %", "16% of the row"), (3, "96 %", "96% of the row"), (7, "6 predicates", "checked: 6 predicates"),
        (8, "2048", "4096 ones make 2048"), (10, "243", "243 configurations"), (16, "64×64×32", "64×64×32 with 4 warps: 255 registers, spills"),
    ],
)  # fmt: skip
def test_a_figure_in_a_fact_is_one_that_its_exhibit_showed(number, told, shown):
    assert told in ledger.find(number).fact
    words = [row["wrong"] for line in table.lines(number) for row in line.seen.values()]
    assert any(shown in each for each in words)


def test_the_page_is_what_the_records_give():
    assert page.FILE.read_text(encoding="utf-8") == page.text(), "python tools/ledger_table.py writes it"


def test_a_gpus_run_stands_on_the_page_under_its_card(tmp_path, monkeypatch):
    gpu = {
        "started": "2026-11-30T00:00:00+00:00",
        "environment": {
            "card": "NVIDIA H200",
            "torch": "2.11.0",
            "triton": "3.6.0",
            "python": "3.12.3",
            "numpy": "2.1.3",
        },
        "rows": {
            "11/a_clock_that_does_not_wait@compiled": {"state": "bites", "wrong": "wall clock 9 µs", "right": "190 µs"}
        },
    }
    file = tmp_path / "gpu.json"
    file.write_text(json.dumps(gpu))
    monkeypatch.setattr(table, "read_gpu", lambda: json.loads(file.read_text()))
    assert table.verdict(11) == "on NVIDIA H200, Triton 3.6.0" and table.verdict(12) == "needs a GPU to be shown"
    text = page.text()
    assert "On NVIDIA H200, 2026-11-30:" in text and "has ended. Yes: wall clock 9 µs; the right way: 190 µs." in text
    assert (
        "## On a GPU" in text
        and "NVIDIA H200, torch 2.11.0" in text
        and "| yes | wall clock 9 µs; the right way: 190 µs |" in text
    )


@pytest.fixture
def lessons(tmp_path):
    """A folder of one lesson whose check, text and wrong answers point to traps."""
    folder = tmp_path / "lessons" / "toy"
    (folder / "mutants").mkdir(parents=True)
    (folder / "__init__.py").write_text(
        "from learning.lesson import Lesson\n"
        'LESSON = Lesson(id="T1", title="Toy", sentence="A toy.", level="beginner", order=1, minutes=1, needs=(), entries=("f",), '
        'contract="none", hints=("a", "b", "c"))\n'
    )
    (folder / "checks.py").write_text(
        '@check(points=1, trap=8)\ndef adds_up(f, trial):\n    """Sums."""\n\n\n@check(points=1)\ndef runs(f, trial):\n    """Runs."""\n'
    )
    (folder / "lesson.md").write_text("## One?\n\nIn the ledger this is trap 3; traps 6, 7 and 9 come later.\n")
    for name, story, caught in (
        ("sums", "Trap: the sum is kept in 16 bits.", "adds_up"),
        ("pads", "Trap 3: the padding is 0.", "adds_up"),
        ("scale", "The scale is forgotten.", "adds_up"),
        ("other", "Trap: something else.", "runs"),
    ):
        (folder / "mutants" / f"{name}.py").write_text(
            f'"""{story}"""\n\nCAUGHT_BY = "{caught}"\nDIES_ON = ("interpreter",)\n'
        )
    return tmp_path / "lessons"


def test_what_a_trap_concerns_is_read_from_the_lessons_folders(lessons):
    (eight,) = links.concerned(8, lessons)
    assert (
        not eight.tells
        and eight.checks == ("adds_up",)
        and eight.mutants == (("sums", "Trap: the sum is kept in 16 bits."),)
    )
    (three,) = links.concerned(3, lessons)
    assert three.tells and three.checks == () and [name for name, _ in three.mutants] == ["pads"]
    assert [bool(links.concerned(number, lessons)) for number in (6, 7, 9, 10)] == [True, True, True, False]
    (lessons / "toy" / "mutants" / "sums.py").write_text(
        '"""Trap 10: moved."""\nCAUGHT_BY = "runs"\nDIES_ON = ("cpu",)\n'
    )
    (lessons / "toy" / "mutants" / "new.py").write_text('"""Trap: new."""\nCAUGHT_BY = "adds_up"\nDIES_ON = ("cpu",)\n')
    assert [name for name, _ in links.concerned(8, lessons)[0].mutants] == ["new"]


def test_the_courses_own_lessons_are_found():
    assert {found.lesson.slug for found in links.concerned(3)} >= {"softmax", "minmax", "matmul"}
    assert any(found.mutants for found in links.concerned(13))
    shown = page.concerns(8)
    assert "](../release/gemv/gemv.ipynb)" in shown and "wrong answers these checks caught" in shown
    assert "No lesson points" in page.concerns(20)


def test_a_notebook_shows_a_trap():
    assert "in every version tried" in show.trap(3).markdown and "](../release/softmax/" in show.trap(3).markdown
    assert show.ledger().markdown.count("\n| ") == 20
    with pytest.raises(ledger.UnknownTrap):
        show.trap(21)
    assert "gotchas_ledger" in ORDER


@pytest.mark.slow
def test_a_notebook_runs_a_trap():
    ran = show.trap(13, run=True)
    assert "Run here, Triton" in ran.markdown and "16 of 16 sums are NaN" in repr(ran)
    assert "not as recorded" not in ran.markdown


def test_a_verdict_is_a_plain_sentence():
    assert Shown("bites", "16% of the row is missing", "none of it").sentence() == (
        "bites: 16% of the row is missing; the right way: none of it"
    )
    assert exhibit.needs_gpu().sentence() == "needs a GPU"
    assert exhibit.not_here("IPython is not installed").sentence() == "not here: IPython is not installed"
    with pytest.raises(ValueError, match="compiled or interpreter, not in cuda"):
        exhibit.case("cuda")
    assert sheet.text(page.rows(3, table.read())).count("bites") == 0  # the table says yes and no
