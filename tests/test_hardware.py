"""What a record says of the machine: one module tells it to every benchmark and tool."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import re
from pathlib import Path

import pytest

from learning import course
from learning.lens import nvml
from tools import hardware

BENCHMARKS = sorted((course.ROOT / "benchmarks").glob("*.py"))
TOOLS = sorted((course.ROOT / "tools").glob("*.py"))


@pytest.fixture
def cpuinfo(monkeypatch, tmp_path):
    """/proc/cpuinfo with the text that a story gives, or none."""

    def holds(text: str | None):
        told = tmp_path / "cpuinfo"
        if text is not None:
            told.write_text(text)
        monkeypatch.setattr(hardware, "Path", lambda name: told if name == "/proc/cpuinfo" else Path(name))

    return holds


def test_a_processor_has_the_name_that_linux_tells(cpuinfo):
    cpuinfo("processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 9B14 \nprocessor\t: 1\n")
    assert hardware.processor() == "AMD EPYC 9B14"


@pytest.mark.parametrize("text", [None, "", "processor\t: 0\nBogoMIPS\t: 100.00\n"])
def test_a_processor_without_a_name_is_told_by_its_kind(cpuinfo, monkeypatch, text):
    cpuinfo(text)
    monkeypatch.setattr(platform, "processor", lambda: "")
    assert hardware.processor() == platform.machine() != ""


def test_versions_are_those_installed_and_what_is_not_is_left_out():
    found = hardware.versions("numpy", "no-such-package")
    assert found == {"python": platform.python_version(), "numpy": importlib.metadata.version("numpy")}
    assert list(hardware.versions())[:2] == ["python", "torch"]


def test_cores_are_those_this_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    assert hardware.cores() == hardware.machine()["cores"] == 3 and ", 3 cores, Python " in hardware.sentence()


@pytest.mark.parametrize("gpu", [None, nvml.Gpu("NVIDIA H200", (9, 0), 141 << 30, "580")])
def test_a_machine_is_plain_json_with_what_is_added(monkeypatch, gpu):
    monkeypatch.setattr(nvml, "first_gpu", lambda: gpu)
    found = hardware.machine(load_before=1.5)
    assert json.loads(json.dumps(found)) == found and list(found) == ["processor", "cores", "gpu", "load_before"]
    assert found["gpu"] == (gpu.name if gpu else "") and found["processor"]


def test_without_a_gpu_it_is_said_that_nothing_was_measured(monkeypatch, capsys):
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert hardware.has_cuda() is False
    assert capsys.readouterr().out == "no CUDA GPU on this machine; nothing was measured\n"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert hardware.has_cuda() is True and capsys.readouterr().out == ""


@pytest.mark.gpu
def test_on_a_gpu_the_card_and_what_runs_on_it_are_told():
    found = hardware.cuda()
    assert found["gpu"] and re.fullmatch(r"\d+\.\d", found["capability"]) and json.dumps(found)
    assert set(found) == {"gpu", "capability", "python", "torch", "triton", "numpy", "cores"}


@pytest.mark.parametrize("path", BENCHMARKS + TOOLS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_script_counts_cores_or_reads_the_processor_for_itself(path):
    """make_environment.py runs before anything of the course can be imported, and asks for the system's name alone."""
    text = path.read_text(encoding="utf-8")
    if path.name != "hardware.py":
        assert not re.search(r"cpu_count|cpuinfo|platform\.(processor|machine)\(", text)
