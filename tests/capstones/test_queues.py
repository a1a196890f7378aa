"""C2's queues on a card: whose a workspace is does not hang on what a process did before."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.gpu
def test_a_workspace_made_before_the_card_is_opened_serves_the_first_call():
    """The small case makes its workspace first and its tensors afterwards; torch opens the card with the first tensor."""
    command = [sys.executable, "benchmarks/sanitizer.py", "--call", "softmax_workspace"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0 and done.stdout.splitlines() == ["called: the small case"], done.stderr[-2000:]
