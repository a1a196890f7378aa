"""The command line: what it says, and how it ends."""

import os
import subprocess
import sys

import pytest

from learning.build import course as courses
from learning.build.start import prepare


def test_an_unknown_lesson_is_a_usage_error_with_near_names(course, capsys):
    assert course.run("duoble_it") == 64
    assert "Did you mean double_it?" in capsys.readouterr().err


def test_a_lesson_is_found_by_its_id(course):
    assert course.run("t1") == 0 and course.source.exists()


def test_modes_exclude_each_other(course, capsys):
    assert course.run("--pull", "--release") == 64
    assert "not allowed with" in capsys.readouterr().err


def test_a_course_without_lessons_says_so(course, capsys):
    for path in course.folder.iterdir():
        if path.is_file():
            path.unlink()
    assert course.run() == 1
    assert "there are no lessons in" in capsys.readouterr().err


def test_a_faulty_lesson_does_not_hold_up_its_neighbours(course, capsys):
    twin = course.lessons / "twin"
    twin.mkdir()
    for path in course.folder.iterdir():
        if path.is_file():
            (twin / path.name).write_text(path.read_text().replace('id="T1"', 'id="T2"'))
    course.change("lesson.md", "checks.keeps_the_sign", "checks.nothing")
    assert course.run() == 1
    assert not course.source.exists()
    assert (course.root / "source" / "twin" / "twin.ipynb").exists()


def test_the_module_runs_as_a_command():
    done = subprocess.run(
        [sys.executable, "-m", "learning.build", "--help"],
        cwd=courses.ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0 and "--release" in done.stdout


def test_alembic_is_on_path_after_prepare(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    prepare()
    assert os.environ["PATH"].split(os.pathsep)[0] == os.path.dirname(sys.executable)


def test_settings_come_from_grader_config(course):
    config = course.root / "grader_config.py"
    config.write_text(
        config.read_text() + '\nc.Course.owner = "someone"\nc.Course.repository = "r"\nc.Course.tag = "v2"\n'
    )
    settings = courses.read(course.root)
    assert settings.published and settings.tag == "v2" and settings.seed_file
    assert course.run() == 0
    assert "github/someone/r/blob/v2/release/double_it" in course.source.read_text()
    assert "github.com/someone/r/releases/download/v2/triton_kernel_course-" in course.source.read_text()


def test_a_misspelt_setting_is_named(course):
    config = course.root / "grader_config.py"
    config.write_text(config.read_text() + '\nc.Course.repositroy = "r"\n')
    with pytest.raises(TypeError, match=r"c\.Course\.repositroy, which does not exist; known are owner, repository"):
        courses.read(course.root)
