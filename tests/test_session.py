"""A notebook's session: what its first cell shows, records and says, in a real kernel and outside one."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import nbclient
import nbformat
import pytest

import learning
from learning import course, session
from learning import lesson as lessons
from learning.gates import records
from learning.history import History
from learning.judge import setting as settings
from learning.judge.finding import PASSED, CheckResult

ROOT = Path(course.__file__).parents[1]
BOOTSTRAP = f"""import sys
sys.path.insert(0, {str(ROOT)!r})
import learning.session
learning.session.begin("online_normalizer")"""
REFERENCE = "def normalizer_reference(values):\n    return max(values)"
ANSWER = "def push(state, x):\n    return (max(state[0], x), 1.0)\n\ndef merge(a, b):\n    return a\n\ndef result(s):\n    return s"
CHECK = '''from learning.judge import check


@check(points=2)
def keeps_the_maximum(push, trial):
    """The larger of two."""
    trial.expect(push((1.0, 1.0), 2.0)[0] == 2.0, called="push((1.0, 1.0), 2.0)", got="1.0", expected="2.0")


keeps_the_maximum(push)'''
WRONG = ANSWER.replace("max(", "min(")


@pytest.fixture
def opened(monkeypatch, tmp_path):
    """Begin a session of the CPU lesson in this process, outside IPython; undone afterwards."""
    monkeypatch.setattr(session, "_session", None)
    before = settings._default
    monkeypatch.delenv("NBGRADER_VALIDATING", raising=False)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)

    def begin(slug="online_normalizer", **how):
        return session.begin(slug, **({"folder": tmp_path} | how))

    yield begin
    settings.install(before)


def run(folder, *sources, allow_errors=False, **environment):
    """Run cells in a real kernel whose folder is ``folder``; gives the executed cells."""
    folder.mkdir(exist_ok=True)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("NBGRADER", "JPY_SESSION"))}
    client = nbclient.NotebookClient(
        notebook, timeout=60, allow_errors=allow_errors, resources={"metadata": {"path": str(folder)}}
    )
    client.execute(env=kept | {"PYTHONDONTWRITEBYTECODE": "1", "IPYTHONDIR": str(folder / ".ipython")} | environment)
    return notebook.cells


def test_a_notebook_from_top_to_bottom_shows_its_machine_and_leaves_evidence_that_survives_a_restart(tmp_path):
    cells = run(tmp_path / "nb", BOOTSTRAP, REFERENCE, "normalizer_reference([1.0])", "%time 1", ANSWER, CHECK, CHECK)
    shown = cells[0].outputs[0]["data"]
    assert "<table" in shown["text/html"] and "progress 1/7" in shown["text/html"]  # it follows the cells below
    assert (
        "A1 Online normalizer" in shown["text/plain"] and "gates   progress 1/7 (01 reference)" in shown["text/plain"]
    )
    assert cells[5].outputs[0]["data"]["text/plain"] == "2"
    found = records.read(tmp_path / "nb" / records.FILE)
    assert not found.damage
    assert [record["event"] for record in found] == ["reference", "parity", "parity"]
    reference, parity, again = found.records
    assert reference["payload"] == {"called": ["normalizer_reference"], "before_launch": True}
    assert parity["payload"]["checks"][0]["check"] == "keeps_the_maximum"
    assert parity["payload"]["checks"][0]["state"] == PASSED and parity["device"] == "cpu"
    assert len(parity["source"]) == 64 and again["source"] == parity["source"]
    with (tmp_path / "nb" / records.FILE).open("ab") as log:
        log.write(b'{"torn')
    after_a_restart = run(tmp_path / "nb", BOOTSTRAP)
    text = after_a_restart[0].outputs[0]["data"]["text/plain"]
    assert "progress 1/7 (01 reference)" in text and "progress.jsonl is damaged: line 4" in text


def test_begun_twice_with_a_wrong_answer_and_the_reference_last(tmp_path):
    cells = run(tmp_path / "nb", BOOTSTRAP, BOOTSTRAP, REFERENCE, WRONG, CHECK, "normalizer_reference([1.0])")
    assert cells[4].outputs[0]["data"]["text/plain"] == "0"  # a score, and no error
    parity, reference = records.read(tmp_path / "nb" / records.FILE).records  # one each, though begun twice
    assert parity["payload"]["checks"][0]["finding"] == "push((1.0, 1.0), 2.0): got 1.0, expected 2.0"
    assert reference["payload"]["before_launch"] is False


def test_the_cells_are_the_learners_in_order_with_magics_left_out(tmp_path):
    show = "from learning.judge import setting; print(setting.current().cells())"
    cells = run(tmp_path / "nb", BOOTSTRAP, "%%time\n" + ANSWER, "!true", show)
    names = [name for name, _ in eval(cells[3].outputs[0]["text"])]
    sources = [source for _, source in eval(cells[3].outputs[0]["text"])]
    assert names == ["In[1]", "In[2]", "In[3]", "In[4]"]
    assert sources[1].splitlines()[1] == ANSWER.splitlines()[0] and "# %%time" in sources[1]


def test_under_validate_a_failed_check_raises_its_sentence_and_nothing_is_recorded(tmp_path):
    cells = run(tmp_path / "nb", BOOTSTRAP, WRONG, CHECK, allow_errors=True, NBGRADER_VALIDATING="1")
    error = cells[2].outputs[-1]
    assert error["ename"] == "AssertionError" and "push((1.0, 1.0), 2.0)" in error["evalue"]
    assert "not saved: nbgrader runs this notebook" in cells[0].outputs[0]["data"]["text/plain"]
    assert not (tmp_path / "nb" / records.FILE).exists()


def test_nbgraders_own_validate_reads_both_outcomes(tmp_path):
    for name, answer in (("right", ANSWER), ("wrong", WRONG)):
        cells = [nbformat.v4.new_code_cell(source) for source in (BOOTSTRAP, answer, CHECK)]
        cells[2].metadata["nbgrader"] = {"grade": True, "grade_id": "keeps_the_maximum", "locked": True, "points": 2,
                                         "schema_version": 3, "solution": False, "task": False}  # fmt: skip
        nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / f"{name}.ipynb")
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "validate", "--Validator.ignore_checksums=True", "right.ipynb", "wrong.ipynb"],
        cwd=tmp_path, capture_output=True, text=True,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "IPYTHONDIR": str(tmp_path / ".ipython")},
    )  # fmt: skip
    right, _, wrong = done.stdout.partition("Success!")
    assert not right and "FAILED ON 1 CELL" in wrong, done.stdout + done.stderr
    assert "push((1.0, 1.0), 2.0)" in wrong
    assert not (tmp_path / records.FILE).exists()


def test_a_message_without_a_traceback_says_why_the_notebook_cannot_start(tmp_path):
    late = "import os, triton.language\nos.environ['TRITON_INTERPRET'] = '1'\n" + BOOTSTRAP.replace(
        "online_normalizer", "vector_add"
    )
    cells = run(tmp_path / "nb", late, allow_errors=True, CUDA_VISIBLE_DEVICES="", TRITON_INTERPRET="")
    error = cells[0].outputs[-1]
    assert error["ename"] == "SessionError" and "restart the kernel" in error["evalue"]
    assert len(error["traceback"]) == 1


def test_outside_ipython_the_script_is_the_learners_cell_and_its_folder_keeps_the_evidence(tmp_path):
    script = tmp_path / "mine.py"
    tail = "from learning.judge import setting\nprint(setting.current().cells()[0][0])"
    script.write_text("\n\n".join([BOOTSTRAP, ANSWER, CHECK, tail]))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = subprocess.run([sys.executable, script], cwd=elsewhere, capture_output=True, text=True, check=True)
    assert done.stdout == "mine.py\n"
    record = records.read(tmp_path / records.FILE).records[0]
    assert record["event"] == "parity" and len(record["source"]) == 64


def test_a_folder_that_cannot_be_written_is_said_and_stops_nothing(opened, tmp_path, capsys):
    (tmp_path / records.FILE).mkdir()
    state = opened()
    assert "progress 0/7; not saved: " in repr(state)
    state.heard(CheckResult("a", "a", 1, 1, PASSED, device="cpu"))
    assert capsys.readouterr().out == ""


def test_a_log_that_stops_being_writable_is_said_once_on_standard_output(opened, tmp_path, capsys):
    state = opened()
    (tmp_path / records.FILE).mkdir()
    for _ in range(3):
        state.heard(CheckResult("a", "a", 1, 1, PASSED, device="cpu"))
    said = capsys.readouterr()
    assert said.out.count("Progress is not saved from here on") == 1 and not said.err


@pytest.mark.parametrize("room", ["source", "release", "submitted"])
def test_a_notebook_opened_in_the_courses_own_folders_keeps_nothing(opened, monkeypatch, room):
    monkeypatch.setattr(History, "folder", lambda self: course.ROOT / room / "online_normalizer")
    state = opened(folder=None)
    assert state.log is None and "work in work/" in repr(state)


@pytest.mark.parametrize("variable", ["NBGRADER_VALIDATING", "NBGRADER_EXECUTION"])
def test_under_nbgrader_nothing_is_kept_and_failures_raise_when_validating(opened, monkeypatch, variable):
    monkeypatch.setenv(variable, "1" if variable == "NBGRADER_VALIDATING" else "autograde")
    assert opened(folder=None).log is None
    assert settings.current().raise_failures is (variable == "NBGRADER_VALIDATING")


def test_on_colab_the_table_says_that_the_disk_ends_with_the_runtime(opened, monkeypatch, tmp_path):
    monkeypatch.delenv("LEARNING_WORK", raising=False)
    monkeypatch.delenv("COLAB_RELEASE_TAG", raising=False)
    state = opened()
    assert "use_drive()" not in repr(state)
    monkeypatch.setenv("COLAB_RELEASE_TAG", "release-colab")
    assert "from learning.workshops.carry import use_drive; use_drive()" in repr(state)
    monkeypatch.setenv("LEARNING_WORK", str(tmp_path))
    assert "use_drive()" not in repr(state)


def test_the_setting_names_lesson_device_and_listener(opened):
    state = opened()
    setting = settings.current()
    assert (setting.lesson, setting.device, setting.raise_failures) == ("online_normalizer", "cpu", False)
    assert setting.listeners == [state.heard]


def test_hidden_checks_of_an_instructor_leave_no_evidence(opened, tmp_path):
    opened().heard(CheckResult("secret", "secret", 1, 1, PASSED, hidden=True, device="cpu"))
    assert not (tmp_path / records.FILE).exists()


def test_an_old_python_and_an_unknown_lesson_are_named(opened, monkeypatch):
    with pytest.raises(lessons.UnknownLesson, match="vector_add"):
        opened("vector_ad")
    monkeypatch.setattr(session, "PYTHON", (99, 0))
    with pytest.raises(session.SessionError, match=r"needs 3\.11 or newer"):
        opened()


def test_the_machine_table_says_which_course_judges(tmp_path, monkeypatch):
    inside = course.ROOT / "work" / "vector_add"
    assert course.described(inside) == f"{learning.__version__}, the clone around this notebook"
    assert course.described(tmp_path).endswith("which is not around this notebook")
    monkeypatch.setattr(course, "KIT", tmp_path)
    assert course.described(inside) == f"{learning.__version__}, the installed student kit"


def test_missing_triton_says_how_to_get_it(opened, monkeypatch):
    from learning.lens import device

    def without_triton(target=""):
        raise device.DeviceError(
            "triton is not installed here, and kernels need it: pip install triton==3.6.0 --no-deps"
        )

    monkeypatch.setattr(device, "open", without_triton)
    with pytest.raises(session.SessionError, match="pip install triton"):
        opened("vector_add")


def test_a_gpu_lesson_shows_its_device_and_what_waits(opened, monkeypatch):
    from learning.lens import device

    fake = SimpleNamespace(
        kind="interpreter", explain=lambda: [("device", "Triton's <interpreter>"), ("torch", "2.13")]
    )
    monkeypatch.setattr(device, "open", lambda target="": fake)
    monkeypatch.setattr(session, "_released", lambda slug: {"cells": [_gpu_check()], "metadata": {}})
    state = opened("vector_add")
    text = repr(state)
    assert "waits for a GPU" in text and "is fast enough" in text and "gate 06" in text and "progress 0/12" in text
    assert "Triton&#x27;s &lt;interpreter&gt;" in state._repr_html_()


def _gpu_check():
    source = "# Hidden check, 2 points, decided on a GPU: your grader runs it.\n# is_fast_enough(add)"
    return {"cell_type": "code", "source": source,
            "metadata": {"learning": {"role": "hidden"}, "nbgrader": {"grade_id": "is_fast_enough", "points": 2}}}  # fmt: skip


def test_locked_cells_are_not_the_learners():
    released = {"cells": [{"cell_type": "code", "source": ["def a_reference():\n", "    pass"],
                           "metadata": {"learning": {"role": "setup"}}}]}  # fmt: skip
    history = History(lessons.load("online_normalizer"), released)
    assert history.locked == {"def a_reference():\n    pass"}
    assert history.references("print(a_reference())") == ["a_reference"]
    assert history.references("def f():\n    a_reference()") == []
    assert history.references("b_reference()") == []
    assert history.references("a_reference(") == []
