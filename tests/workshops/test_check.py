"""``check`` from its arguments to its exit status; the engine is a double here, and real in test_check_real."""

import ast
import re
from pathlib import Path

import pytest

from learning import course, workshops
from learning import lesson as lessons
from learning.gates import records
from learning.judge.finding import BROKEN, FAILED, PASSED, WAITING, Fault, Finding
from learning.lens import nvml
from learning.workshops import check, command, machine
from tests.workshops.kit import Judge, answered, notebook, save, solved_python

CPU, GPU = "online_normalizer", "vector_add"
ROOMS = Path(workshops.__file__).parent


@pytest.fixture
def ask(places, capsys):
    """Run ``check`` with a command line and a judge; gives status, standard output and standard error."""

    def run(line, judge=None, anyway=True):
        words = line.split()
        checks = {CPU, GPU, "a1", "all"} & {*words} and not {"--hint", "--list", "--solution"} & {*words}
        words += ["--anyway"] if anyway and checks else []  # that a prediction comes first is asked in test_ahead
        status = command.main(words, places=places, grade=judge or Judge())
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(nvml, "first_gpu", lambda: None)


@pytest.fixture
def an_interpreter(monkeypatch):
    """``--interpret`` finds its device without opening this test process's door for good."""
    real = machine.open_for

    def open_for(lesson, *, interpret, target=""):
        return (
            ("interpreter", "Triton's interpreter", "on Triton's interpreter")
            if interpret and lesson.kind == "gpu"
            else real(lesson, interpret=interpret)
        )

    monkeypatch.setattr(machine, "open_for", open_for)


def work_on(places, slug, source):
    return save(places.work / slug / f"{slug}.ipynb", answered(notebook(slug), source))


def test_a_right_answer_passes_and_says_what_was_not_run(ask, answered_work):
    status, out, _ = ask(CPU)
    assert status == 0
    assert "passed: adds (3 of 3)" in out
    assert "2 of 2 public checks passed on the CPU, 4 of 4 points" in out
    assert "1 hidden check (8 points); your grader runs them" in out
    assert "your explanation (4 points)" in out
    assert re.search(r"^progress 1/7$", out, re.MULTILINE)
    assert re.search(
        r"^  next: gate 01, reference: in the notebook, run the cell with the reference", out, re.MULTILINE
    )


def test_only_public_checks_are_asked_for(ask, answered_work):
    judge = Judge()
    ask(CPU, judge)
    (slug, learner, hidden, device) = judge.calls[0]
    assert (slug, hidden, device) == (CPU, False, "cpu")
    assert solved_python().strip() in learner.cells[0].source


def test_a_wrong_answer_says_which_check_what_was_called_and_where_to_read(ask, answered_work):
    finding = Finding("wrong values", called="add(x[781], y[781])", got="3.0", expected="2.0",
                      where="row 3, tile 1", trap=3)  # fmt: skip
    status, out, _ = ask(CPU, Judge(FAILED, PASSED, finding=finding))
    assert status == 1
    for words in ("not yet: adds", "add(x[781], y[781])", "got      3.0", "expected 2.0", "row 3, tile 1",
                  "trap 3, masked columns", "1 is not right yet"):  # fmt: skip
        assert words in out


def test_the_untouched_starter_is_todo_and_never_reaches_the_judge(ask, places):
    judge = Judge()
    status, out, _ = ask(CPU, judge)
    assert status == 2 and not judge.calls
    assert "made" in out and "TODO" in out and "--hint" in out
    assert not places.log(lessons.load(CPU)).exists()


@pytest.mark.parametrize(
    ("states", "status"),
    [
        ((PASSED, PASSED), 0),
        ((PASSED, FAILED), 1),
        ((FAILED, WAITING), 1),
        ((PASSED, WAITING), 3),
        ((WAITING, WAITING), 3),
        ((PASSED, BROKEN), 70),
        ((FAILED, BROKEN), 70),
    ],
)
def test_the_states_of_the_checks_decide_the_exit_status(ask, answered_work, states, status):
    got, out, _ = ask(CPU, Judge(*states))
    assert got == status
    if WAITING in states:
        assert "not complete" in out
    if BROKEN in states:
        assert "says nothing about your answer" in out


@pytest.mark.parametrize(
    ("statuses", "status"),
    [([0], 0), ([0, 3], 3), ([3, 2, 0], 2), ([2, 1, 3, 0], 1), ([1, 70, 0], 70), ([0, 0], 0)],
)
def test_of_several_results_the_strongest_counts(statuses, status):
    assert command.strongest(statuses) == status


def test_an_unknown_name_is_3_with_near_names(ask):
    status, out, _ = ask("vector_ad")
    assert status == 3 and "Did you mean vector_add?" in out


def test_an_id_names_a_lesson_too(ask, answered_work):
    assert ask("a1")[0] == 0


@pytest.mark.parametrize(
    "line",
    ["", "--what", f"{CPU} --hint 4", f"{CPU} --hint 0", f"{CPU} --hint x", "all --hint", "all --py", "all --file a.py",
     f"{CPU} --level beginner", f"{CPU} --include-gpu", "all --level expert", f"{CPU} {GPU}",
     f"{CPU} --solution --file a.py", f"{CPU} --solution --py", f"{CPU} --py --file a.py", f"--list {CPU}",
     f"{CPU} --hint --solution", f"{CPU} --sol", "--hint"],
)  # fmt: skip
def test_a_usage_error_is_64_and_says_why(ask, line):
    judge = Judge()
    status, out, err = ask(line, judge)
    assert status == 64 and not judge.calls and not out
    assert err.startswith("check: ") and "--help" in err


def test_help_is_0_and_lists_the_exit_statuses(ask, capsys):
    with pytest.raises(SystemExit) as left:
        ask("--help")
    assert left.value.code == 0
    assert "3 nothing selected" in capsys.readouterr().out


@pytest.mark.parametrize("line", [f"{CPU} --hint 2", f"--hint 2 {CPU}"])
def test_a_hint_is_shown_alone(ask, line, places):
    status, out, _ = ask(line)
    card = lessons.load(CPU)
    assert status == 0
    assert " ".join(card.hints[1].split()) in " ".join(out.split())
    assert " ".join(card.hints[2].split()) not in " ".join(out.split())
    assert "--hint 3" in out and not places.work.exists()


@pytest.mark.parametrize("line", [f"{GPU} --hint", f"--hint {GPU}"])
def test_without_a_number_the_first_hint_is_shown(ask, line):
    status, out, _ = ask(line)
    assert status == 0 and "hint 1 of 3" in out


def test_list_shows_every_lesson_by_level(ask):
    status, out, _ = ask("--list")
    assert status == 0
    for card in lessons.discover():
        assert re.search(rf"^  {card.id} +{card.slug} +{card.kind.upper()} +{card.minutes} min  progress 0/", out, re.M)
    assert out.index("beginner") < out.index("advanced")


def test_a_gpu_lesson_without_a_gpu_is_laid_out_then_3_before_todo(ask, places, no_gpu):
    judge = Judge()
    status, out, _ = ask(GPU, judge)
    assert status == 3 and not judge.calls
    assert "TODO" not in out and f"{GPU} --interpret" in out
    assert (places.work / GPU / f"{GPU}.ipynb").is_file()


def test_interpret_runs_a_gpu_lesson_on_the_cpu_and_says_so(ask, places, an_interpreter):
    work_on(places, GPU, "def add(x, y):\n    return x + y")
    judge = Judge()
    status, out, _ = ask(f"{GPU} --interpret", judge)
    assert status == 0 and judge.calls[0][3] == "interpreter"
    assert "interpreter" in out
    assert "progress 0/12" in out  # an interpreter's pass leaves gate 06 open


def test_interpret_changes_nothing_for_a_cpu_lesson_and_says_so(ask, answered_work):
    status, out, _ = ask(f"{CPU} --interpret")
    assert status == 0 and "changes nothing" in out


def test_all_checks_the_cpu_lessons_and_names_what_it_left_out(ask, answered_work, places):
    judge = Judge()
    status, out, _ = ask("all", judge)
    assert status == 0
    assert [call[0] for call in judge.calls] == [CPU]
    assert re.search(rf"^{CPU} +passed$", out, re.M)
    assert re.search(rf"^{GPU} +not checked: a GPU lesson; add --include-gpu$", out, re.M)
    assert "all --include-gpu --interpret" in out.split("not checked", 1)[1]


def test_all_lays_nothing_out_and_counts_what_is_not_begun_as_todo(ask, places):
    status, out, _ = ask("all")
    assert status == 2 and "not begun" in out and not places.work.exists()


def test_all_with_a_level_that_has_only_gpu_lessons_selects_nothing(ask):
    status, out, _ = ask("all --level beginner")
    assert status == 3 and "Nothing was checked" in out and "--include-gpu" in out
    status, _, _ = ask("all --level capstone")
    assert status == 3


def test_all_with_gpu_lessons_lets_a_wrong_answer_beat_the_missing_gpu(ask, answered_work, no_gpu):
    status, out, _ = ask("all --include-gpu", Judge(FAILED, PASSED))
    assert status == 1
    assert re.search(rf"^{GPU} +not checked: something needed is not available$", out, re.M)
    status, _, _ = ask("all --include-gpu")
    assert status == 3


def test_a_fault_of_the_checker_is_70_and_never_1(ask, answered_work):
    def broken(*_, **__):
        raise ZeroDivisionError("in the judge")

    for line in (CPU, "all"):
        status, _, err = ask(line, broken)
        assert status == 70
        assert "says nothing about your answer" in err and "ZeroDivisionError: in the judge" in err


def test_no_result_at_all_is_the_checkers_fault(ask, answered_work, places):
    made = notebook(CPU, solved=True)
    made["cells"] = [cell for cell in made["cells"] if cell["metadata"]["learning"]["role"] != "check"]
    save(course.source(CPU, places.root), made)
    assert ask(CPU, Judge())[0] == 70


def test_the_supplied_answer_is_checked_on_request_and_is_no_evidence(ask, places):
    judge = Judge()
    status, out, _ = ask(f"{CPU} --solution", judge)
    assert status == 0 and "no evidence of learning" in out
    assert "merge(state, (x, 1.0))" in judge.calls[0][1].cells[0].source
    assert not places.work.exists() and "progress" not in out


def test_every_check_leaves_one_record_with_source_device_and_results(ask, answered_work, places):
    log = places.log(lessons.load(CPU))
    ask(CPU, Judge(FAILED, PASSED, finding=Finding("wrong values", got="1", expected="2")))
    ask(CPU)
    first, second = records.read(log).records
    assert [record["event"] for record in (first, second)] == ["parity", "parity"]
    assert first["device"] == "cpu" and first["lesson"] == CPU
    assert re.fullmatch("[0-9a-f]{64}", first["source"]) and first["source"] == second["source"]
    assert [check["state"] for check in first["payload"]["checks"]] == ["failed", "passed"]
    assert first["payload"]["checks"][0]["finding"] == "got 1, expected 2"
    assert first["payload"]["public"] == ["adds", "keeps_inputs"]
    assert (
        first["payload"]["card"] == "CPU"
        and first["payload"]["file"] == "online_normalizer.ipynb"
        and first["payload"]["via"] == "check"
    )


def test_a_named_scratch_file_leaves_no_evidence_anywhere_and_is_never_asked_for_a_prediction(ask, places):
    (places.here / "mine.py").write_text(solved_python())
    scratch = places.work / CPU / "scratch.py"
    scratch.parent.mkdir(parents=True)
    scratch.write_text(solved_python())
    for file in ("mine.py", scratch):
        status, out, _ = ask(f"{CPU} --file {file}", anyway=False)
        assert status == 0 and "nothing of this run is kept" in out and "progress" not in out
    assert not places.log(lessons.load(CPU)).exists()
    assert sorted(path.name for path in places.here.iterdir()) == ["mine.py"]


def test_the_lessons_own_file_leaves_evidence_when_it_is_named_too(ask, answered_work, places):
    assert ask(f"{CPU} --file {answered_work}")[0] == 0
    assert records.read(places.log(lessons.load(CPU))).records[0]["payload"]["file"] == f"{CPU}.ipynb"


def test_the_same_answer_has_one_fingerprint_in_a_notebook_and_a_python_file(ask, answered_work, places):
    ask(CPU)
    answered_work.with_suffix(".py").write_text("# another comment\n" + solved_python().replace("\n\n\n", "\n\n\n\n"))
    ask(f"{CPU} --py")
    first, second = records.read(places.log(lessons.load(CPU))).records
    assert first["source"] == second["source"]


def test_progress_that_cannot_be_written_costs_nothing_but_a_sentence(ask, answered_work, places):
    places.log(lessons.load(CPU)).mkdir()
    status, out, _ = ask(CPU)
    assert status == 0 and "Progress was not saved" in out


def test_a_damaged_log_is_named_line_by_line_and_kept(ask, answered_work, places):
    log = places.log(lessons.load(CPU))
    log.write_bytes(b"{torn")
    status, out, _ = ask(CPU)
    assert status == 0 and "is damaged: line 1" in out and "progress 1/7" in out
    assert log.read_bytes().startswith(b"{torn\n")


def test_the_learners_file_is_never_written(ask, answered_work):
    answered_work.chmod(0o444)
    before = answered_work.read_bytes(), answered_work.stat().st_mtime_ns
    ask(CPU)
    ask(CPU, Judge(FAILED, FAILED))
    assert (answered_work.read_bytes(), answered_work.stat().st_mtime_ns) == before


def test_a_damaged_notebook_is_3_and_says_what_to_do(ask, places):
    path = places.work / CPU / f"{CPU}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text('{"cells": [')
    status, out, _ = ask(CPU)
    assert status == 3 and "save it again" in out


def test_py_makes_a_python_file_and_checks_it(ask, places):
    status, out, _ = ask(f"{CPU} --py")
    script = places.work / CPU / f"{CPU}.py"
    assert status == 2 and script.is_file() and f"{CPU}.py" in out
    script.write_text(solved_python())
    judge = Judge()
    assert ask(CPU, judge)[0] == 0
    assert judge.calls[0][1].cells[0].name == f"{CPU}.py"


def test_faults_while_loading_and_dropped_lines_are_shown(ask, answered_work):
    class Loading(Judge):
        def __call__(self, *arguments, **settings):
            graded = super().__call__(*arguments, **settings)
            graded.faults = [Fault("NameError", "name 'maths' is not defined", "answer", 3, "maths.inf")]
            graded.dropped = ["%%time was left out"]
            return graded

    _, out, _ = ask(CPU, Loading(FAILED, FAILED))
    assert "NameError: name 'maths' is not defined (line 3 of cell answer: maths.inf)" in out
    assert "note: %%time was left out" in out


def test_a_fault_that_stops_check_after_check_is_told_once(ask, answered_work):
    fault = Fault("NameError", "name 'maths' is not defined", "answer", 3)
    _, out, _ = ask(CPU, Judge(FAILED, FAILED, finding=Finding("fault", called="load()", fault=fault)))
    assert out.count("name 'maths' is not defined") == 1 and out.count("the same as above") == 1


@pytest.mark.parametrize("module", [ROOMS / "check.py", ROOMS / "__init__.py", ROOMS.parent / "__init__.py"])
def test_the_launcher_can_be_read_by_an_old_python(module):
    source = module.read_text()
    ast.parse(source, feature_version=(3, 6))
    assert "from __future__ import annotations" not in source


@pytest.mark.parametrize("version", [(3, 6, 0), (3, 10, 9)])
def test_an_old_python_is_told_so(version):
    assert "needs 3.11" in check.too_old(version)
    assert "{}.{}".format(*version) in check.too_old(version)


def test_this_python_is_new_enough():
    assert check.too_old() == ""


def test_under_an_old_python_the_command_ends_with_3(monkeypatch, capsys):
    monkeypatch.setattr(check, "too_old", lambda: "This is Python 3.8")
    assert check.main(["--list"]) == 3
    assert "Python 3.8" in capsys.readouterr().err


def test_a_card_to_compile_for_is_named_among_those_that_are_known(ask, answered_work):
    status, _, err = ask(f"{CPU} --target t5")
    assert status == 64 and "t5" in err and "sm_90" in err
    status, out, _ = ask(f"{CPU} --target t4")
    assert status == 0 and "--target t4 changes nothing: a CPU lesson" in out


def test_an_answer_that_launches_nothing_is_told_why_there_are_no_figures(ask, places, no_gpu, an_interpreter):
    work_on(places, GPU, solved_python(GPU))
    status, out, _ = ask(f"{GPU} --interpret --target t4", Judge())
    assert status == 0 and "not compiled for t4: " in out and "no kernel was launched" in out
