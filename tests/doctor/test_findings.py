"""What the doctor says of machines: one that is well, and others that each lack something."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning.doctor.__main__ import verdict
from learning.doctor.facts import Facts
from learning.doctor.findings import NOTE, OK, WRONG, Row, examine, number, runs_kernels
from learning.lens.nvml import Gpu

ALL = {
    "torch": "2.13.0+cu130", "triton": "3.8.0", "numpy": "2.4.6", "matplotlib": "3.11.2", "ipywidgets": "8.1.9", "anywidget": "0.11.0",
    "jupyterlab": "4.6.6", "ipykernel": "7.4.0", "nbgrader": "0.9.6",
}  # fmt: skip
T4 = Gpu("Tesla T4", (7, 5), 16 << 30, "580.82")
WELL = Facts(
    system="Linux", python=(3, 11, 7), packages=ALL, torch_cuda="13.0", gpu=T4, nvidia_files=True,
    extensions={"ipywidgets": True, "anywidget": True}, work="work", cache_free=50 << 30,
)  # fmt: skip


def row(facts: Facts, what: str) -> Row:
    return next(row for row in examine(facts) if row.what == what)


def changed(**parts) -> Facts:
    return dataclasses.replace(WELL, **parts)


def without(*names: str, **others: str) -> dict[str, str]:
    return {**ALL, **dict.fromkeys(names, ""), **others}


def test_a_machine_that_is_well_has_nothing_to_mend():
    rows = examine(WELL)
    assert {r.state for r in rows} == {OK} and not any(r.remedy for r in rows)
    assert verdict(rows) == "Everything the course can use is here."
    assert "Tesla T4" in row(WELL, "GPU").found


STORIES = {
    "a laptop without a GPU": (changed(gpu=None, nvidia_files=False, torch_cuda=""), "GPU", NOTE, "Colab"),
    "a Colab runtime without a GPU": (changed(gpu=None, nvidia_files=False, colab=True), "GPU", NOTE, "Change runtime type"),
    "a container without its GPU": (changed(gpu=None), "GPU", WRONG, "--gpus all"),
    "a GPU that is hidden": (changed(gpu=None, hidden=""), "GPU", NOTE, "unset CUDA_VISIBLE_DEVICES"),
    "a CPU build beside a GPU": (changed(torch_cuda=""), "GPU", WRONG, "TORCH=cuda"),
    "a driver too old for torch": (changed(gpu=dataclasses.replace(T4, driver="535.183.01")), "GPU", WRONG, "update the driver"),
    "a card before Turing": (changed(gpu=Gpu("Tesla P100", (6, 0), 16 << 30, "580.82")), "GPU", WRONG, "7.5"),
    "nothing installed": (changed(packages=dict.fromkeys(ALL, "")), "torch", WRONG, "make start"),
    "torch without Triton, as Colab's CPU image": (changed(packages=without("triton"), colab=True), "Triton", WRONG, "pip install --no-deps triton"),
    "a Triton from before the course": (changed(packages=without(triton="3.2.0")), "Triton", WRONG, "3.8.0"),
    "a Triton from after the course": (changed(packages=without(triton="3.10.1")), "Triton", NOTE, "3.8.0"),
    "an old Python": (changed(python=(3, 10, 12)), "Python", WRONG, "3.11"),
    "a Mac": (changed(system="Darwin", packages=without("triton"), gpu=None, nvidia_files=False), "system", WRONG, "Colab"),
    "Windows": (changed(system="Windows", packages=without("triton"), gpu=None, nvidia_files=False), "system", WRONG, "WSL2"),
    "no bubblewrap": (changed(bubblewrap="it is not installed"), "sandbox", NOTE, "apt-get install bubblewrap"),
    "a notebook without widgets": (changed(packages=without("anywidget")), "notebook", NOTE, "--py"),
    "a front end that is not found": (changed(extensions={"ipywidgets": True, "anywidget": False}), "notebook", NOTE, "anywidget"),
    "the interpreter asked for": (changed(interpret=True), "TRITON_INTERPRET", NOTE, "unset"),
    "an assembler that does not run": (changed(compiler="Triton's assembler, ptxas, cannot be used"), "compiler", NOTE, "interpreter"),
    "a work folder that is locked": (changed(work_refuses="Permission denied"), "work", WRONG, "LEARNING_WORK"),
    "a full disk": (changed(cache_free=5 << 20), "disk", NOTE, "TRITON_CACHE_DIR"),
}  # fmt: skip


@pytest.mark.parametrize("story", STORIES)
def test_each_lack_is_named_with_its_remedy(story):
    facts, what, state, remedy = STORIES[story]
    found = row(facts, what)
    assert found.state == state and remedy in found.remedy, found
    assert (what in verdict(examine(facts))) and ("Mend first" in verdict(examine(facts))) == any(
        r.state == WRONG for r in examine(facts)
    )


def test_the_pair_that_breaks_loops_is_named_as_corrected():
    told = row(changed(packages=without(triton="3.6.0", numpy="2.4.6")), "NumPy")
    assert told.state == OK and "corrected" in told.found
    assert "corrected" not in row(changed(packages=without(triton="3.6.0", numpy="2.1.3")), "NumPy").found


def test_kernels_are_tried_only_where_they_can_run():
    assert (
        runs_kernels(WELL)
        and not runs_kernels(changed(packages=without("triton")))
        and not runs_kernels(changed(system="Darwin"))
    )


@settings(deadline=None, max_examples=200)
@given(
    st.builds(
        Facts,
        system=st.sampled_from(("Linux", "Darwin", "Windows", "FreeBSD")),
        python=st.tuples(st.integers(2, 4), st.integers(0, 20), st.integers(0, 9)),
        packages=st.dictionaries(st.sampled_from(sorted(ALL)), st.text(max_size=12)),
        torch_cuda=st.sampled_from(("", "11.8", "12.8", "13.0", "x")),
        gpu=st.none() | st.builds(Gpu, st.text(max_size=5), st.tuples(st.integers(3, 12), st.integers(0, 9)), st.integers(0, 1 << 40), st.text(max_size=8)),
        nvidia_files=st.booleans(), hidden=st.none() | st.text(max_size=4), interpret=st.booleans(), compiler=st.text(max_size=5),
        bubblewrap=st.text(max_size=5), extensions=st.dictionaries(st.sampled_from(("ipywidgets", "anywidget")), st.booleans()),
        work_refuses=st.text(max_size=5), cache_free=st.integers(0, 1 << 45), colab=st.booleans(), wsl=st.booleans(), checkout=st.booleans(),
    )
)  # fmt: skip
def test_any_machine_gets_rows_and_each_wrong_one_a_remedy(facts):
    rows = examine(facts)
    assert all(r.state == OK or r.remedy for r in rows) and len({r.what for r in rows}) == len(rows)
    assert verdict(rows)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("2.13.0+cpu", (2, 13, 0)), ("3.8", (3, 8)), ("", ()), ("git-abc", ()), ("580.159.04", (580, 159, 4))],
)
def test_versions_are_read_up_to_what_is_no_number(text, numbers):
    assert number(text) == numbers
