"""Servers: kept warm, replaced when stale, never shared by mistake, always ended."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading

import pytest

from learning.judge import child, engine, fleet, prepared, sandbox

GOOD = "def echo(x):\n    y = x\n    return y\n"


def grade_plain(tiny, servers, source=GOOD):
    return engine.grade(tiny.PLAIN, tiny.submission(source), notebook=tiny.echo_notebook(), servers=servers)


def test_a_server_is_kept_and_replaced_when_the_package_changes(monkeypatch):
    stamp = fleet.package_stamp()
    monkeypatch.setattr(fleet, "package_stamp", lambda: stamp)
    with fleet.Servers() as servers:
        first = servers.get("cpu")
        assert servers.get("cpu") is first
        monkeypatch.setattr(fleet, "package_stamp", lambda: (*stamp, "an edit"))
        second = servers.get("cpu")
        assert second is not first and first.alive, "a borrowed server lives until it is given back"
        servers.release(first)
        servers.release(first)
        assert not first.alive and second.alive
    assert not second.alive


def test_a_dead_server_is_replaced(tiny):
    with fleet.Servers() as servers:
        server = servers.get("cpu")
        server._process.kill()
        server._process.wait()
        servers.release(server)
        assert [result.state for result in grade_plain(tiny, servers).results] == ["passed", "passed"]


def test_ending_leaves_no_process_and_no_folder(tiny):
    with fleet.Servers() as servers:
        grade_plain(tiny, servers)
        server = servers._servers["cpu"]
        pid, folder = server._process.pid, server._folder
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert not os.path.exists(folder)


def test_threads_share_servers_without_mixing_answers(tiny):
    with fleet.Servers() as servers:
        outcomes: dict[int, list] = {}

        def work(number):
            source = GOOD if number % 2 else "def echo(x):\n    return None\n"
            outcomes[number] = [result.state for result in grade_plain(tiny, servers, source).results]

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert outcomes == {number: ["passed" if number % 2 else "failed"] * 2 for number in range(6)}


_CHILD = """
import importlib.util, sys
sys.path.insert(0, sys.argv[1])
spec = importlib.util.spec_from_file_location("tiny", sys.argv[2])
tiny = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tiny)
from learning.judge import engine
graded = engine.grade(tiny.PLAIN, tiny.submission(sys.argv[3]), notebook=tiny.echo_notebook())
print([result.state for result in graded.results], "torch" in sys.modules, graded.sandbox)
"""


def test_several_judges_at_once_and_without_site_packages(tiny):
    """Two judges under ``python -S``, each with servers of its own, at the same time."""
    command = [sys.executable, "-S", "-c", _CHILD, str(sandbox.ROOT), tiny.__spec__.origin]
    judges = [subprocess.Popen([*command, GOOD], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for judge in judges:
        out, _ = judge.communicate(timeout=120)
        assert judge.returncode == 0 and out.startswith("['passed', 'passed'] False Each check ran in a fresh process")


def test_a_judge_that_is_killed_takes_its_server_with_it(tiny):
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe()
    judge = context.Process(target=_hold_a_server, args=(theirs,))
    judge.start()
    server = mine.recv()
    judge.kill()
    judge.join()
    for _ in range(100):
        try:
            os.kill(server, 0)
        except ProcessLookupError:
            return
        threading.Event().wait(0.05)
    raise AssertionError("the server outlived its judge")


def _hold_a_server(pipe):
    servers = fleet.Servers()
    pipe.send(servers.get("cpu")._process.pid)
    threading.Event().wait(60)


def test_only_cpu_lessons_are_graded_where_there_is_no_fork():
    with fleet.Servers(fork=False) as servers, pytest.raises(fleet.ServerLost, match="only CPU lessons"):
        servers.get("interpreter")


@pytest.mark.parametrize(
    "module", ["cells", "call", "entry", "wire", "worker", "server", "sandbox", "child", "fleet", "line", "engine"]
)
def test_modules_import_without_torch_and_without_unix(module):
    """Windows lacks these modules; the judge must import there, since the CPU lesson is checked there."""
    missing = ("torch", "resource", "fcntl", "pwd", "grp", "termios", "pty")
    code = f"import sys; sys.path.insert(0, {str(sandbox.ROOT)!r})\nfor name in {missing!r}: sys.modules[name] = None\n"
    subprocess.run([sys.executable, "-S", "-c", f"{code}import learning.judge.{module}"], check=True, timeout=60)


_COMPILER = """
import os
folder = os.path.join(os.environ["TRITON_CACHE_DIR"], "KEY")
os.makedirs(folder)
for name in ("cuda_utils.so", "kernel.json"):
    with open(os.path.join(folder, name), "w") as file:
        file.write("{module}")
"""


def test_shared_objects_made_once_are_handed_out_as_copies(tmp_path):
    made = prepared.Prepared(_COMPILER, {"scratch": str(tmp_path)})
    made.wait()
    assert list(tmp_path.iterdir()) == [], "nothing lies where a worker could change it for the next"
    for worker in ("one", "two"):
        made.furnish(str(tmp_path / worker))
        (only,) = (tmp_path / worker / "KEY").iterdir()
        assert (only.name, only.read_text()) == ("cuda_utils.so", "prepared")
        only.write_text("poisoned")


def test_a_compiler_that_fails_costs_nothing(tmp_path):
    made = prepared.Prepared("raise SystemExit(1)", {"scratch": str(tmp_path)})
    made.wait()
    made.furnish(str(tmp_path / "worker"))
    assert list(tmp_path.iterdir()) == []


class FullForAMoment:
    """A real server, of whose workers the first ``failures`` say that they cannot start."""

    def __init__(self, server, failures):
        self.server, self.failures = server, failures

    def __getattr__(self, name):
        return getattr(self.server, name)

    def worker(self, limits):
        import socket

        from learning.judge import wire

        if not self.failures:
            return self.server.worker(limits)
        self.failures -= 1
        ours, theirs = socket.socketpair()
        wire.send(theirs, {"unready": "OutOfMemoryError: CUDA out of memory"})
        theirs.close()
        return child.Worker(ours, None)


@pytest.mark.parametrize(("failures", "passes"), [(1, True), (3, True), (6, False)])
def test_a_card_that_is_full_for_a_moment_costs_nobody_a_grade(tiny, monkeypatch, failures, passes):
    """One worker and its spare a try, three tries a check: then the judge's own machinery failed, and it says at what."""
    from learning.judge import line

    monkeypatch.setattr(line, "AGAIN", (0.01, 0.01))
    with fleet.Servers() as servers:
        poor = FullForAMoment(servers.get("cpu"), failures)
        monkeypatch.setattr(servers, "get", lambda device: poor)
        monkeypatch.setattr(servers, "release", lambda server: None)
        found = grade_plain(tiny, servers)
    states = [result.state for result in found.results]
    if passes:
        assert states == ["passed", "passed"]
    else:
        assert states[0] not in ("passed", "failed")
        assert "CUDA out of memory" in str([result.finding for result in found.results])
