"""Every GPU lesson's answer compiles for cards that are not here, and spills no register on any of them.

The launches are those the lesson's own checks provoke, in every dtype; nothing is run, no driver is needed.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from learning import lesson

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SHARED = {"75": 64 << 10, "80": 163 << 10, "90": 227 << 10}  # bytes a program can have: CUDA C++ Programming Guide
CARDS = [card for card in lesson.discover() if card.kind == "gpu"]
EVERY = [
    pytest.param(card, capability, marks=[] if (card, capability) == (CARDS[0], "75") else pytest.mark.slow)
    for card in CARDS
    for capability in ("75", "80", "90")
]
"""`make test` compiles the first lesson for a T4, CI every lesson for every card."""

pytestmark = pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")


def run(tmp_path, *command: str) -> list[dict]:
    """Run a Python command with a compiler cache of its own and Triton not interpreting; its output as JSON."""
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment |= {
        "TRITON_CACHE_DIR": str(tmp_path / "cache"),
        "TRITON_DEFAULT_FP_FUSION": "1",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def types_of(card) -> set[str]:
    """What an answer that names its dtypes in ``DTYPES`` takes, else all three."""
    (line,) = re.findall(r"^DTYPES = .*$", (card.folder / "answer.py").read_text(encoding="utf-8"), re.MULTILINE) or [
        ""
    ]
    names = {"torch.float32": "fp32", "torch.float16": "fp16", "torch.bfloat16": "bf16"}
    return {short for name, short in names.items() if name in line} or set(names.values())


@pytest.mark.parametrize(("card", "capability"), EVERY, ids=lambda value: getattr(value, "slug", value))
def test_the_answer_compiles_and_keeps_everything_in_registers(card, capability, tmp_path):
    kernels = run(tmp_path, str(HERE / "cross_compile.py"), card.slug, capability)
    assert {kernel["target"].rstrip("a") for kernel in kernels} == {f"sm_{capability}"}
    assert {name for kernel in kernels for name in kernel["types"]} == types_of(card)
    assert [kernel for kernel in kernels if kernel["spilled"]] == []
    assert [kernel for kernel in kernels if kernel["shared"] > SHARED[capability]] == []


A_TILE_TOO_WIDE_FOR_FOUR_WARPS = """
import json, sys
sys.path.insert(0, {here!r})
import torch, triton, triton.language as tl
import cross_compile

@triton.jit
def greedy_kernel(a_ptr, b_ptr, out_ptr, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    a, b = tl.load(a_ptr + lanes * 3), tl.load(b_ptr + lanes * 5)
    total = tl.sum(a, axis=0) + tl.sum(b, axis=0)
    tl.store(out_ptr + lanes * 7, a / total + b * tl.max(b, axis=0))

buffers = [torch.empty(4) for _ in range(3)]
launch = (greedy_kernel, tuple(buffers), {{"BLOCK": 16384, "num_warps": 4}})
print(json.dumps([cross_compile.assembled(kernel) for kernel in cross_compile.compiled([launch], 75)]))
"""


def test_a_tile_that_does_not_fit_the_registers_is_seen_to_spill(tmp_path):
    script = tmp_path / "greedy.py"
    script.write_text(A_TILE_TOO_WIDE_FOR_FOUR_WARPS.format(here=str(HERE)))
    (kernel,) = run(tmp_path, str(script))
    assert kernel["spilled"] > 0 and kernel["registers"] == 255
