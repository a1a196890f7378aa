"""docs/red-team.md says what the records say, and the records are of the files as they stand."""

from __future__ import annotations

import importlib.util

import pytest

from tests.redteam import field


@pytest.fixture(scope="module")
def table():
    path = field.HERE.parents[1] / "tools" / "redteam_table.py"
    spec = importlib.util.spec_from_file_location("redteam_table", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_attacker_and_control_was_run_as_it_stands(table):
    assert table.stale(table.read(table.CPU)) == [], "run: python tools/redteam_table.py --run"


def test_no_attacker_scored_and_no_control_lost(table):
    rows = table.read(table.CPU)["rows"]
    assert [name for name, row in rows.items() if not row["ok"]] == []
    gpu = table.read(table.GPU).get("rows", [])
    assert [row["name"] for row in gpu if not row["as_expected"]] == []


def test_the_page_is_what_the_records_say(table):
    assert table.PAGE.read_text() == table.page(table.read(table.CPU), table.read(table.GPU)), (
        "run: python tools/redteam_table.py"
    )


def test_the_page_names_every_class_attacker_and_control(table):
    page = table.PAGE.read_text()
    names = [attack.name for attack in field.attacks()] + list(table.controls())
    assert all(table.cell(name) in page for name in names) and len(names) >= 125
    assert all(f"## {number}. " in page for number in field.CLASSES)
