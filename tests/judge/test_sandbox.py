"""What a worker can see and do, asked of a worker; and what the report says where a wall is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from learning.judge import engine, fleet, sandbox

PROBE = """
import os, socket, resource


def echo(question):
    if question == "ids":
        return os.getuid(), os.geteuid(), os.getgid()
    if question == "pids":
        return [name for name in os.listdir("/proc") if name.isdigit()]
    if question == "caps":
        lines = open("/proc/self/status").read().splitlines()
        return [line.split()[1] for line in lines if line.startswith(("CapEff", "CapPrm", "CapBnd", "CapAmb"))]
    if question == "names":
        return [entry for entry in os.listdir("/")]
    if question == "environment":
        return sorted(os.environ)
    if question == "descriptors":
        return len(os.listdir("/proc/self/fd"))
    if question == "interfaces":
        return [name for _, name in socket.if_nameindex()]
    if question == "limits":
        names = ("RLIMIT_AS", "RLIMIT_NPROC", "RLIMIT_CORE", "RLIMIT_FSIZE")
        return [resource.getrlimit(getattr(resource, name))[1] for name in names]
    if question.startswith("list "):
        try:
            return os.listdir(question[5:])
        except OSError as problem:
            return type(problem).__name__
    if question.startswith("write "):
        try:
            with open(question[6:], "w") as file:
                file.write("x")
            return "wrote"
        except OSError as problem:
            return type(problem).__name__
    if question.startswith("read "):
        try:
            return open(question[5:]).read(20)
        except OSError as problem:
            return type(problem).__name__
"""


class Asking:
    """A line to a worker of the plain lesson that runs ``PROBE``."""

    def __init__(self, servers, limits=None):
        from learning.judge.entry import Entry
        from learning.judge.line import Line

        self.line = Line(servers, "cpu", [("probe", PROBE, "answer")], limits or engine.Limits(), checks=3)
        self.ask = Entry("echo", self.line)


@pytest.fixture
def probe(servers):
    asking = Asking(servers)
    asking.line.begin()
    asking.ask("ids")
    if not asking.line._server.held.isolated or not asking.line._server.held.wrapped:
        pytest.skip(asking.line.sandbox)
    yield asking
    asking.line.close()


def test_the_worker_is_nobody_without_any_capability(probe):
    assert 0 not in probe.ask("ids")
    assert probe.ask("caps") == ["0" * 16] * 4


def test_the_worker_sees_no_process_but_itself_and_holds_no_descriptor_but_its_line(probe):
    assert probe.ask("pids") == ["1"]
    assert probe.ask("descriptors") <= 5  # 0, 1, 2, the line, and the one that lists them


def test_the_worker_sees_the_libraries_and_none_of_the_course(probe):
    root = sandbox.ROOT
    assert set(probe.ask("names")) <= {
        "usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "proc", "dev", "scratch", "opt", "home", "root",
        root.parts[1], Path(sys.prefix).resolve().parts[1],  # the environment may lie elsewhere
    }  # fmt: skip
    seen = set(probe.ask(f"list {root}"))
    assert {name for name in seen if not name.startswith(".venv")} <= {"learning"}  # the matrix has environments beside
    assert probe.ask(f"list {sandbox.PACKAGE / 'lessons'}") == []
    assert probe.ask("list /root") in ([], [".pyenv"], "FileNotFoundError", [".local"])


def test_the_worker_writes_in_its_private_folder_alone(probe):
    for place in (
        "/x",
        "/usr/x",
        "/etc/x",
        "/dev/x",
        str(sandbox.ROOT / "x.py"),
        str(sandbox.PACKAGE / "x.py"),
        "/proc/sys/kernel/core_pattern",
    ):
        assert probe.ask(f"write {place}") != "wrote", place
    assert probe.ask("write /scratch/x") == "wrote"


def test_what_one_check_leaves_the_next_does_not_find(probe):
    for place in ("/scratch/left", "/dev/shm/left"):
        probe.ask(f"write {place}")
        probe.line.begin()
        assert probe.ask(f"read {place}") == "FileNotFoundError"


def test_the_worker_has_limits_no_network_and_a_bare_environment(probe):
    limits = engine.Limits()
    space, *others = probe.ask("limits")
    assert limits.memory_bytes < space < limits.memory_bytes + (64 << 30)  # beyond what the server had mapped
    assert others == [limits.processes, 0, sandbox.SCRATCH_BYTES]
    assert probe.ask("interfaces") in ([], ["lo"])
    assert not {"SECRET_TOKEN", "OLDPWD", "PYTHONPATH", "VIRTUAL_ENV"} & set(probe.ask("environment"))


def test_nothing_of_the_judges_environment_is_passed_on(monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "x")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    assert "SECRET_TOKEN" not in sandbox.environment("/scratch", cuda=True)
    assert "CUDA_VISIBLE_DEVICES" not in sandbox.environment("/scratch", cuda=False)
    assert sandbox.environment("/scratch", cuda=True)["CUDA_VISIBLE_DEVICES"] == "0"


def test_without_bubblewrap_a_forks_own_mounts_still_hide_what_is_private(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("seed")
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    os.chmod(open_to_all, 0o777)
    os.chmod(tmp_path, 0o755)
    with fleet.Servers([secret], wrap=False) as servers:
        asking = Asking(servers)
        asking.line.begin()
        asking.ask("ids")
        held = asking.line._server.held
        sentence = asking.line.sandbox
        if held.isolated:
            assert asking.ask(f"read {secret}") != "seed"
            if not os.path.exists("/dev/nvidiactl"):  # nothing of the host can be written, by its owner neither
                assert asking.ask(f"write {open_to_all / 'left'}") == "OSError"
            assert asking.ask(f"list {sandbox.PACKAGE / 'lessons'}") in ([], "PermissionError")
        asking.line.close()
    assert "no bubblewrap" in sentence and sentence.endswith(".")
    assert held.isolated or "refuses namespaces" in sentence


def test_plain_forks_say_what_does_not_hold_and_still_have_a_private_folder():
    with fleet.Servers(wrap=False, isolate=False) as servers:
        asking = Asking(servers)
        asking.line.begin()
        uid = asking.ask("ids")[0]
        sentence = asking.line.sandbox
        asking.line.close()
        folder = servers._servers["cpu"]._folder
    assert uid != 0 or "the worker is root, because" in sentence
    assert "no bubblewrap" in sentence and "refuses namespaces" in sentence
    assert not os.path.exists(folder)  # at the latest with its server; a keeper that is nobody may not remove its own


@pytest.mark.skipif(not sys.platform.startswith("linux") or shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_a_bubblewrap_that_fails_is_named_and_grading_goes_on(monkeypatch, tmp_path, tiny):
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with fleet.Servers() as servers:
        answer = tiny.submission("def echo(x):\n    y = x\n    return y\n")
        graded = engine.grade(tiny.PLAIN, answer, notebook=tiny.echo_notebook(), servers=servers)
    assert {result.state for result in graded.results} == {"passed"}
    assert "No permissions to create a new namespace" in graded.sandbox


def test_what_torch_has_mapped_before_the_learner_does_not_count_against_them():
    code = (
        "import mmap; held = mmap.mmap(-1, 5 << 30, prot=0);"
        "from learning.judge import sandbox; mapped = sandbox.mapped_bytes(); assert mapped > 5 << 30;"
        "sandbox.limit(address_space=mapped + (1 << 30), processes=None, seconds=60); bytearray(300 << 20); print('room');"
        "bytearray(2 << 30)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=sandbox.ROOT, capture_output=True, text=True)
    assert done.stdout == "room\n" and "MemoryError" in done.stderr
