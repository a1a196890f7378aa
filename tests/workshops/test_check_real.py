"""``check`` as a learner types it: the committed releases, the real engine, real processes, nothing installed for A1."""

import json
import os
import re
import subprocess
import sys

import pytest

from learning import course
from learning import lesson as lessons
from learning.gates import records
from learning.judge import cells

CPU, GPU = "online_normalizer", "vector_add"


@pytest.fixture
def shell(tmp_path, clean_environment):
    """Run ``check`` from the clone with a work folder of the test's own; gives status, output and error output."""
    environment = clean_environment | {"LEARNING_WORK": os.fspath(tmp_path), "CUDA_VISIBLE_DEVICES": ""}

    def run(*arguments, bare=True, anyway=True):
        command = [sys.executable, *(["-S"] if bare else []), "-m", "learning.workshops.check", *arguments]
        command += ["--anyway"] if anyway and "--solution" not in arguments else []
        done = subprocess.run(command, cwd=course.ROOT, env=environment, capture_output=True, timeout=240, text=True)
        return done.returncode, done.stdout, done.stderr

    run.folder, run.environment = tmp_path, environment
    return run


def supplied(slug):
    """The supplied answer's text, without markers."""
    notebook = course.load(course.source(slug))
    [text] = [course.text(cell) for cell in notebook["cells"] if course.role(cell) == "answer"]
    return "\n".join(line for line in text.splitlines() if "SOLUTION" not in line)


def hand_in(shell, slug, answer):
    """A learner's notebook: the release with ``answer`` typed into its answer cell."""
    notebook = course.load(course.release(slug))
    for cell in notebook["cells"]:
        if course.role(cell) == "answer":
            cell["source"] = answer
    path = shell.folder / slug / f"{slug}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook))
    return path


def test_the_releases_starter_is_what_todo_means():
    for card in lessons.discover():
        released = [
            course.text(c) for c in course.load(course.release(card.slug))["cells"] if course.role(c) == "answer"
        ]
        ours = [course.text(c) for c in course.load(course.source(card.slug))["cells"] if course.role(c) == "answer"]
        assert released
        assert all(cells.is_todo(a, cells.starter_of(b)) for a, b in zip(released, ours, strict=True))


def test_the_cpu_lesson_from_start_to_pass_with_nothing_installed(shell):
    status, out, err = shell(CPU)
    assert (status, err) == (2, "") and "made" in out and "TODO" in out
    path = shell.folder / CPU / f"{CPU}.ipynb"
    assert path.read_bytes() == course.release(CPU).read_bytes()
    hand_in(shell, CPU, supplied(CPU))
    before = path.read_bytes(), path.stat().st_mtime_ns
    status, out, err = shell(CPU)
    assert (status, err) == (0, ""), out
    assert re.search(r"(\d+) of \1 public checks passed on the CPU", out) and "progress 1/7" in out
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    log = records.read(path.parent / records.FILE)
    assert not log.damage and [record["device"] for record in log] == ["cpu"]
    assert log.records[0]["environment"]["torch"] == ""
    status, out, _ = shell("all")
    assert status == 0 and f"{GPU}" in out and "not checked: a GPU lesson" in out


def test_the_supplied_answer_passes_and_proves_nothing(shell):
    status, out, _ = shell("all", "--solution")
    assert status == 0 and "no evidence of learning" in out
    assert not list(shell.folder.iterdir())


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("EMPTY = (float('-inf'), 0.0)\ndef push(s, x):\n    return (x, 1.0)\ndef merge(a, b):\n    return a\n"
         "def result(s):\n    return s", "expected"),
        ("def push(s, x:\n    pass", "SyntaxError"),
        ("def push(s, x):\n    raise KeyError('mine')\n\ndef merge(a, b):\n    return a\n\ndef result(s):\n    return s",
         "line 2 of cell"),
        ("import os\nos._exit(0)", "ended"),
    ],
    ids=["wrong", "syntax_error", "raises", "exits"],
)  # fmt: skip
def test_a_wrong_cpu_answer_is_1_and_says_why(shell, answer, said):
    hand_in(shell, CPU, answer)
    status, out, err = shell(CPU)
    assert status == 1 and not err, out + err
    assert said in out and "not yet: " in out


def test_a_python_file_is_laid_out_checked_and_passed(shell):
    status, out, _ = shell(CPU, "--py")
    script = shell.folder / CPU / f"{CPU}.py"
    assert status == 2 and script.is_file(), out
    script.write_text(supplied(CPU))
    assert shell(CPU)[0] == 0
    other = shell.folder / "elsewhere.py"
    other.write_text("x = 1")
    assert shell(CPU, "--file", str(other))[0] == 1


def test_a_prediction_from_a_script_comes_first_and_is_compared(shell):
    """The whole way without Jupyter: starter, asked to predict, predicted, checked, compared, explained."""
    shell(CPU, "--py")
    folder = shell.folder / CPU
    (folder / f"{CPU}.py").write_text(supplied(CPU))
    status, out, _ = shell(CPU, anyway=False)
    assert status == 2 and "gate 04 masks, gate 09 compare" in out and "predict.py" in out and "--anyway" in out
    assert not (folder / records.FILE).exists()

    def predict(text):
        (folder / "predict.py").write_text(text)
        command = [sys.executable, "-S", os.fspath(folder / "predict.py")]
        done = subprocess.run(
            command, cwd=shell.folder, env=shell.environment | {"PYTHONPATH": os.fspath(course.ROOT)},
            capture_output=True, timeout=240, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    script = (folder / "predict.py").read_text()
    assert "Nothing is locked yet: padding, output" in predict(script)
    assert "Locked: " in predict(script.replace("...,", "4.0,").replace('"total": ...', '"total": 0'))
    status, out, _ = shell(CPU, anyway=False)
    assert status == 0, out
    compared = predict(script[: script.index("print(predict(")] + "print(predictions.compare())\n")
    assert "over 2 of 2 fields" in compared and "Not measured now" not in compared, compared


def test_a_gpu_lesson_without_site_packages_says_run_without_s(shell):
    status, out, _ = shell(GPU)
    assert status == 3 and "run without -S" in out
    assert (shell.folder / GPU / f"{GPU}.ipynb").is_file()


def test_a_gpu_lesson_without_a_gpu_offers_the_interpreter(shell):
    status, out, _ = shell(GPU, bare=False)
    assert status == 3 and f"check {GPU} --interpret" in out


def test_a_gpu_lesson_in_the_interpreter_todo_right_and_wrong(shell):
    status, out, _ = shell(GPU, "--interpret", bare=False)
    assert status == 2, out
    hand_in(shell, GPU, supplied(GPU))
    status, out, err = shell(GPU, "--interpret", bare=False)
    assert (status, err) == (0, ""), out + err
    assert "on a virtual Tesla T4 (compiled for it, computed in Triton's interpreter)" in out and "progress 0/12" in out
    hand_in(shell, GPU, supplied(GPU).replace("mask=mask", "mask=offsets >= 0"))
    status, out, _ = shell(GPU, "--interpret", bare=False)
    assert status == 1 and "not yet" in out and "called" in out
    kept = records.read(shell.folder / GPU / records.FILE).records
    assert [record["device"] for record in kept] == ["interpreter"] * 2
    assert kept[0]["source"] != kept[1]["source"]


BREAKS = "    for step in range(n_elements):\n        break\n"
OVERFLOWS = (
    "    rows, columns = tl.arange(0, 128)[:, None], tl.arange(0, 256)[None, :]\n"
    "    tile = tl.load(x_ptr + rows * 256 + columns, mask=rows * 256 + columns < n_elements, other=0.0)\n"
    "    places = rows + tl.arange(0, 128)[None, :]\n"
    "    tl.store(out_ptr + places, tl.dot(tile, tl.trans(tile)), mask=places < 0)\n"
)


def with_lines(lines):
    """The supplied answer, with lines added in its kernel before the first load."""
    text = supplied(GPU)
    load = next(line for line in text.splitlines() if "tl.load(" in line)
    return text.replace(load, lines + load, 1)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_the_compiler_refuses_is_told_in_a_sentence_and_so_is_leaving_the_compiler_out(shell):
    hand_in(shell, GPU, with_lines(BREAKS))
    status, out, _ = shell(GPU, "--interpret", bare=False)
    assert status == 1 and "on a virtual Tesla T4 (Triton compiles for it" in out
    assert "CompilationError: a kernel cannot leave a loop with `break`" in out and ": break)" in out, out
    shell.environment["TRITON_INTERPRET"] = "1"
    status, out, _ = shell(GPU, "--interpret", bare=False)
    assert status == 0 and "on Triton's interpreter on the CPU" in out and "virtual" not in out, out


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_tile_that_a_t4_cannot_hold_is_told_in_bytes(shell):
    hand_in(shell, GPU, with_lines(OVERFLOWS))
    status, out, _ = shell(GPU, "--interpret", bare=False)
    assert status == 1 and "131072 bytes of shared memory and this card has 65536" in out
    assert "Traceback" not in out


def test_an_answer_is_compiled_for_a_t4_that_is_not_here(shell):
    hand_in(shell, GPU, supplied(GPU))
    status, out, err = shell(GPU, "--interpret", "--target", "t4", bare=False)
    assert status == 0, out + err
    assert "compiled for t4, without running there: 2500 float32 elements" in out
    assert "of 65536 bytes a block" in out and "global loads" in out and "16 of 4 bytes" in out
    kept = [record["event"] for record in records.read(shell.folder / GPU / records.FILE)]
    assert kept == ["compile", "parity"]
