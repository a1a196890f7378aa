"""tools/ledger_table.py: what it writes, what it says of a changed row, and what it does where it cannot run."""

import importlib
import json
import sys
from pathlib import Path

import pytest

from learning.ledger import page, table
from learning.ledger.run import RunFailed, main, run

ROOT = Path(table.__file__).parents[2]


@pytest.fixture
def command(monkeypatch, tmp_path):
    """``command(*words)`` → exit status, of the tool on copies of the records; ``command.outcome`` is what a run gives."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    tool = importlib.import_module("ledger_table")
    kept = table.read()
    name = list(kept["columns"])[-1]

    class Command:
        def __init__(self):
            rows = {row: dict(seen[name]) for row, seen in kept["rows"].items()}
            self.outcome, self.file = {"environment": kept["columns"][name], "rows": rows}, tmp_path / "table.json"

        def __call__(self, *words):
            monkeypatch.setattr(sys, "argv", ["ledger_table.py", *words])
            return tool.main()

    made = Command()
    made.file.write_text(table.written(kept))
    monkeypatch.setattr(table, "FILE", made.file)
    monkeypatch.setattr(table, "GPU", tmp_path / "results" / "gpu.json")
    monkeypatch.setattr(table, "read", lambda file=made.file: json.loads(file.read_text()))
    monkeypatch.setattr(tool, "run", lambda *words, **how: made.outcome)
    monkeypatch.setattr(tool, "pages", lambda: 0)
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(importlib.import_module("matrix"), "make", lambda environment: Path(sys.executable))
    return made


def test_a_run_like_the_recorded_one_changes_nothing(command, capsys):
    before = command.file.read_text()
    assert command("--check") == 0 and command("triton39") == 0
    assert command.file.read_text() == before
    told = capsys.readouterr().out
    assert "every row is as recorded" in told and "nothing changed" in told


def test_a_changed_row_fails_the_check_and_is_told_when_it_is_recorded(command, capsys):
    command.outcome["rows"]["3/a_row_around_zero@compiled"]["wrong"] = "20% of the row is missing"
    assert command("--check") == 1
    assert "recorded bites, 16% of the row is missing" in capsys.readouterr().out
    assert command("triton39") == 0
    assert "20% of the row is missing" in capsys.readouterr().out
    assert command("--check") == 0


def test_a_case_that_failed_is_never_recorded(command, capsys):
    before = command.file.read_text()
    command.outcome["rows"]["3/a_row_around_zero@compiled"] = {
        "state": "failed",
        "wrong": "ZeroDivisionError",
        "right": "",
    }
    assert command("triton39") == 1
    assert command.file.read_text() == before and "ZeroDivisionError" in capsys.readouterr().err


def test_an_unknown_environment_and_a_machine_without_a_gpu_are_told(command, capsys, monkeypatch):
    from learning.lens import nvml

    assert command("triton12") == 64 and "triton36" in capsys.readouterr().err
    monkeypatch.setattr(nvml, "first_gpu", lambda: None)
    assert command("--gpu") == 3 and "--gpu needs one" in capsys.readouterr().err
    assert not table.GPU.exists()


def test_a_gpus_run_is_kept_with_its_card(command, monkeypatch, capsys):
    from learning.lens import nvml

    monkeypatch.setattr(nvml, "first_gpu", lambda: object())
    command.outcome = command.outcome | {"environment": command.outcome["environment"] | {"card": "NVIDIA H200"}}
    assert command("--gpu") == 0
    kept = json.loads(table.GPU.read_text())
    assert kept["environment"]["card"] == "NVIDIA H200" and kept["rows"] == command.outcome["rows"] and kept["started"]
    assert "--page" in capsys.readouterr().out


def test_exhibits_that_cannot_be_run_say_why(capsys):
    with pytest.raises(RunFailed, match=r"compiled.*exit status 1"):
        run([3], ["compiled"], python="false")
    assert main(["21"]) == 3 and "traps 1 to 20" in capsys.readouterr().err
    assert main(["three"]) == 64


def test_the_page_is_where_the_readme_says():
    assert page.FILE == ROOT / "docs" / "gotchas.md" and page.FILE.is_file()
