"""The record a GPU machine makes: its reading of the profiler's table, its honesty without a GPU, its parts that need none."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from learning.lens import nvml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import lens_gpu  # noqa: E402
import ncu  # noqa: E402

METRIC_A_ROW = """==PROF== Connected to process 12
==PROF== Profiling "lens_add_kernel": 0%....50%....100% - 2 passes
"ID","Process ID","Process Name","Host Name","Kernel Name","Block Size","Section Name","Metric Name","Metric Unit","Metric Value"
"0","12","python3","127.0.0.1","lens_add_kernel(float *, int)","(128, 1, 1)","Command line profiler metrics","dram__bytes_read.sum","byte","536,900,000"
"0","12","python3","127.0.0.1","lens_add_kernel(float *, int)","(128, 1, 1)","Command line profiler metrics","dram__bytes_write.sum","byte","268,400,000"
"""
KERNEL_A_ROW = """==PROF== Connected to process 12
"ID","Process ID","Kernel Name","Grid Size","dram__bytes_read.sum","dram__bytes_write.sum","l1tex__gone.sum"
"","","","","byte","byte",""
"0","12","lens_add_kernel","(65536, 1, 1)","1","2","n/a"
"1","12","lens_add_kernel","(65536, 1, 1)","536900000","268400000.5","n/a"
"""


@pytest.mark.parametrize(("text", "written"), [(METRIC_A_ROW, 268.4e6), (KERNEL_A_ROW, 268400000.5)])
def test_the_profilers_table_is_read_in_both_of_its_forms(text, written):
    assert ncu.table(text) == {"lens_add_kernel": {"dram__bytes_read.sum": 536.9e6, "dram__bytes_write.sum": written}}


@pytest.mark.parametrize("text", ["", "==ERROR== ERR_NVGPUCTRPERM", '"ID","Name"\n"1","2"\n'])
def test_a_log_without_a_table_is_no_table(text):
    assert ncu.table(text) == {}


def test_a_profiler_that_finds_nothing_says_its_last_words(tmp_path, monkeypatch):
    tool = tmp_path / "ncu"
    tool.write_text("#!/bin/sh\necho '==ERROR== ERR_NVGPUCTRPERM: no permission' >&2\nexit 1\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(ncu.NotToBeHad, match=r"exit status 1.*ERR_NVGPUCTRPERM"):
        ncu.profile(["true"], ncu.DRAM, 30, dict(os.environ))


def test_one_part_that_fails_leaves_the_reason_and_the_others():
    def broken():
        raise ValueError("no such kernel")

    def absent():
        raise ncu.NotToBeHad("not installed")

    assert lens_gpu.attempt(broken) == {"state": "failed", "reason": "ValueError: no such kernel"}
    assert lens_gpu.attempt(absent)["state"] == "not to be had" and lens_gpu.attempt(dict)["state"] == "measured"


def test_registers_agree_kernel_by_kernel_and_a_missing_one_is_named():
    class Told:
        def __init__(self, **kernels):
            self.kernels = kernels

        def result(self):
            return {"kernels": self.kernels, "failed": {}}

    facts = {"registers": 26, "stack": 0, "shared": 8, "code": "a"}
    assert lens_gpu.registers(Told(k=facts), Told(k=facts), "sm_90")["state"] == "agrees"
    found = lens_gpu.registers(Told(k=facts, m=facts), Told(k=facts | {"registers": 28, "code": "b"}), "sm_90")
    assert found["state"] == "differs" and "m" in found["missing"]
    assert [(row["same"], row["same_code"]) for row in found["kernels"]] == [(False, False)]


@pytest.mark.skipif(nvml.first_gpu() is not None, reason="there is a GPU here")
def test_without_a_gpu_nothing_is_run_and_the_status_is_3(tmp_path, capsys):
    assert lens_gpu.main(["--output", str(tmp_path / "record.json")]) == 3
    assert "no CUDA GPU" in capsys.readouterr().out and not list(tmp_path.iterdir())


PARTS = """import json, sys, time
facts = {"registers": 26, "stack": 0, "shared": 8, "code": "a"}
row = {name: 100 for name in ("requested_read", "distinct_read", "distinct_written", "sectors_read", "sectors_written")}
found = {
    "machine": {"gpu": "NVIDIA H200"}, "ceilings": {"measured_here": {"bandwidth": 4.2e12}}, "traced": {"lens_add_kernel": row},
    "registers-offline": {"kernels": {"L1: k": facts}, "failed": {}}, "registers-driver": {"kernels": {"L1: k": facts}, "failed": {}},
}
if sys.argv[1] == "timed":
    sys.exit("no such clock")
print("lens-gpu:" + json.dumps(found[sys.argv[1]]))
"""


@pytest.mark.skipif(nvml.first_gpu() is not None, reason="there is a GPU here")
def test_parts_that_fail_or_are_not_to_be_had_stand_in_the_record_beside_those_that_ended(
    tmp_path, monkeypatch, capsys
):
    parts, record = tmp_path / "parts.py", tmp_path / "results" / "record.json"
    parts.write_text(PARTS)
    monkeypatch.setattr(lens_gpu, "PARTS", parts)
    monkeypatch.setattr(nvml, "first_gpu", lambda: nvml.Gpu("NVIDIA H200", (9, 0), 1 << 37, "580.159.04"))
    monkeypatch.setattr(lens_gpu, "_cuda", lambda: "13.0")
    monkeypatch.setattr(ncu, "find", lambda: (_ for _ in ()).throw(ncu.NotToBeHad("ncu is not installed here")))
    assert lens_gpu.main(["--output", str(record)]) == 1
    kept = json.loads(record.read_text())["parts"]
    states = {name: part["state"] for name, part in kept.items()}
    assert states == {"machine": "measured", "launches": "failed", "ceilings": "measured", "registers": "agrees",
                      "traffic": "not to be had"}  # fmt: skip
    assert "not installed" in kept["traffic"]["reason"] and "did not run" in kept["launches"]["reason"]
    assert kept["registers"]["target"] == "sm_90" and "26   26 registers" in capsys.readouterr().out
    assert not list(record.parent.glob("*.partial"))


@pytest.mark.slow
@pytest.mark.parametrize("part", ["traced", "registers-offline"])
def test_what_needs_no_gpu_answers_here(part, tmp_path):
    env = lens_gpu.surroundings(str(tmp_path), part, hidden=True)
    done = subprocess.run(
        [sys.executable, str(lens_gpu.PARTS), part], capture_output=True, text=True, timeout=280, env=env, cwd=ROOT
    )
    found = json.loads(done.stdout.splitlines()[-1].removeprefix(lens_gpu.MARK))
    if part == "traced":
        assert [row["passes"]["x_ptr"][0] for row in found.values()] == [1.0, 1.0, 3.0, 1.0, 1.0]
        assert (
            found["lens_turned_copy_kernel"]["sectors_read"] * 32
            == 8 * found["lens_turned_copy_kernel"]["distinct_read"]
        )
        assert not any(row["problems"] for row in found.values())
    else:
        assert not found["failed"] and len(found["kernels"]) >= 15
        assert all(row["registers"] == row["in_binary"]["registers"] for row in found["kernels"].values())
