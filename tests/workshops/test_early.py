"""What ``check`` starts first, what it imports for whom, and that everything it started ends with it."""

import os
import signal
import subprocess
import sys
import time

import pytest

from learning import course
from learning import lesson as lessons
from learning.lens import nvml, toolchain
from learning.workshops import early, machine
from learning.workshops.unavailable import Unavailable

CPU, GPU = "online_normalizer", "vector_add"
HANGS = "import time\n\ndef push(s, x):\n    time.sleep(600)\n\ndef merge(a, b):\n    return a\n\ndef result(s):\n    return s\n"


@pytest.fixture
def environment(tmp_path, clean_environment):
    """No GPU, and temporary files in a folder of the test's own."""
    (tmp_path / "tmp").mkdir()
    return clean_environment | {
        "LEARNING_WORK": os.fspath(tmp_path / "work"),
        "TMPDIR": os.fspath(tmp_path / "tmp"),
        "CUDA_VISIBLE_DEVICES": "",
    }


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(nvml, "first_gpu", lambda: None)
    monkeypatch.setattr(toolchain, "complaint", lambda: "")
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


class Started(early.Engine):
    """An engine that only remembers what it was asked to start."""

    def __init__(self):
        super().__init__()
        self.places = []

    def start(self, place):
        self.places.append(place)


@pytest.mark.parametrize(
    ("line", "places"),
    [
        (CPU, ["cpu"]),
        ("a1 --solution", ["cpu"]),
        (f"{GPU} --interpret", ["sm_75"]),
        (f"{GPU} --target sm_90", ["sm_90"]),
        (GPU, []),
        (f"{CPU} --hint", []),
        ("--list", []),
        ("--help", []),
        ("all", []),
        (f"{GPU} --blank --interpret", []),
        ("no_such_lesson --interpret", []),
        (f"{GPU} --file a --py", []),
        ("", []),
    ],
)
def test_a_server_starts_ahead_where_one_lesson_is_judged_and_nowhere_else(monkeypatch, capsys, no_gpu, line, places):
    monkeypatch.setattr(early, "Engine", Started)
    with early.begun(line.split()) as engine:
        assert engine.places == places
    assert capsys.readouterr() == ("", ""), "what is wrong with the arguments is the command's to say"


def test_the_place_is_the_one_that_the_door_opens(no_gpu):
    card = lessons.load(GPU)
    for options in ({"interpret": True}, {"interpret": False, "target": "t4"}):
        assert machine.place(card, **options) == machine.open_for(card, **options)[0] == "sm_75"
    assert machine.place(card, interpret=False) == ""
    with pytest.raises(Unavailable, match="shows none"):
        machine.open_for(card, interpret=False)


def test_a_gpu_that_is_there_is_taken_unless_the_interpreter_is_asked_for(no_gpu, monkeypatch):
    monkeypatch.setattr(nvml, "first_gpu", lambda: nvml.Gpu("NVIDIA H200", (9, 0), 141 << 30, "580.159.04"))
    card = lessons.load(GPU)
    assert machine.place(card, interpret=False) == machine.place(card, interpret=False, target="t4") == "cuda"
    assert machine.place(card, interpret=True) == "sm_75"
    assert machine.place(card, interpret=True, target="sm_90") == "sm_90"


def test_with_a_gpu_checks_run_one_by_one_and_else_on_every_core(monkeypatch):
    assert early.at_once("cuda") == 1
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    assert early.at_once("sm_75") == early.at_once("cpu") == 2
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert early.at_once("interpreter") == early.MOST_AT_ONCE


@pytest.mark.parametrize(
    ("arguments", "status"),
    [([CPU, "--solution"], 0), ([GPU, "--interpret"], 2), ([GPU], 3), ([GPU, "--hint"], 0)],
    ids=["cpu_lesson", "untouched_starter", "no_gpu", "hint"],
)
def test_the_command_imports_no_torch_where_it_judges_no_kernel(environment, tmp_path, arguments, status):
    """And leaves no server behind, though one was on its way for the untouched starter."""
    command = [sys.executable, "-X", "importtime", "-m", "learning.workshops.check", *arguments]
    done = subprocess.run(command, cwd=course.ROOT, env=environment, capture_output=True, timeout=240, text=True)
    assert done.returncode == status, done.stdout
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "learning.workshops.command" in imported and "torch" not in imported
    assert not list((tmp_path / "tmp").glob("judge-*"))


def descendants(pid):
    """The process ids below ``pid``, read from /proc."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat") as file:
                    parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found, new = set(), {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new} - found
        found |= new
    return found


def alive(pids):
    return [pid for pid in pids if os.path.exists(f"/proc/{pid}") and "Z" not in state(pid)]


def state(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def wait_for(condition, seconds=60):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it never came to that"
        time.sleep(0.02)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="workers are forked on Linux")
def test_ctrl_c_ends_the_workers_at_once_and_leaves_nothing(environment, tmp_path):
    """While two checks hang: "stopped", 130, no process and no folder."""
    path = tmp_path / "hangs.py"
    path.write_text(HANGS)
    command = [sys.executable, "-m", "learning.workshops.check", CPU, "--file", str(path)]
    with subprocess.Popen(
        command, cwd=course.ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as asked:
        started = set()

        def asleep():  # bubblewrap (twice), the server, and for a worker its keeper and itself
            started.update(descendants(asked.pid))
            return len(alive(started)) >= 5

        wait_for(asleep)
        began = time.monotonic()
        asked.send_signal(signal.SIGINT)
        _, err = asked.communicate(timeout=60)
        assert asked.returncode == 130 and err == "stopped\n"
        assert time.monotonic() - began < 10
    wait_for(lambda: not alive(started), 20)
    assert not list((tmp_path / "tmp").glob("judge-*"))


def test_what_decides_where_a_lesson_is_judged_reads_little():
    """The server's start waits for this: records, notebooks and other lessons' cards are for later."""
    late = ["learning.gates", "learning.course", "learning.lessons.softmax", "torch", "triton"]
    code = (
        "import sys; from learning.workshops import early; assert early._place(['vector_add', '--interpret']);"
        "print([name for name in sys.argv[1:] if name in sys.modules])"
    )
    command = [sys.executable, "-c", code, *late]
    done = subprocess.run(command, cwd=course.ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
