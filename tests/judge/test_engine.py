"""The engine end to end: real servers, real forks, the tiny lessons."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from learning.judge import cells as roles
from learning.judge import engine
from learning.judge.engine import Graded, Limits

LOOP = "def add(x, y):\n    while True:\n        pass\n"
QUICK = Limits(call_seconds=0.6, after_timeout_seconds=0.25)


def states(graded):
    return {result.check: result.state for result in graded.results}


def earned(graded):
    return sum(result.earned for result in graded.results)


def test_a_right_answer_earns_every_point(grade_add, tiny):
    graded = grade_add(tiny.RIGHT)
    assert states(graded) == {"adds": "passed", "adds_few": "passed", "adds_many": "passed"}
    assert earned(graded) == 6 and graded.version == 4 and not graded.todo and graded.faults == []
    assert [result.hidden for result in graded.results] == [False, False, True]
    assert Graded.from_dict(graded.as_dict()) == graded


@pytest.mark.parametrize(
    ("device", "got", "words"),
    [
        ("interpreter", "None", "a function that ends without return gives None"),
        ("sm_75", "an object of type learning.lens.verdict.Verdict", "a launch gives back the compiled kernel"),
    ],
)
def test_a_forgotten_return_and_a_returned_launch_are_told_with_what_to_do(grade_add, tiny, device, got, words):
    lens = pytest.importorskip("learning.lens.device")
    if device != "interpreter" and lens.without_gpu() == "interpreter":
        pytest.skip("nothing is compiled where this Triton has no compiler")
    wrong = tiny.RIGHT.replace("    return out\n", "")
    if device != "interpreter":
        wrong = wrong.replace("    add_kernel[", "    return add_kernel[")
    assert wrong != tiny.RIGHT
    found = grade_add(wrong, device=device, only={"adds"}).results[0].finding
    assert (found.rule, found.got) == ("contract", got) and found.advice.startswith(words)


def test_an_entry_that_is_still_to_be_written_is_told_of_no_forgotten_return(grade_add, tiny):
    kernel_alone = tiny.RIGHT.split("def add(")[0] + "def add(x, y):\n    x.shape\n    ...\n"
    found = grade_add(kernel_alone, only={"adds"}).results[0].finding
    assert (found.rule, found.got, found.advice) == ("contract", "None", "")


def test_the_untouched_starter_is_todo_and_starts_no_worker(grade_add, tiny):
    graded = grade_add(tiny.STARTER)
    assert graded.todo and earned(graded) == 0 and len(graded.results) == 3
    assert {result.finding.rule for result in graded.results} == {"todo"}
    assert graded.seconds < 0.5


def test_only_and_hidden_choose_checks(grade_add, tiny):
    assert list(states(grade_add(tiny.RIGHT, only={"adds_few"}))) == ["adds_few"]
    assert list(states(grade_add(tiny.RIGHT, only={"hidden_adds_many"}))) == ["adds_many"]
    assert list(states(grade_add(tiny.RIGHT, hidden=False))) == ["adds", "adds_few"]
    with pytest.raises(ValueError, match="no check called ads; the checks are adds, adds_few"):
        grade_add(tiny.RIGHT, only={"ads"}, hidden=False)


def test_progress_hears_each_result_as_it_comes(grade_add, tiny):
    heard = []
    graded = grade_add(tiny.RIGHT, progress=heard.append)
    assert heard == graded.results


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("import os; os._exit(0)", "exit status 0"),
        ("import os; os._exit(3)", "exit status 3"),
        ("import ctypes; ctypes.string_at(0)", "segmentation fault"),
        ("import os; os.abort()", "it crashed"),
        ("raise SystemExit(0)", "SystemExit"),
        ("return add(x, y)", "RecursionError"),
        ("raise ValueError('mine')", "ValueError: mine (line 2 of cell answer_1"),
        ("import os; os.kill(os.getpid(), 19); os.kill(os.getpid(), 9)", ""),
    ],
)
def test_a_call_that_ends_badly_is_a_finding_of_its_check_alone(grade_add, tiny, body, words):
    graded = grade_add(f"def add(x, y):\n    {body}\n", limits=QUICK)
    assert set(states(graded).values()) == {"failed"}
    assert words in graded.results[0].finding.sentence()


def test_a_call_that_dies_on_one_input_leaves_the_other_checks_alone(grade_add, tiny):
    source = tiny.RIGHT.replace(
        "    out =", "    if x.numel() == 3:\n        import os\n        os._exit(0)\n    out ="
    )
    assert states(grade_add(source)) == {"adds": "passed", "adds_few": "failed", "adds_many": "passed"}


def test_an_endless_loop_costs_its_limit_once_and_less_after(grade_add):
    graded = grade_add(LOOP, limits=QUICK)
    assert {result.finding.fault.kind for result in graded.results} == {"timeout"}
    assert graded.results[0].seconds >= 0.6
    told = [result.finding.sentence() for result in graded.results]
    assert "0.6 s" in told[0] and all("0.25 s (all a call gets" in later for later in told[1:])


@pytest.mark.parametrize("swallow", ["while True:\n        try:\n            while True: pass\n        except BaseException: pass",
                                     "import os, signal\n    os.kill(os.getpid(), signal.SIGSTOP)",
                                     "import time\n    time.sleep(60)"])  # fmt: skip
def test_no_way_of_hanging_outlives_the_clock(grade_add, swallow):
    graded = grade_add(f"def add(x, y):\n    {swallow}\n", limits=QUICK)
    assert {result.state for result in graded.results} == {"failed"}
    assert graded.seconds < 10  # 1.1 s where a processor is free; where none is, waiting for one does not count


def test_the_whole_submission_has_a_budget(grade_add):
    limits = Limits(call_seconds=0.4, after_timeout_seconds=0.4, total_seconds=0.5)
    graded = grade_add(LOOP, limits=limits)
    assert "0.5 s were used up" in graded.results[-1].finding.sentence()


def test_cells_that_hang_while_loading_are_tried_once(grade_add):
    graded = grade_add("while True:\n    pass\n", limits=QUICK)
    assert {result.state for result in graded.results} == {"failed"}
    assert graded.seconds < 3 and [fault.cell for fault in graded.faults] == ["answer_1"]


def test_an_extra_cell_that_hangs_or_dies_is_left_out_and_costs_nothing(grade_add, tiny):
    hang = roles.Cell("bench", "import time\nslow = time.sleep(60)\n", roles.EXTRA)
    crash = roles.Cell("crash", "import os\nx = os._exit(1)\n", roles.EXTRA)
    wanting = tiny.RIGHT + "\ntry:\n    slow, x\nexcept NameError:\n    pass\n"
    graded = grade_add(hang, wanting, crash)
    assert earned(graded) == 6
    assert any(note.startswith("bench: left out") for note in graded.dropped)
    assert any(note.startswith("crash: left out") for note in graded.dropped)


def test_an_extra_cell_that_nothing_needs_is_not_run(grade_add, tiny):
    hang = roles.Cell("bench", "import time\nslow = time.sleep(60)\n", roles.EXTRA)
    patch = roles.Cell("patch", "import torch\ndone = setattr(torch, 'empty_like', None)\n", roles.EXTRA)
    graded = grade_add(hang, patch, tiny.RIGHT)
    assert earned(graded) == 6 and graded.seconds < 5 and graded.faults == graded.dropped == []


def test_what_was_called_in_any_check_counts_for_the_house_rules(grade_add, tiny):
    notebook = tiny.adding_notebook()
    rules = "from learning.judge import check\n\n\n@check(points=1)\ndef keeps(add, trial):\n    trial.house_rules(add)\n\n\nkeeps(add)\n"
    at = next(i for i, cell in enumerate(notebook["cells"]) if roles.role_of(cell) == "check")
    notebook["cells"].insert(at, tiny.cell("check", "check_keeps", rules, 1))
    sometimes = tiny.RIGHT.replace(
        "    out = torch", "    if x.numel() > 1000:\n        return plus(x, y)\n    out = torch"
    )
    graded = grade_add(sometimes + "\ndef plus(a, b):\n    return a + b\n", notebook=notebook)
    assert graded.results[0].check == "keeps"
    assert [result.state for result in graded.results] == ["failed", "passed", "passed", "passed"]
    assert "Tensor.add" in graded.results[0].finding.got
    assert earned(grade_add(tiny.RIGHT, notebook=notebook)) == 7


def test_an_error_in_one_cell_is_told_and_does_not_stop_the_others(grade_add, tiny):
    graded = grade_add("x = 1\nraise RuntimeError('early')\n", "def broken(:\n", tiny.RIGHT)
    assert earned(graded) == 6
    assert [(fault.type, fault.cell, fault.line) for fault in graded.faults] == [
        ("RuntimeError", "answer_1", 2), ("SyntaxError", "answer_2", 1),
    ]  # fmt: skip


def test_the_functions_that_read_bytes_are_bound_before_the_learners_code_runs(grade_add, tiny):
    early = "import sys\nassert 'learning.judge.guard' in sys.modules\n"
    patch = "for name in ('clone', 'size', 'cpu', 'stride'):\n    setattr(torch.Tensor, name, None)\n"
    source = "def add(x, y):\n    return 3\n"
    graded = grade_add(early, source, patch, only={"adds"})
    assert graded.faults == []
    assert "3" in graded.results[0].finding.sentence() and graded.results[0].finding.fault is None


def test_extra_cells_define_but_do_not_act(grade_add, tiny):
    extra = roles.Cell("scratch", "BLOCK = 256\nprint('hello')\nadd(1, 2)\n%timeit add\n", roles.EXTRA)
    graded = grade_add(extra, tiny.RIGHT.replace("256", "BLOCK").replace("BLOCK=BLOCK", "BLOCK=BLOCK"))
    assert earned(graded) == 6
    assert {"scratch: line 2: print('hello') was left out", "scratch: %timeit add was left out"} <= set(graded.dropped)


def test_kernel_faults_name_the_learners_line(grade_add, tiny):
    source = tiny.RIGHT.replace("x = tl.load(x_ptr + offsets, mask=mask)", "x = tl.load(x_ptr + ofsets, mask=mask)")
    fault = grade_add(source, only={"adds"}).results[0].finding.fault
    assert fault.type in ("NameError", "CompilationError")  # the interpreter's word for it, and the compiler's
    assert fault.cell == "answer_1" and "ofsets" in fault.text


def test_an_entry_that_is_missing_or_no_function_is_named(grade_add):
    for source in ("def ad(x, y):\n    return x\n", "add = 3\n"):
        assert "the cells define no function 'add'" in grade_add(source, only={"adds"}).results[0].finding.sentence()


def test_an_entry_missing_because_its_cell_failed_is_told_by_that_failure(grade_add):
    for source, word in (
        ("def add(x, y)\n    return x\n", "SyntaxError"),
        ("import nothing_like_it\ndef add(x, y):\n    return x\n", "ModuleNotFoundError"),
    ):
        sentence = grade_add(source, only={"adds"}).results[0].finding.sentence()
        assert word in sentence and "line 1 of cell answer_1" in sentence


def test_memory_and_output_bombs_are_faults_within_seconds(grade_add):
    bombs = (
        "blocks = []\n    while True:\n        blocks.append(bytearray(1 << 28))",
        "return torch.ones(1 << 40)",
        "return torch.ones(1).expand(1 << 40)",
        "return [0.5] * (1 << 28)",
        "while True:\n        print('x' * 100_000)",
    )
    for bomb in bombs:
        graded = grade_add(f"def add(x, y):\n    {bomb}\n", only={"adds"}, limits=Limits(call_seconds=1.5))
        assert graded.results[0].state == "failed", bomb
        assert graded.seconds < 6, bomb


def test_a_right_answer_that_prints_a_lot_still_passes(grade_add, tiny):
    loud = tiny.RIGHT.replace("    out =", "    print('x' * 30_000_000)\n    out =")
    assert earned(grade_add(loud)) == 6


def test_fork_bombs_and_leftover_processes_end_with_their_check(grade_add, tiny):
    bomb = "def add(x, y):\n    import os\n    while True:\n        os.fork()\n"
    graded = grade_add(bomb, only={"adds"}, limits=QUICK)
    assert graded.results[0].state == "failed" and graded.seconds < 5
    child = tiny.RIGHT.replace(
        "    out =",
        "    import os, time\n    if os.fork() == 0:\n        time.sleep(600)\n        os._exit(0)\n    out =",
    )
    assert earned(grade_add(child)) == 6


def test_a_server_lost_in_mid_call_is_failed_to_grade_and_the_next_check_gets_a_new_one(tiny, servers):
    def kill_soon(result):
        if result.check == "echoes":
            victim = servers.get("cpu")
            threading.Timer(
                0.3, lambda: (os.killpg(victim._process.pid, signal.SIGKILL), servers.release(victim))
            ).start()

    notebook = tiny.echo_notebook()
    notebook["cells"] += [tiny.cell("check", "check_third", tiny._ECHO.format(name="third", values="[2.0]"), 1)]
    slow = "import time\ndef echo(x):\n    if x is not True and x == 1.0:\n        time.sleep(1.5)\n    return x\n"
    graded = engine.grade(
        tiny.PLAIN, tiny.submission(slow), notebook=notebook, servers=servers, progress=kill_soon,
        limits=Limits(call_seconds=4),
    )  # fmt: skip
    assert [result.state for result in graded.results] == ["passed", "broken", "passed"]
    assert graded.results[1].earned == 0 and "server" in graded.results[1].finding.sentence()


def test_a_broken_check_is_failed_to_grade_and_no_fault_of_the_learner(tiny, servers):
    notebook = tiny.echo_notebook()
    notebook["cells"][-1]["source"] = "undefined_check(echo)\n"
    graded = engine.grade(
        tiny.PLAIN, tiny.submission("def echo(x):\n    return [x][0]\n"), notebook=notebook, servers=servers
    )
    assert [result.state for result in graded.results] == ["passed", "broken"]


def test_plain_values_come_through_the_engine_exactly(grade_echo):
    graded = grade_echo("def echo(x):\n    y = x\n    return y\n")
    assert states(graded) == {"echoes": "passed", "echoes_again": "passed"}
    assert graded.device == "cpu"


def test_the_plain_lesson_gives_the_same_without_fork(tiny):
    from learning.judge.fleet import Servers

    with Servers(fork=False) as plain:
        for source, wanted in (("y = x\n    return y", "passed"), ("return None", "failed"), ("1 / 0", "failed")):
            graded = engine.grade(
                tiny.PLAIN,
                tiny.submission(f"def echo(x):\n    {source}\n"),
                notebook=tiny.echo_notebook(),
                servers=plain,
            )
            assert {result.state for result in graded.results} == {wanted}
        graded = engine.grade(
            tiny.PLAIN, tiny.submission("def echo(x):\n    while True: pass\n"), notebook=tiny.echo_notebook(),
            servers=plain, limits=QUICK,
        )  # fmt: skip
        assert {result.finding.fault.kind for result in graded.results} == {"timeout"}
        assert "no namespaces" in graded.sandbox


def test_a_notebook_without_checks_or_with_a_broken_one_is_refused(tiny, servers):
    for cells, words in (([], "holds no check cell"), ([tiny.cell("check", "c", "x = (", 1)], "'c' does not parse")):
        with pytest.raises(ValueError, match=words):
            engine.grade(
                tiny.PLAIN, tiny.submission("x = 1"), notebook={"cells": cells, "metadata": {}}, servers=servers
            )
