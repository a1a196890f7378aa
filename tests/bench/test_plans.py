"""Every lesson's plan: two shapes, peers that agree with the truth, least work that is least, rows that name what exists."""

from __future__ import annotations

import math

import pytest
import torch

from learning import lesson as lessons
from learning.bench import measure, plan
from learning.bench.plan import COPY, Draw, Peer, Row, Shape
from learning.judge import guard
from learning.lens import trace
from learning.lesson import LessonError
from tests.bench.conftest import PLANNED, QUICK


def tiny(slug):
    found = plan.load(lessons.load(slug))
    args, kwargs = found.inputs(Draw(plan.seed(slug, "tiny"), "cpu"), **found.tiny)
    return found, args, kwargs


def test_every_gpu_lesson_has_a_plan():
    assert [lesson.slug for lesson in lessons.discover() if lesson.kind == "gpu"] == PLANNED


@pytest.mark.parametrize("slug", PLANNED)
def test_peers_agree_with_the_truth_in_float64(slug):
    found, args, kwargs = tiny(slug)
    truths = measure._truths(found, args, kwargs)
    for peer in found.peers:
        if peer.missing():
            continue
        made = guard.tensors_in(peer.call(*args, **kwargs))
        errors = measure._errors(made, truths)
        eps = torch.finfo(made[0].dtype).eps
        assert len(errors) == len(truths) and all(e["relative_l2"] <= 2 * eps for e in errors), (peer.name, errors)


@pytest.mark.parametrize("slug", PLANNED)
def test_the_answer_is_timed_and_its_case_is_whole(slug, functions, opened):
    found = plan.load(lessons.load(slug))
    said = []
    shape = Shape("tiny", "a tiny case", found.tiny)
    case = measure.shape(found, shape, functions(slug), opened, measure.How(**QUICK), said.append)
    mine = case["results"][0]
    assert mine["kind"] == "answer" and len(mine["events"]["microseconds"]) >= 2 and mine["median"]["events"] > 0
    assert all(e["relative_l2"] < 2e-3 for e in mine["errors"])
    assert [one["kind"] for one in case["results"]][-1] == "ceiling" and said
    compiled = [one for one in case["results"] if one["compiled"]]
    assert compiled and all("on request" in one["unavailable"] for one in compiled)


@pytest.mark.parametrize("slug", PLANNED)
def test_the_least_work_is_no_more_than_what_the_answer_moves(slug, functions, opened):
    """Bytes by the plan against distinct bytes in a trace: a floor above what a kernel really moves is no floor."""
    found, args, kwargs = tiny(slug)
    work = found.work(*args, **kwargs)
    assert work.bytes > 0 and math.isfinite(work.flops)
    with trace.recording() as tape:
        next(iter(functions(slug).values()))(*args, **kwargs)
    moved = sum(
        (t.distinct_loaded + t.distinct_stored) * t.itemsize for one in tape.launches for t in one.tensors.values()
    )
    assert work.bytes <= moved * 1.001


@pytest.mark.parametrize("slug", PLANNED)
def test_the_shapes_are_fixed_and_reproducible(slug):
    found = plan.load(lessons.load(slug))
    one = found.inputs(Draw(plan.seed(slug, found.shapes[0].name), "cpu"), **found.tiny)
    two = found.inputs(Draw(plan.seed(slug, found.shapes[0].name), "cpu"), **found.tiny)
    other = found.inputs(Draw(plan.seed(slug, found.shapes[1].name), "cpu"), **found.tiny)
    tensors = [guard.tensors_in(*x) for x in (one, two, other)]
    assert all(torch.equal(a, b) and a.stride() == b.stride() for a, b in zip(*tensors[:2], strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(tensors[0], tensors[2], strict=True))
    assert all(set(shape.sizes) <= set(found.tiny) for shape in found.shapes)


GOOD = """
from learning.bench import Peer, Row, Shape
SHAPES = (Shape("a", "a", {}), Shape("b", "b", {}))
TINY = {}
inputs = work = oracle = print
PEERS = (Peer("eager", print, "none"),)
"""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("TINY = {}", ""), "defines no TINY"),
        ((', Shape("b", "b", {}))', ",)"), "two"),
        (('Shape("b"', 'Shape("a"'), "two, of different names"),
        (('"none"', '" "'), "does not say how it rounds"),
        (("PEERS", 'ROWS = (Row("r", "c", "eager"),)\nPEERS'), "no shape"),
        (("PEERS", 'ROWS = (Row("r", "a", "Liger"),)\nPEERS'), "no peer"),
        (("PEERS", 'ROWS = (Row("r", "a", "eager", answer="fast"),)\nPEERS'), "TUNED does not list"),
        (('Peer("eager"', 'Peer("copy of as many bytes"'), "different names"),
    ],
)
def test_a_plan_that_lacks_something_is_refused_by_name(tmp_path, change, words):
    card = lessons.load("softmax")
    folder = tmp_path / "mine"
    folder.mkdir()
    elsewhere = lessons.Lesson(
        **{f: getattr(card, f) for f in card.__dataclass_fields__} | {"slug": "mine", "root": tmp_path}
    )
    with pytest.raises(LessonError, match=r"mine/benchmark\.py is missing"):
        plan.load(elsewhere)
    (folder / "benchmark.py").write_text(GOOD)
    assert plan.load(elsewhere).shape("b").about == "b"
    with pytest.raises(KeyError, match="its shapes are a, b"):
        plan.load(elsewhere).shape("c")
    (folder / "benchmark.py").write_text(GOOD.replace(*change))
    with pytest.raises(LessonError, match=words):
        plan.load(elsewhere)


def test_a_peer_of_a_library_that_is_not_there_says_so():
    assert Peer("x", print, "r", needs="no_such_library.ops").missing() == "no_such_library is not installed"
    assert Peer("x", print, "r", needs="torch").missing() == "" == Peer("x", print, "r").missing()
    assert Row("c", "s", COPY).at_most == 1.0
