"""The stand-in for Colab: what it takes for a fault, that its body is Colab's, and two notebooks that run on it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from learning import companions, course, lesson
from learning.build import kit, opening
from tools import colab, colab_notebooks, colab_page, colab_runtime, environments
from tools.colab_notebooks import Outcome, Page

WORDS = ["PredictionError: nothing is locked yet"]
FRAMES = ["-----", "NameError      Traceback (most recent call last)", "<ipython-input-3> in <module>()", "----> 1 x"]
NEWER = ["Cell \x1b[0;32mIn[3], line 1\x1b[0m\n\x1b[0;32m----> 1\x1b[0m x\n", "\x1b[0;31mNameError\x1b[0m: name 'x'"]


def outcome(*outputs, **fields) -> Outcome:
    """What is read from a notebook whose one cell showed ``outputs``."""
    cell = v4.new_code_cell("x", outputs=list(outputs), execution_count=1, id="mine")
    found = Outcome("vector_add", "lesson", "", **fields)
    colab_notebooks.read(v4.new_notebook(cells=[cell]), found)
    return found


def error(traceback):
    return v4.new_output("error", ename="NameError", evalue="name 'x'", traceback=traceback)


def widget():
    return v4.new_output("display_data", {"text/plain": "", colab_notebooks.WIDGET: {"model_id": "1"}})


def test_a_cell_that_stops_with_a_sentence_is_no_fault():
    found = outcome(error(WORDS))
    assert found.good and found.words == ["mine: PredictionError: nothing is locked yet"] and found.sentence() == "runs"


@pytest.mark.parametrize("traceback", [FRAMES, NEWER], ids=["as IPython 7 shows it", "as IPython 9 shows it"])
def test_a_traceback_is_one(traceback):
    found = outcome(error(traceback))
    assert not found.good and found.faults and found.faults[0].startswith("mine: ")


def test_so_is_a_line_on_stderr_and_a_printed_traceback():
    assert (
        "stderr: DeprecationWarning"
        in outcome(v4.new_output("stream", name="stderr", text="DeprecationWarning\n")).faults[0]
    )
    printed = v4.new_output("stream", name="stdout", text="\n".join(FRAMES))
    assert outcome(printed).faults == ["mine: prints a traceback"]


def test_a_widget_stands_beside_what_says_it_in_text():
    static = v4.new_output("display_data", {"text/plain": "progress 3/7: gate 1 is proved", "text/html": "<p>…</p>"})
    assert outcome(static, widget()).good
    assert outcome(widget()).faults == ["mine: a widget, and nothing that says it in text"]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"passed": 6, "checks": 6}, "runs"),
        ({"passed": 5, "waiting": 1, "checks": 6}, "runs, 1 wait for a GPU"),
        ({"passed": 5, "checks": 6}, "1 of 6 checks did not pass"),
        ({"passed": 5, "wrong": 1, "checks": 6}, "1 of 6 checks did not pass"),
    ],
)
def test_every_check_has_to_be_accounted_for(fields, said):
    found = outcome(**fields)
    assert found.sentence() == said and found.good == said.startswith("runs")


def test_a_notebook_in_which_nothing_ran_did_not_come_through():
    assert Outcome("vector_add", "lesson", "").sentence() == "no cell ran" and not Outcome("a", "lesson", "").good


def test_every_notebook_begins_with_the_cell_of_a_published_one_and_holds_our_answer():
    pages = {page.name: page for page in colab_notebooks.pages()}
    assert list(pages) == [*(card.slug for card in lesson.discover()), *companions.ORDER]
    for page in pages.values():
        first = course.text(colab_notebooks._first(page.notebook))
        assert opening.wheel_address(colab_notebooks.PUBLISHED) in first and "--no-deps" in first
        nbformat.validate(nbformat.reads(json.dumps(page.notebook), as_version=4))
    text = json.dumps(pages["online_normalizer"].notebook)
    assert "def push" in text and "YOUR CODE HERE" not in text and pages["online_normalizer"].checks == 5
    assert text.count("BEGIN SOLUTION") == 0


def test_an_unknown_notebook_is_named_with_those_there_are(capsys):
    assert colab.main(["vector_ad"]) == 3
    told = capsys.readouterr().err
    assert "no notebook vector_ad" in told and "vector_add" in told


def test_an_interpreter_that_is_not_there_is_named(capsys):
    assert colab.main(["glossary", "--python", "python2.99"]) == 3
    assert "no interpreter python2.99" in capsys.readouterr().err


def test_a_record_is_of_every_notebook(capsys):
    with pytest.raises(SystemExit):
        colab.main(["glossary", "--record"])
    assert "--record wants every notebook" in capsys.readouterr().err


def test_the_page_shows_the_record():
    record = json.loads(colab.RECORD.read_text(encoding="utf-8"))
    assert colab.PAGE.read_text(encoding="utf-8") == colab_page.page(record)
    for run in record["runs"].values():
        names = {found["name"] for found in run["pages"]}
        assert (
            names <= {*(card.slug for card in lesson.discover()), *companions.ORDER} and run["machine"] and run["date"]
        )


def test_pins_are_exact_and_meet_what_a_learner_needs():
    pins = dict(line.split("==") for line in colab_runtime.pins())
    assert len(pins) > 40 and all(re.fullmatch(r"[0-9][0-9a-z.]*", version) for version in pins.values())
    assert (pins["ipython"], pins["ipykernel"], pins["triton"]) == ("7.34.0", "6.17.1", "3.6.0")
    assert {"numpy", "matplotlib", "ipywidgets", "anywidget"} <= pins.keys() and "torch" not in pins


def test_what_a_kit_would_upgrade_is_told(tmp_path):
    wheel = tmp_path / "greedy-1.0-py3-none-any.whl"
    told = "Metadata-Version: 2.1\nName: greedy\nVersion: 1.0\nRequires-Dist: numpy>=2.4\nRequires-Dist: nbgrader\n"
    told += "Requires-Dist: matplotlib>=3.8\nRequires-Dist: torch>=2.10; extra == 'kernels'\n"
    with zipfile.ZipFile(wheel, "w") as held:
        held.writestr("greedy-1.0.dist-info/METADATA", told)
    body = colab_runtime.Body(tmp_path, tmp_path, {"numpy": "2.1.3", "matplotlib": "3.10.0"})
    assert colab_runtime.unmet(body, wheel) == [
        "numpy>=2.4 is asked for and 2.1.3 is there", "nbgrader is asked for and nothing is there",
    ]  # fmt: skip


def test_the_kit_asks_for_nothing_that_colab_has_not(tmp_path):
    has = dict(line.lower().split("==") for line in colab_runtime.pins())
    body = colab_runtime.Body(tmp_path, tmp_path, has)
    assert colab_runtime.unmet(body, kit.make_wheel(kit.contents(), tmp_path)) == []


def test_a_changed_package_is_seen(monkeypatch):
    after = {"numpy": "2.4.0", "triton": "3.6.0", "triton-kernel-course": "0.1.0", "jedi": "0.20"}
    monkeypatch.setattr(colab_runtime, "frozen", lambda python: after)
    body = colab_runtime.Body(Path(), Path(), {"numpy": "2.1.3", "triton": "3.6.0", "pillow": "11.3.0"})
    assert colab_runtime.changes(body, Path()) == [
        "numpy 2.1.3 → 2.4.0",
        "jedi absent → 0.20",
        "pillow 11.3.0 → absent",
    ]
    after.pop("triton")
    told = colab_runtime.changes(body, Path(), ("triton",))
    assert "triton 3.6.0 → absent" in colab_runtime.changes(body, Path()) and not [
        one for one in told if "triton" in one
    ]
    after.pop("triton-kernel-course")
    assert "triton-kernel-course is not installed" in colab_runtime.changes(body, Path())


def test_a_runtimes_variables_are_colabs_and_not_ours(monkeypatch, tmp_path):
    for name in ("PYTHONPATH", "LEARNING_WORK", "NBGRADER_EXECUTION", "PIP_INDEX_URL", "TRITON_INTERPRET"):
        monkeypatch.setenv(name, "ours")
    told = colab_runtime.environment(tmp_path)
    assert "ours" not in told.values() and told["PIP_NO_INDEX"] == "1" and told["HOME"] == str(tmp_path)
    assert told["COLAB_RELEASE_TAG"] and told["MPLBACKEND"].startswith("module://matplotlib_inline")


def test_an_environment_is_made_once_and_again_when_its_wishes_change(tmp_path):
    made, here = [], Path(sys.executable)

    def ready(wanted):
        return environments.ready(tmp_path / "venv", wanted, lambda python: made.append(wanted), interpreter=here)

    python = ready("a")
    assert ready("a") == python and ready("b") == python and made == ["a", "b"]
    assert environments.packages_of(tmp_path / "venv").is_dir()
    with pytest.raises(RuntimeError):
        environments.ready(tmp_path / "other", "a", _fails, interpreter=here)
    assert not (tmp_path / "other" / environments.STAMP).exists()
    with pytest.raises(FileNotFoundError, match="is no virtual environment"):
        environments.packages_of(tmp_path / "nowhere")


def _fails(python):
    raise RuntimeError("no network")


@pytest.fixture(scope="module")
def stand_in():
    """The body of ``make colab``; made by that command, not by a test."""
    folder = environments.ROOT / ".venv-colab"
    if not (folder / environments.STAMP).exists():
        pytest.skip("make colab makes this environment")
    python = environments.python_of(folder)
    return colab_runtime.Body(folder, python, colab_runtime.frozen(python))


@pytest.mark.slow
def test_two_notebooks_run_on_it_alone(stand_in, tmp_path):
    wheel = kit.make_wheel(kit.contents(), tmp_path)
    pins = (line.split("==") for line in colab_runtime.pins())
    assert stand_in.packages.items() >= {colab_runtime._plain(name): version for name, version in pins}.items()
    for page in colab_notebooks.pages(["online_normalizer", "start_here"]):
        found, notebook = colab_notebooks.run(page, stand_in, wheel)
        assert found.good and found.cells > 3, found
        first = next(cell for cell in notebook["cells"] if cell["id"] == "bootstrap")
        assert str(wheel) in first["source"] and found.passed == page.checks


@pytest.mark.slow
@pytest.mark.parametrize("story", ["raises", "hangs", "dies", "upgrades", "has no wheel"])
def test_what_goes_wrong_on_it_is_a_fault(stand_in, tmp_path, story):
    page = colab_notebooks.pages(["start_here"])[0]
    wheel = kit.make_wheel(kit.contents(), tmp_path)
    other = tmp_path / "six-1.0-py3-none-any.whl"
    with zipfile.ZipFile(other, "w") as held:
        held.writestr("six-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: six\nVersion: 1.0\n")
        held.writestr("six-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        held.writestr("six-1.0.dist-info/RECORD", "")
    text = {
        "raises": "1 / 0", "hangs": "while True: pass", "dies": "import os; os._exit(1)",
        "upgrades": f"import sys\n!{{sys.executable}} -m pip install -q --no-deps {other}", "has no wheel": "1",
    }[story]  # fmt: skip
    bad = {**page.notebook["cells"][3], "source": text, "id": "bad"}
    begun = page.notebook["cells"][:2] if story == "has no wheel" else []  # the others need no course
    broken = Page(page.name, page.kind, page.notebook | {"cells": [*begun, bad]})
    at = tmp_path / "nowhere" / wheel.name if story == "has no wheel" else wheel
    found, _ = colab_notebooks.run(broken, stand_in, at, limit=30 if story == "hangs" else 300)
    said = {
        "raises": "bad: ZeroDivisionError", "hangs": "cell bad did not end in 30 s", "dies": "the kernel died in cell bad",
        "upgrades": "pip: six 1.17.0 → 1.0", "has no wheel": "ModuleNotFoundError",
    }[story]  # fmt: skip
    assert not found.good and said in " | ".join(found.faults), found.faults


TWO_SIZED = """\
@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    offsets = tl.arange(0, n_elements)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) + tl.load(y_ptr + offsets))


def add(x, y):
    out = torch.empty_like(x)
    add_kernel[(1,)](x, y, out, x.numel(), BLOCK=1024)
    return out


add(torch.ones(4096), torch.ones(4096))
"""


@pytest.mark.slow
def test_a_kernel_that_does_not_compile_says_so_in_a_sentence_where_colab_handles_errors_itself(stand_in, tmp_path):
    """Colab's shell explains an ImportError before any notebook begins; Triton's thirty frames stay away all the same."""
    page = colab_notebooks.pages(["vector_add"])[0]
    answer = next(n for n, cell in enumerate(page.notebook["cells"]) if course.role(cell) == "answer")
    before = [cell for cell in page.notebook["cells"][:answer] if cell["cell_type"] == "code"]
    bad = {**page.notebook["cells"][answer], "source": TWO_SIZED, "id": "bad"}
    missing = {**bad, "source": "import nowhere", "id": "missing"}
    broken = Page(page.name, page.kind, page.notebook | {"cells": [*before, bad, missing]})
    found, notebook = colab_notebooks.run(broken, stand_in, kit.make_wheel(kit.contents(), tmp_path))
    assert len(found.words) == 1 and found.words[0].startswith("bad: ") and "arange" in found.words[0], found
    assert [fault for fault in found.faults if not fault.startswith("missing: ")] == []
    assert "NOTE: packages are installed" in json.dumps(notebook["cells"][-1]["outputs"])


@pytest.mark.slow
def test_torch_is_lent_and_nothing_else_of_the_main_environment(stand_in):
    code = "import torch, sys; print(torch.__file__); import nbgrader"
    done = subprocess.run(
        [stand_in.python, "-c", code], capture_output=True, text=True, env=colab_runtime.environment()
    )
    assert ".venv-colab" in done.stdout and "No module named 'nbgrader'" in done.stderr
