"""A week as a learner does it, headless: from the untouched release to the last gate that can be had on this machine."""

import copy
import importlib.util

import pytest

from learning import lesson
from learning.gates import records
from learning.gates.progress import progress
from learning.lens import device
from tests.gates import week

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


def as_on_a_gpu(kept):
    """The fixture's evidence: the records a machine without a GPU lacks, marked ``device="test"``; (event, source, payload) each.
    The checks and the tuning are those that ran here, the times are made up."""
    case = {"answer": "add", "case": "64 Mi", "card": "test", "bytes": 12 << 26, "flops": 1 << 26, "floor": 2517.0,
            "microseconds": {"cold": 2600.0, "warm": 2590.0, "events": 2590.0, "graph": 2585.0}, "samples": {"cold": [2.6, 2.6]},
            "peers": {}}  # fmt: skip
    made = []
    for record in kept:
        payload = copy.deepcopy(record["payload"])
        if record["event"] == "parity":
            for check in payload["checks"]:
                check["device"] = "test"
        elif record["event"] == "benchmark" and payload.get("autotune"):
            for kernel in payload["autotune"]["kernels"]:
                for winner in kernel["winners"]:
                    winner["microseconds"] = {label: 3.0 + n for n, label in enumerate(kernel["configs"])}
        else:
            continue
        made.append((record["event"], record["source"], payload))
    return [*made, ("benchmark", made[-1][1], {"cases": [case]})]


def admitted(log):
    """The log as a test may read it: evidence of the fixture stands for a GPU's."""
    found = copy.deepcopy(records.read(log, fixture=True).records)
    for record in found:
        if record["device"] == "test":
            record["device"] = "cuda"
            for check in record["payload"].get("checks", ()):
                check["device"] = "cuda"
    return found


def test_the_week_of_online_normalizer_closes_every_gate(tmp_path):
    work = week.lay_out(tmp_path)
    shown = week.through(work, "online_normalizer")
    found = records.read(work / "online_normalizer" / records.FILE)
    assert not found.damage and not found.refused
    assert states("online_normalizer", found.records) == dict.fromkeys(lesson.load("online_normalizer").gates, "proved")
    assert "progress 7/7" in shown["again bootstrap"]
    assert week.SURPRISE in (work / "online_normalizer" / "logs.txt").read_text()


@pytest.mark.skipif(GPU, reason="for a machine without a GPU")
def test_the_week_of_vector_add_waits_for_nothing_but_a_gpu(tmp_path):
    work = week.lay_out(tmp_path)
    shown = week.through(work, "vector_add")
    log = work / "vector_add" / records.FILE
    kept = records.read(log).records
    wanted = {gate: "waiting for a GPU" if gate in ON_A_GPU else "proved" for gate in lesson.load("vector_add").gates}
    assert states("vector_add", kept) == wanted
    assert "progress 7/12" in shown["again bootstrap"]

    evidence = as_on_a_gpu(kept)
    event, source, payload = evidence[-1]
    with pytest.raises(records.RecordError, match="device 'test'"):
        records.append(log, event, "vector_add", device="test", source=source, payload=payload)
    for event, source, payload in evidence:
        records.append(log, event, "vector_add", device="test", source=source, payload=payload, fixture=True)
    compared_there = dict.fromkeys(("bound", "compare"), "open")  # they ask for a comparison after that benchmark
    assert states("vector_add", admitted(log)) == dict.fromkeys(wanted, "proved") | compared_there
    found = records.read(log)  # as the product reads it
    assert len(found.refused) == len(evidence) and {one["device"] for one in found.refused} == {"test"}
    assert states("vector_add", found.records) == wanted
    with week.kernel(log.parent) as run:
        assert "progress 7/12" in run("import learning.session\nlearning.session.begin('vector_add')")


@pytest.mark.gpu
@pytest.mark.skipif(not GPU, reason="needs a CUDA device")
def test_the_week_of_vector_add_closes_every_gate_on_a_gpu(tmp_path):
    work = week.lay_out(tmp_path)
    shown = week.through(work, "vector_add")
    found = records.read(work / "vector_add" / records.FILE)
    assert not found.refused
    assert states("vector_add", found.records) == dict.fromkeys(lesson.load("vector_add").gates, "proved")
    assert "progress 12/12" in shown["again bootstrap"]
