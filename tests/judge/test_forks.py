"""What every fork pays for, and every call: kept small, since a class has thousands of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from learning.judge import call, wire, worker

ROOT = Path(__file__).resolve().parents[2]
DEAR = ("random", "threading", "subprocess", "tempfile")
"""``random`` and ``threading`` do work of their own in the child after each fork; the others import them."""


def test_a_server_of_the_cpu_lesson_imports_nothing_that_every_fork_would_pay_for():
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\nfrom learning.judge import server\nserver.warm('cpu')\n"
        f"print([name for name in {DEAR!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_answer_with_nothing_to_tell_is_short_and_comes_back_whole():
    called = call.Called(value=(-0.0, float("inf"), 3), seconds=0.25)
    header, blobs = worker.pack(called, "nonce", wire.Packer())
    assert sorted(header) == ["nonce", "seconds", "value"] and blobs == []
    assert worker.unpack(header, blobs) == called


def test_an_answer_that_tells_of_its_call_comes_back_whole():
    fault = call.Fault("ValueError", "no", "answer", 3, "x = 1")
    told = {
        "guards": ["a band"],
        "torch_calls": ["torch.empty"],
        "printed": "hello\n",
        "claimed": 0.5,
        "again": [1, [2.5]],
    }
    called = call.Called(value=None, seconds=0.25, fault=fault, **told)
    assert worker.unpack(*worker.pack(called, "nonce", wire.Packer())) == called


def test_an_answer_without_a_value_is_no_answer():
    with pytest.raises(wire.WireError):
        worker.unpack({"nonce": "nonce", "seconds": 0.1}, [])
