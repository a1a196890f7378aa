"""A script in a process of its own, where Triton compiles: the tests around it may interpret."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def ran(tmp_path, script, *arguments):
    """What a script prints, with a compiler cache of its own and Triton not interpreting."""
    file = tmp_path / "script.py"
    file.write_text(script, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment |= {"TRITON_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    environment |= {"TRITON_DEFAULT_FP_FUSION": "1"}
    done = subprocess.run(
        [sys.executable, file, *arguments], env=environment, capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
