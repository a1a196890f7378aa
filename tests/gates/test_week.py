"""A week as a learner does it, headless: from the untouched release to the last gate that can be had on this machine."""

import importlib.util

import pytest

from learning import lesson
from learning.gates import records
from learning.gates.progress import progress
from learning.lens import device
from tests.gates import fixture, week

GPU = device.current().kind == "cuda"
ON_A_GPU = {"parity", "bench", "bound", "compare", "autotune"}
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(
        not (week.JUPYTER or importlib.util.find_spec("IPython")), reason="needs a Jupyter kernel or IPython"
    ),
]


def states(slug, kept):
    return {gate.id: gate.state for gate in progress(lesson.load(slug), kept).gates if gate.applies}


def test_the_week_of_online_normalizer_closes_every_gate(tmp_path):
    work = week.lay_out(tmp_path)
    shown = week.through(work, "online_normalizer")
    found = records.read(work / "online_normalizer" / records.FILE)
    assert not found.damage and not found.refused
    assert states("online_normalizer", found.records) == dict.fromkeys(lesson.load("online_normalizer").gates, "proved")
    assert "progress 7/7" in shown["again bootstrap"]
    assert week.SURPRISE["online_normalizer"] in (work / "online_normalizer" / "logs.txt").read_text()


@pytest.mark.skipif(GPU, reason="for a machine without a GPU")
def test_the_week_of_vector_add_waits_for_nothing_but_a_gpu(tmp_path):
    work = week.lay_out(tmp_path)
    shown = week.through(work, "vector_add")
    log = work / "vector_add" / records.FILE
    kept = records.read(log).records
    wanted = {gate: "waiting for a GPU" if gate in ON_A_GPU else "proved" for gate in lesson.load("vector_add").gates}
    assert states("vector_add", kept) == wanted
    assert "progress 7/12" in shown["again bootstrap"]

    evidence = fixture.as_on_a_gpu(kept)
    event, source, payload = evidence[-1]
    with pytest.raises(records.RecordError, match="device 'test'"):
        records.append(log, event, "vector_add", device="test", source=source, payload=payload)
    assert fixture.plant(log, "vector_add") == len(evidence)
    assert states("vector_add", fixture.admitted(log)) == dict.fromkeys(wanted, "proved")
    found = records.read(log)  # as the product reads it
    assert len(found.refused) == len(evidence) and {one["device"] for one in found.refused} == {"test"}
    assert states("vector_add", found.records) == wanted
    with week.kernel(log.parent) as run:
        assert "progress 7/12" in run("import learning.session\nlearning.session.begin('vector_add')")


@pytest.mark.gpu
def test_the_week_of_vector_add_closes_every_gate_on_a_gpu(tmp_path):
    work = week.lay_out(tmp_path)
    shown = week.through(work, "vector_add")
    found = records.read(work / "vector_add" / records.FILE)
    assert not found.refused
    assert states("vector_add", found.records) == dict.fromkeys(lesson.load("vector_add").gates, "proved")
    assert "progress 12/12" in shown["again bootstrap"]
