"""The benchmark's file: what the schema takes and refuses, as the real validator does; written whole or not at all."""

from __future__ import annotations

import copy
import json
import math

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning import lesson as lessons
from learning.bench import measure, plan, record, report
from learning.bench.plan import Shape
from tests.bench.conftest import QUICK


@pytest.fixture(scope="module")
def whole():
    """A real file of one tiny run."""
    from learning.bench import runner
    from learning.judge import cells, engine
    from learning.lens import device

    card = lessons.load("vector_add")
    setups = engine.Plan.of(engine.instructor_notebook(card), card).setups
    source = (card.folder / "answer.py").read_text()
    loads = [[f"setup-{name}", text, cells.SETUP] for name, text in setups] + [["answer.py", source, cells.ANSWER]]
    found, opened = plan.load(card), device.current()
    case = measure.shape(
        found,
        Shape("tiny", "2500 elements", found.tiny),
        runner.load(loads, {"add": "add"}),
        opened,
        measure.How(**QUICK),
        lambda t: None,
    )
    run = record.run(card, [case], who="solution", timing="graph", source=source, device=opened, seconds=1.0)
    return record.whole([run], [{"op": "online_normalizer", "reason": "a CPU lesson"}])


def places(value, path=()):
    """Every place in a tree."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def changed(value, path, new):
    made = copy.deepcopy(value)
    if not path:
        return new
    at = made
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = new
    return made


def test_the_schema_itself_is_sound_and_takes_a_real_file(whole):
    jsonschema.Draft202012Validator.check_schema(record.SCHEMA)
    jsonschema.validate(json.loads(record.dumps(whole)), record.SCHEMA)


WRONG = [None, True, -1, -0.5, "x", [], {}, [1], {"x": 1}, 3, 2.5]


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_our_check_agrees_with_the_real_validator(whole, data):
    path = data.draw(st.sampled_from(list(places(whole))))
    made = changed(whole, path, data.draw(st.sampled_from(WRONG)))
    real = jsonschema.Draft202012Validator(record.SCHEMA).is_valid(made)
    assert (record.faults(made, record.SCHEMA) == []) is real


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_what_is_missing_or_too_much_is_named(whole, data):
    path = data.draw(st.sampled_from([p for p in places(whole) if p and isinstance(p[-1], str)]))
    made = copy.deepcopy(whole)
    at = made
    for key in path[:-1]:
        at = at[key]
    if data.draw(st.booleans()):
        del at[path[-1]]
        name = path[-1]
    else:
        at["surplus"] = 1
        name = "surplus"
    problems = record.faults(made, record.SCHEMA)
    assert (problems == []) is jsonschema.Draft202012Validator(record.SCHEMA).is_valid(made)
    if problems:
        assert repr(name) in problems[0] and "the record" in problems[0]
        with pytest.raises(record.RecordError, match=name):
            record.check(made)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_numbers_json_does_not_have_are_refused(whole, value):
    made = changed(whole, ("runs", 0, "seconds"), value)
    with pytest.raises(record.RecordError, match=r"runs\[0\]\.seconds"):
        record.check(made)


def test_it_is_written_whole_by_rename_with_its_folders(tmp_path, whole):
    target = tmp_path / "new" / "folder" / "out.json"
    record.write(target, whole)
    first = target.read_text()
    record.write(target, {"again": [1.0, 2.0]})
    assert json.loads(first)["format"] == 1 and json.loads(target.read_text()) == {"again": [1.0, 2.0]}
    with pytest.raises(ValueError):
        record.write(target, {"bad": math.nan})
    assert json.loads(target.read_text()) == {"again": [1.0, 2.0]} and [p.name for p in target.parent.iterdir()] == [
        "out.json"
    ]


@settings(deadline=None, max_examples=40)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text() | st.floats(-1e9, 1e9),
                    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20))  # fmt: skip
def test_every_json_value_survives_but_for_the_seventh_digit(value):
    def rounded(node):
        if isinstance(node, float):
            return float(f"{node:.6g}")
        if isinstance(node, dict):
            return {key: rounded(item) for key, item in node.items()}
        return [rounded(item) for item in node] if isinstance(node, list) else node

    assert json.loads(record.dumps(value)) == rounded(value)


def test_samples_take_one_line(whole):
    lines = record.dumps(whole).splitlines()
    assert sum('"microseconds": [' in line and line.rstrip(",").endswith("]") for line in lines) >= 2


def test_the_progress_record_holds_what_predictions_read(whole):
    kept = report.payload(whole["runs"][0]["cases"])
    assert kept[0]["case"] == "tiny" and kept[0]["bytes"] == 30_000 and kept[0]["microseconds"]["events"] > 0
    assert len(kept[0]["samples"]["events"]) >= 2 and "eager" in kept[0]["peers"]
