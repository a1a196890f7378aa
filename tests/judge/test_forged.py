"""A submission that takes over its worker's line tells the judge impossible things: each is a finding about it, in a moment.

Whoever owns the line says what he likes of himself. That costs him points and never earns any; it must not break the judge
("failed to grade"), hold it up, or fill its records.
"""

from __future__ import annotations

import json
import time

import pytest

from learning.judge import engine
from tests.judge import tiny

TAKES_OVER = """
import json
import struct
import sys

from learning.judge import wire


def judges_line():
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["sock"], frame.f_locals["nonce"]


def frame_of(header, blobs):
    text = json.dumps(header).encode()
    sizes = struct.pack("<%dQ" % len(blobs), *map(len, blobs))
    return struct.pack("<4sII", b"LJW1", len(text), len(blobs)) + sizes + text + b"".join(blobs)


def whole(t):
    storage = t.untyped_storage()
    return bytes(torch.empty(0, dtype=torch.uint8).set_(storage, 0, (storage.nbytes(),), (1,)).numpy())


def usual(x, y, nonce):
    output = {{"exact_type": True, "plain": True, "dtype": "float32", "shape": list(x.shape), "strides": [1], "offset": 0,
              "device": "cpu", "requires_grad": False, "overlaps": [], "shares_with": [], "reused": False}}
    view = {{"dtype": "float32", "shape": list(x.shape), "strides": [1], "offset": 0, "grad": False, "storage": 0}}
    header = {{"nonce": nonce, "value": {{"v": view}}, "again": [], "outputs": [output],
              "storages": [{{"blob": 0, "device": "cpu"}}], "raw": [1, 2], "guards": [], "torch_calls": [], "printed": "",
              "seconds": 0.0, "claimed": 0.0, "fault": None, "trace": None}}
    return header, view, output, [bytes(4 * x.numel()), whole(x), whole(y)]


def add(x, y):
    line, nonce = judges_line()
    while True:
        header, view, output, blobs = usual(x, y, nonce)
        {lie}
        line.sendall(frame_of(header, blobs))
        request = {{}}
        while "args" not in request:
            request, data = wire.receive(line, allocate=wire.tensor_buffer)
        nonce = request["nonce"]
        x, y = wire.Unpacker(request["storages"], data, hollow=True).tree(request["args"])
"""
LIES = {
    "zeros": "pass",
    "no_bytes": 'view["device"] = "meta"',
    "gradient": 'view["grad"], blobs[0] = True, bytes((x + y).numpy())',
    "a_trillion_elements": 'view["strides"], view["shape"] = [0], [1 << 40]',
    "another_device": 'output["device"] = "cpu:first"',
    "no_strides": 'output["strides"] = []',
    "a_million_axes": 'output["shape"] = [7] * 1_000_000',
    "endless_strides": 'output["strides"] = [7] * 1_000_000',
    "no_outputs": 'header["outputs"] = []',
    "no_inputs": 'header["raw"] = []',
    "a_foreign_name": 'header["value"] = {"x": "<script>" * 100_000}',
    "a_long_text": 'header["value"] = {"s": "<b>" * 1_000_000}',
    "many_values": 'header["value"] = {"t": [None] * 700_000}',
    "deep_values": 'header["value"] = {"t": [{"t": [{"t": [None] * 300_000}]}]}',
    "a_long_number": 'header["value"] = {"i": "f" * 3_000_000}',
    "times_that_are_none": 'header["seconds"], header["claimed"] = float("nan"), float("-inf")',
    "a_fault_of_megabytes": 'header["fault"] = dict.fromkeys(("type", "message", "cell", "text"), "w" * 900_000)'
                            ' | {"line": 1e300, "kind": "timeout"}',
    "a_trace_that_cannot_be": 'header["trace"] = dict(launches=[], inputs=[{"others": [float("nan")]}], sums=[], tuned=[],'
                              ' outputs=[{"untouched": 5, "elements": -1}], scratch=-5, hurried=False,'
                              ' problems=[{"kind": "double write", "first": -(1 << 61), "program": [-1]}])',
    "more_than_it_may": 'header["printed"] = "p" * 5_000_000',
}  # fmt: skip
QUICK = engine.Limits(call_seconds=4.0, after_timeout_seconds=1.0)


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_on_the_line_is_a_finding_and_a_short_one(lie, servers):
    text = TAKES_OVER.format(lie=LIES[lie])
    started = time.perf_counter()
    graded = engine.grade(
        tiny.ADDING, tiny.submission(text), notebook=tiny.adding_notebook(), servers=servers, device="interpreter",
        only={"adds"}, limits=QUICK,
    )  # fmt: skip
    (result,) = graded.results
    assert (result.state, result.earned) == ("failed", 0.0), result.finding
    assert result.finding.sentence() and len(json.dumps(graded.as_dict())) < 20_000
    assert time.perf_counter() - started < 60, "the judge was held up"


FLOODS = """
import json
import struct
import sys

frame = sys._getframe()
while "request" not in frame.f_locals or "sock" not in frame.f_locals:
    frame = frame.f_back
nonce = frame.f_locals["request"]["nonce"]
text = json.dumps({"nonce": nonce, "at": "answer_1", "more": [[]] * 100_000}).encode()
while True:
    frame.f_locals["sock"].sendall(struct.pack("<4sII", b"LJW1", len(text), 0) + text)
"""


def test_a_flood_of_progress_ends_with_the_first_that_is_not_due(servers):
    graded = engine.grade(
        tiny.ADDING, tiny.submission(FLOODS, tiny.RIGHT), notebook=tiny.adding_notebook(), servers=servers,
        device="interpreter", only={"adds"}, limits=QUICK,
    )  # fmt: skip
    (result,) = graded.results
    assert result.state == "failed" and "not due" in result.finding.sentence()
