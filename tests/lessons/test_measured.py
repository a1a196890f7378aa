"""Times that a lesson's text tells of an H200 are those of the record that docs/reference-results.md is made from.

A new record may be a little off the text, whose numbers stay where they are within a few percent by the GPU's clock, and within
more where Python has its part. Beyond that the sentence is stale.
"""

from __future__ import annotations

import json
import re

import pytest

from learning import course

RECORD = course.ROOT / "benchmarks" / "results" / "speed-rows.json"
NEAR = {"graph": 0.05, "events": 0.2}
TOLD = {
    ("vector_add", "PyTorch's own `x + y` took 0.190 ms"): [("vector_add", "64 Mi", "eager", "events", 190)],
    ("softmax", "eager `torch.softmax` needed 259 µs for this matrix, `torch.compile` 153, and the kernel of a library, Liger, 67.9"): [
        ("softmax", "8192 x 8192", "eager", "events", 259),
        ("softmax", "8192 x 8192", "torch.compile", "events", 153),
        ("softmax", "8192 x 8192", "Liger", "events", 67.9),
    ],
    ("rmsnorm_residual", "the lines you counted took 281 µs timed with events and 263 replayed as a CUDA graph; `torch.compile`, which fuses, took 62.9 and 35.9"): [
        ("rmsnorm_residual", "4096 x 4096", "eager", "events", 281),
        ("rmsnorm_residual", "4096 x 4096", "eager", "graph", 263),
        ("rmsnorm_residual", "4096 x 4096", "torch.compile", "events", 62.9),
        ("rmsnorm_residual", "4096 x 4096", "torch.compile", "graph", 35.9),
    ],
    ("minmax", "these lines took 242 µs timed with events and 227 replayed as a CUDA graph, and `torch.compile`, which makes one kernel of them, 61.0 and 22.9"): [
        ("minmax", "4096 x 4096", "eager", "events", 242),
        ("minmax", "4096 x 4096", "eager", "graph", 227),
        ("minmax", "4096 x 4096", "torch.compile", "events", 61.0),
        ("minmax", "4096 x 4096", "torch.compile", "graph", 22.9),
    ],
    ("layernorm", "it took 32.9 µs timed with events and 30.9 replayed as a CUDA graph; `torch.compile` took 42.4 and 22.6, Liger's Triton kernel 55.3 and 20.2"): [
        ("layernorm", "4096 x 4096", "F.layer_norm", "events", 32.9),
        ("layernorm", "4096 x 4096", "F.layer_norm", "graph", 30.9),
        ("layernorm", "4096 x 4096", "torch.compile", "events", 42.4),
        ("layernorm", "4096 x 4096", "torch.compile", "graph", 22.6),
        ("layernorm", "4096 x 4096", "Liger", "events", 55.3),
        ("layernorm", "4096 x 4096", "Liger", "graph", 20.2),
    ],
    ("gemv", "`F.linear` took 66.2 µs timed with events and 63.8 replayed as a CUDA graph; `torch.compile` 80.1 and 76.9"): [
        ("gemv", "4096 to 32000", "F.linear", "events", 66.2),
        ("gemv", "4096 to 32000", "F.linear", "graph", 63.8),
        ("gemv", "4096 to 32000", "torch.compile", "events", 80.1),
        ("gemv", "4096 to 32000", "torch.compile", "graph", 76.9),
    ],
    ("gemv", "(SDPA) | 36.8 | 11.6 |"): [
        ("cached_attention", "decode", "SDPA", "events", 36.8),
        ("cached_attention", "decode", "SDPA", "graph", 11.6),
    ],
    ("gemv", "LayerNorm of 4096² fp16 (Liger) | 55.3 | 20.2 |"): [
        ("layernorm", "4096 x 4096", "Liger", "events", 55.3),
        ("layernorm", "4096 x 4096", "Liger", "graph", 20.2),
    ],
    ("rmsnorm_residual", "Liger's layer norm, without a residual, took 20.2 µs as a graph for 4096 × 4096 fp16, where two matrices need at least 15.8; by events it took 55.3"): [
        ("layernorm", "4096 x 4096", "Liger", "graph", 20.2),
        ("layernorm", "4096 x 4096", "Liger", "events", 55.3),
    ],
    ("cached_attention", "took 36.8 µs timed with events and 11.6 replayed as a graph"): [
        ("cached_attention", "decode", "SDPA", "events", 36.8),
        ("cached_attention", "decode", "SDPA", "graph", 11.6),
    ],
    ("strided_softmax", "eager PyTorch needed 356 µs and so did copying first, which is what eager does; `torch.compile` needed 91"): [
        ("strided_softmax", "transposed", "eager", "events", 356),
        ("strided_softmax", "transposed", "copy, then softmax", "events", 356),
        ("strided_softmax", "transposed", "torch.compile", "events", 91),
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def recorded():
    """Median µs by (operation, case, who, clock)."""
    return {
        (run["op"], case["case"], one["name"], clock): took
        for run in json.loads(RECORD.read_text(encoding="utf-8"))["runs"]
        for case in run["cases"]
        for one in case["results"]
        for clock, took in one["median"].items()
    }


def text(lesson):
    return (course.ROOT / "learning" / "lessons" / lesson / "lesson.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("lesson", "sentence"), TOLD)
def test_a_time_in_a_text_is_the_recorded_one(lesson, sentence, recorded):
    assert sentence in text(lesson)
    for *place, told in TOLD[lesson, sentence]:
        assert f"{told:g}" in sentence.replace(".0 ", " ").replace("0.190 ms", "190 µs")
        took = recorded[tuple(place)]
        assert abs(told / took - 1) <= NEAR[place[-1]], f"{place}: {told} in the text, {took:.2f} in the record"


def test_no_other_sentence_tells_a_time_of_that_card():
    """A paragraph that speaks of events or graphs on that card is one of those above, or tells no time."""
    for path in sorted((course.ROOT / "learning" / "lessons").glob("*/lesson.md")):
        known = [sentence for lesson, sentence in TOLD if lesson == path.parent.name]
        for line in path.read_text(encoding="utf-8").splitlines():
            clocked = any(words in line for words in ("with events", "by events", "replayed as a", "as a graph"))
            if clocked and "that H200" in line and re.search(r"\d µs", line):
                assert any(sentence in line for sentence in known), (path.parent.name, line[:200])
