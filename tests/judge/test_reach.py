"""What of a learner's cells the entry point reaches, and what the worker runs of them."""

from __future__ import annotations

from learning.judge import reach, rules
from tests.judge.rules_kit import ANSWER, broken


def test_a_global_of_the_same_name_as_a_local_is_not_reached():
    assert broken("x = torch.softmax(torch.randn(3), 0)\nout = x @ x\nn = eval('3')", ANSWER) == []


def test_what_runs_before_the_last_definition_is_read_where_it_is_defined():
    patched = "def add(x, y, z=setattr(torch, 'zeros', print)):\n    return x @ y"
    assert [i.id for i in broken(patched, ANSWER)] == ["modules"]
    called = "def block():\n    return exec('1')\nSIZE = block()\ndef block():\n    return 1"
    assert [i.id for i in broken(called, ANSWER.replace("BLOCK=1024", "BLOCK=SIZE"))] == ["dynamic"]


def test_what_runs_in_another_answer_cell_is_read_and_what_only_stands_there_is_not():
    waiting = "import time\ndef tuned(x):\n    return exec('1'), time.time()"
    second = [("answer", ANSWER), ("second", waiting)]
    options = {"entry": "add", "answers": ["answer", "second"]}
    assert rules.broken(second, **options) == []
    for called in (
        "\ntuned(1)",
        "\ndef other(n=tuned(1)): pass",
        "\n@tuned\ndef other(): pass",
        "\nclass K:\n    a = tuned(1)",
    ):
        found = rules.broken([second[0], ("second", waiting + called)], **options)
        assert {i.id for i in found} == {"dynamic", "system"}, called
    kept = "KEPT = []\ndef keep(f):\n    KEPT.append(f)\n    return f\n@keep\ndef other():\n    exec('1')"
    assert [i.id for i in rules.broken([second[0], ("second", kept)], **options)] == ["dynamic"]
    jitted = kept.replace("@keep", "@triton.jit")
    assert rules.broken([second[0], ("second", jitted)], **options) == []
    deep = "x = " + " + ".join("1" * 900)
    assert [i.id for i in rules.broken([second[0], ("second", deep)], **options)] == ["dynamic"]
    assert rules.broken([second[0], ("second", "def (:")], **options) == []  # it does not run either


def test_what_an_unused_function_of_the_answer_needs_runs_and_is_read():
    used = ANSWER + "\ndef unused():\n    return READY"
    assert [i.id for i in broken("READY = exec('1')", used)] == ["dynamic"]
    assert broken("import time\nREADY = 3\nnot_needed = exec('1')", used) == []


def test_the_worker_runs_what_the_answer_needs_of_other_cells_and_no_more():
    scratch = (
        "SIZE = 1\nused = SIZE\nslow = eval('2')\ndef helper():\n    return used\nused = 3\n_ = setattr(torch, 'a', 1)"
    )
    cells = [("scratch", scratch), ("answer", "def add(x):\n    return helper()"), ("odd", "def (:")]
    lines = reach.run_at_load(cells, [False, True, False], ("add",))
    assert lines == [[[1, 0], [2, 0], [4, 0], [6, 0]], None, []]


def test_nothing_runs_of_a_scratch_cell_that_cannot_be_read():
    deep = "deep = " + "-" * 2000 + "1\nimport torch\ntorch.zeros = print\nhelper = torch.zeros"
    lines = reach.run_at_load([("deep", deep), ("answer", "def add(x):\n    return helper()")], [False, True], ("add",))
    assert lines == [[], None]
