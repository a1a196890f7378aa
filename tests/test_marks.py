"""What a mark of a test means on the machine at hand."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).parents[1]


@pytest.mark.skipif(torch.cuda.is_available(), reason="for a machine without a GPU")
def test_what_needs_a_gpu_is_skipped_without_one(tmp_path):
    """`make test-all` runs without `-m`: a mark alone has to keep what only a GPU can run from failing here."""
    marked = sorted(
        str(path.relative_to(ROOT))
        for path in (ROOT / "tests").rglob("test_*.py")
        if "mark.gpu" in path.read_text(encoding="utf-8")
    )
    assert len(marked) > 5
    command = [sys.executable, "-m", "pytest", "-q", "-m", "gpu", "-p", "no:cacheprovider", "-p", "no:xdist", *marked]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    (summary,) = [line for line in done.stdout.splitlines() if " skipped" in line and " in " in line]
    assert "passed" not in summary and "failed" not in summary and "error" not in summary
