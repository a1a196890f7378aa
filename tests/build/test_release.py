"""Releases are nbgrader's own, the same bytes every time, and audited before anybody sees them."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from learning.build import audit, drift, notebook, release
from learning.build import course as courses
from learning.build.cells import canary
from learning.build.course import ROOT
from learning.judge.cells import text_of


def texts(course):
    return {cell["id"]: text_of(cell) for cell in json.loads(course.release.read_text())["cells"]}


def test_a_release_has_the_starter_and_none_of_ours(released):
    text = released.release.read_text()
    assert texts(released)["answer-double"] == (
        'def double(x):\n    """Return twice ``x``."""\n    ### YOUR CODE HERE\n    ...\n\n\n### YOUR CODE HERE\n...'
    )
    for secret in (
        "twice_the_number",
        "secret_case",
        "2.0**300",
        "no case is special",
        "BEGIN",
        canary("double_it", "doubles_large_numbers"),
    ):
        assert secret not in text
    assert "Numbers far from 1 come out doubled." in text
    assert texts(released)["explain-explanation"].endswith("\n\n*Write here.*")


def test_regenerating_gives_the_same_bytes(released, capsys):
    before = released.release.read_bytes(), released.release.stat().st_mtime_ns
    assert released.run("--release", "--no-grade") == 0
    assert "release/double_it/double_it.ipynb: up to date" in capsys.readouterr().out
    assert (released.release.read_bytes(), released.release.stat().st_mtime_ns) == before


def test_the_gradebook_is_neither_needed_nor_touched(built_course):
    gradebook = built_course.root / "gradebook.db"
    gradebook.write_bytes(b"the instructor's")
    assert built_course.run("--release", "--no-grade") == 0
    assert gradebook.read_bytes() == b"the instructor's"
    assert sorted(p.name for p in built_course.release.parent.iterdir()) == ["double_it.ipynb"]


@pytest.fixture
def checkout(released):
    """The small course as nbgrader's commands see it, run with nothing on PATH that an environment would add."""
    (released.root / "learning").mkdir()
    shutil.copy(ROOT / "learning" / "lesson.py", released.root / "learning")
    (released.root / "docs").mkdir()
    return released


def nbgrader(folder: Path, *arguments: str, config: Path | None = None):
    tool = Path(sys.executable).parent / "nbgrader"
    env = {"PATH": os.defpath, "HOME": str(folder), "PYTHONPATH": str(ROOT)}
    if config is not None:
        env["JUPYTER_CONFIG_PATH"] = str(config)
    return subprocess.run([tool, *arguments], cwd=folder, env=env, capture_output=True, text=True, timeout=280)


def test_nbgraders_own_command_writes_the_same_bytes_and_fills_the_gradebook(checkout):
    before = checkout.release.read_bytes()
    shutil.rmtree(checkout.release.parent)
    done = nbgrader(checkout.root, "generate_assignment", "double_it")
    assert done.returncode == 0, done.stderr
    assert checkout.release.read_bytes() == before
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{checkout.root / 'gradebook.db'}") as gradebook:
        assert gradebook.find_assignment("double_it").max_score == 20


@pytest.mark.slow
def test_nbgraders_command_finds_the_course_from_a_subfolder(checkout, tmp_path_factory):
    etc = tmp_path_factory.mktemp("etc")
    shutil.copy(ROOT / "tools" / "find_course.py", etc / "nbgrader_config.py")
    before = checkout.release.read_bytes()
    shutil.rmtree(checkout.release.parent)
    done = nbgrader(checkout.root / "docs", "generate_assignment", "double_it", config=etc)
    assert done.returncode == 0, done.stderr
    assert checkout.release.read_bytes() == before


def test_what_nbgrader_refuses_is_told_in_its_words(course):
    source = notebook.serialise(notebook.notebook(course.lesson)).replace("    ### END SOLUTION", "", 1)
    made, told = release.generate({"double_it": source, "other": source.replace("### BEGIN SOLUTION", "")}, course.root)
    assert "double_it" not in made
    assert "nbgrader: " in str(told[0]) and "nested begin solution" in str(told[0])


KERNEL = """
import triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
STUB

source = ASTSource(kernel, {"x_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 64})
print(triton.compile(source, target=GPUTarget("cuda", 75, 32)).asm["ptx"])
"""


def test_the_stub_compiles_inside_a_kernel(course, tmp_path):
    pytest.importorskip("triton")
    stub = courses.config(course.root).ClearSolutions.code_stub["python"]
    program = tmp_path / "starter.py"
    program.write_text(KERNEL.replace("STUB", textwrap.indent(stub, "    ")))
    env = {**os.environ, "TRITON_INTERPRET": "0", "TRITON_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, program], env=env, capture_output=True, text=True, timeout=280)
    assert ".target sm_75" in done.stdout, done.stderr


TAMPERED = {
    "a_solution_line": (lambda t: t.replace("    ...", "    twice_the_number = x + x", 1), "shows a line of our answer|has a line its source hides"),
    "a_canary": (lambda t: t.replace("Numbers far from 1", canary("double_it", "doubles_large_numbers")), "holds the token canary-"),
    "a_marker": (lambda t: t.replace("### YOUR CODE HERE", "### BEGIN SOLUTION", 1), "holds the marker BEGIN SOLUTION"),
    "a_hidden_line": (lambda t: t.replace("# doubles_large_numbers(double)", "for secret_case in LARGE:"), "has a line its source hides"),
    "a_started_starter": (lambda t: t.replace("    ...", "    pass", 1), "not the untouched starter"),
    "a_starter_that_is_not_python": (lambda t: t.replace("def double(x):", "def double(x:"), "is a starter that is not Python"),
    "an_output": (lambda t: t.replace('"outputs": []', '"outputs": [{"output_type": "stream", "name": "stdout", "text": "7"}]', 1), "has outputs"),
    "an_unlocked_check": (lambda t: unlock(t, "check-keeps-the-sign"), "is a check cell that can be edited or deleted"),
    "a_wrong_checksum": (lambda t: re.sub(r'"checksum": "[0-9a-f]{4}', '"checksum": "0000', t, count=1), "has no checksum, or a wrong one"),
    "another_version": (lambda t: t.replace('"version": 1', '"version": 2'), "says it is double_it version 2"),
    "another_kernel": (lambda t: t.replace('"name": "python3"', '"name": "course"'), "asks for another kernel"),
    "a_missing_cell": (lambda t: drop(t, "check-keeps-the-sign"), "has other cells than its source"),
    "widget_state": (lambda t: t.replace('"learning": {\n   "cells"', '"widgets": {},\n  "learning": {\n   "cells"'), "carries widget state"),
}  # fmt: skip


def unlock(text, id):
    book = json.loads(text)
    for cell in book["cells"]:
        if cell["id"] == id:
            cell["metadata"]["editable"] = True
    return json.dumps(book)


def drop(text, id):
    book = json.loads(text)
    book["cells"] = [cell for cell in book["cells"] if cell["id"] != id]
    return json.dumps(book)


@pytest.mark.parametrize("story", TAMPERED)
def test_the_audit_sees(released, story):
    tamper, message = TAMPERED[story]
    made = notebook.assemble(released.lesson)
    good = released.release.read_text()
    assert audit.audit(made, released.source.read_text(), good, released.root) == []
    bad = tamper(good)
    assert bad != good
    told = [str(c) for c in audit.audit(made, released.source.read_text(), bad, released.root)]
    assert any(re.search(message, text) for text in told), told
    assert all(text.startswith("release/double_it/double_it.ipynb, ") for text in told)


def test_a_file_beside_the_release_is_told(released):
    (released.release.parent / "gradebook.db").touch()
    assert released.run("--check") == 1
    assert "stands beside the notebook" in str(audit.strays("double_it", released.root)[0])


def test_a_faulty_lesson_is_not_released_and_the_old_release_stays(released, capsys):
    before = released.release.read_bytes()
    released.change("hidden.py", "points=10", "points=9")
    assert released.run("--release", "--no-grade") == 1
    assert "and a lesson has 20" in capsys.readouterr().err
    assert released.release.read_bytes() == before


def test_the_judge_passes_our_answer_and_an_empty_one_gets_nothing(built_course, capsys):
    assert built_course.run("--release") == 0, capsys.readouterr().err
    assert "our answer passes, an empty one does not" in capsys.readouterr().out


def test_an_answer_that_fails_its_checks_is_not_released(built_course, capsys):
    built_course.change("answer.py", "x + x", "abs(x + x)")
    assert built_course.run("--release") == 1
    told = capsys.readouterr().err
    assert "double_it/answer.py, keeps_the_sign: our answer fails: " in told
    assert not built_course.release.exists()


def test_a_check_that_an_empty_answer_passes_is_not_released(built_course, capsys):
    built_course.change("checks.py", "math.copysign(1.0, double(-3.0) or 0.0) == -1.0", "double is not None")
    assert built_course.run("--release") == 1
    assert "keeps_the_sign: an empty answer earns points; make the check need the answer" in capsys.readouterr().err


def test_a_check_that_breaks_is_the_judges_fault(built_course, capsys):
    built_course.change("checks.py", "math.copysign(1.0, double(-3.0) or 0.0) == -1.0", "1 / 0")
    assert built_course.run("--release") == 1
    assert "keeps_the_sign: the judge failed on our answer" in capsys.readouterr().err


def test_check_passes_where_nothing_drifted_and_changes_nothing(released, capsys):
    before = {p: p.stat().st_mtime_ns for p in released.root.rglob("*") if p.is_file() and "__pycache__" not in str(p)}
    assert released.run("--check") == 0
    assert "1 lessons: no drift" in capsys.readouterr().out
    assert before == {p: p.stat().st_mtime_ns for p in before}


DRIFT = {
    "a_folder_ahead_of_its_source": (lambda c: c.change("answer.py", "x + x", "2 * x"), "[source]", "-m learning.build, or --pull"),
    "a_source_edited_by_hand": (lambda c: c.edit("show-try-it", "21.0", "22.0"), "[source]", "--pull"),
    "a_missing_source": (lambda c: c.source.unlink(), "[source]", "is missing"),
    "a_release_edited_by_hand": (lambda c: c.release.write_text(c.release.read_text().replace("21.0", "22.0")), "[release]", "--release"),
    "a_missing_release": (lambda c: c.release.unlink(), "[release]", "is missing"),
    "a_source_no_lesson_makes": (lambda c: (c.root / "source" / "gone").mkdir(), "[orphan]", "belongs to no lesson"),
}  # fmt: skip


@pytest.mark.parametrize("story", DRIFT)
def test_check_fails_on_drift(released, capsys, story):
    spoil, rule, remedy = DRIFT[story]
    spoil(released)
    assert released.run("--check") == 1
    told = capsys.readouterr().err
    assert rule in told and remedy in told


def test_the_courses_own_sources_and_releases_have_not_drifted():
    from learning.lesson import discover

    assert [str(c) for c in drift.check(discover())] == []
