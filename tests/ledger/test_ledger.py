"""The ledger's twenty traps: numbered without gaps, told in one sentence, printable anywhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from learning import ledger
from learning.ledger.__main__ import main

ROOT = Path(ledger.__file__).parents[2]


def test_the_ledger_has_twenty_traps_in_order():
    assert [trap.number for trap in ledger.TRAPS] == list(range(1, 21))
    assert len({trap.title for trap in ledger.TRAPS}) == 20


@pytest.mark.parametrize("trap", ledger.TRAPS, ids=lambda trap: f"trap_{trap.number}")
def test_a_trap_reads_as_a_short_title_and_one_sentence(trap):
    assert 10 < len(trap.title) <= 70
    assert not trap.title.endswith(".")
    assert trap.title[0].islower()
    assert trap.fact.endswith(".")
    assert not re.search(r"[a-z0-9]\. [A-Z]", trap.fact), "one sentence"


def test_a_message_points_to_a_trap_by_number_and_title():
    assert ledger.reference(3) == "trap 3, masked columns of a softmax must load −inf (learning/ledger)"
    assert ledger.reference(99) == "trap 99 (learning/ledger)"


def test_an_unknown_trap_says_which_exist():
    with pytest.raises(ledger.UnknownTrap, match="traps 1 to 20"):
        ledger.find(21)


def test_the_command_prints_all_or_one_or_says_what_is_wrong(capsys):
    assert main([]) == 0
    assert capsys.readouterr().out.count("\n") > 40
    assert main(["20"]) == 0
    out = capsys.readouterr().out
    assert "%%time" in out and out.startswith("20")
    assert main(["0"]) == 3
    assert "1 to 20" in capsys.readouterr().err
    assert main(["three"]) == 64 and main(["1", "2"]) == 64


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_the_command_works_with_nothing_installed_in_any_terminal(encoding):
    done = subprocess.run(
        [sys.executable, "-S", "-m", "learning.ledger"],
        cwd=ROOT,
        env={"PYTHONIOENCODING": encoding, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        check=True,
    )
    text = done.stdout.decode(encoding)
    assert ("must load −inf" if encoding == "utf-8" else "must load -inf") in text
    assert "?" not in text
