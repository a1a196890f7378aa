"""Runs of the stories in processes of their own, because a process runs kernels in one mode only."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _clean_environment():
    """The environment without the mode that opening a device in this process may have set."""
    return {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}


@pytest.fixture
def stories():
    """``stories(target, word="", *flags)`` → {story: "" or the failure}, from a fresh process."""

    def run(target, word="", *flags):
        command = [sys.executable, str(ROOT / "tests/lens/stories/run.py"), target, word, *flags]
        done = subprocess.run(command, capture_output=True, text=True, timeout=280, cwd=ROOT, env=_clean_environment())
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout.splitlines()[-1])

    return run


@pytest.fixture
def python(tmp_path):
    """``python(source, **environment)`` → a completed fresh process that ran ``source`` from a file."""

    def run(source, **environment):
        script = tmp_path / "script.py"
        script.write_text(source)
        full = {**_clean_environment(), "PYTHONPATH": str(ROOT), **environment}
        full = {key: value for key, value in full.items() if value is not None}
        return subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, timeout=120, env=full, cwd=tmp_path
        )

    return run
