"""The doctor as it is called, on this machine and on this machine made worse."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from learning import course


def doctor(*options: str, python: list[str] | None = None, **environment: str) -> tuple[int, dict[str, dict]]:
    """Exit status and rows by name of ``python -m learning.doctor --json``, with ``environment`` added."""
    command = [*(python or [sys.executable]), "-m", "learning.doctor", "--json", *options]
    done = subprocess.run(
        command, cwd=course.ROOT, env={**os.environ, **environment}, capture_output=True, text=True, timeout=280
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.returncode, {row["what"]: row for row in json.loads(done.stdout)}


@pytest.mark.slow
def test_this_machine_runs_our_answer_and_says_where():
    status, rows = doctor(LEARNING_WORK="")
    assert (
        status == 0
        and rows["vector_add"]["state"] == "ok"
        and "6 of 6 public checks passed" in rows["vector_add"]["found"]
    )


def test_where_nothing_is_installed_it_still_runs_and_says_what_to_do():
    status, rows = doctor(python=[sys.executable, "-S"])
    assert status == 1 and rows["torch"]["state"] == "wrong" and rows["torch"]["remedy"] and "vector_add" not in rows


def test_a_path_without_bubblewrap_is_a_note_about_grading(tmp_path):
    status, rows = doctor("--quick", PATH=str(tmp_path))
    assert rows["sandbox"]["state"] == "note" and "apt-get install bubblewrap" in rows["sandbox"]["remedy"]
    assert status == 0 or any(row["state"] == "wrong" for name, row in rows.items() if name != "sandbox")


def test_a_bubblewrap_that_is_refused_says_what_it_said(tmp_path):
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    _, rows = doctor("--quick", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert rows["sandbox"]["state"] == "note" and "No permissions to create new namespace" in rows["sandbox"]["found"]


def test_a_work_folder_that_cannot_be_made_is_mended_first(tmp_path):
    (tmp_path / "file").write_text("")
    status, rows = doctor("--quick", LEARNING_WORK=str(tmp_path / "file" / "work"))
    assert status == 1 and rows["work"]["state"] == "wrong" and "LEARNING_WORK" in rows["work"]["remedy"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_the_interpreter_asked_for_is_told():
    _, rows = doctor("--quick", TRITON_INTERPRET="1")
    assert rows["TRITON_INTERPRET"]["state"] == "note"


def test_colabs_versions_are_read_from_their_own_environment():
    other = Path(course.ROOT, ".venv-triton36", "bin", "python")
    if not other.exists():
        pytest.skip("make matrix makes this environment")
    _, rows = doctor("--quick", python=[str(other)])
    assert rows["Triton"]["found"].startswith("3.6") and "corrected" in rows["NumPy"]["found"]


def test_a_wrong_option_is_a_usage_error():
    done = subprocess.run(
        [sys.executable, "-m", "learning.doctor", "--fast"], cwd=course.ROOT, capture_output=True, text=True
    )
    assert done.returncode == 64 and "--fast" in done.stderr


def test_the_table_is_read_by_a_person():
    done = subprocess.run(
        [sys.executable, "-m", "learning.doctor", "--quick"], cwd=course.ROOT, capture_output=True, text=True
    )
    lines = done.stdout.splitlines()
    assert any(line.startswith("ok    torch") for line in lines) and lines[-1] and max(map(len, lines)) <= 110
