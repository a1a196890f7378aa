"""The commands in real terminals: other encodings, closed pipes, other folders, nothing installed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from learning import course
from learning.workshops import console

CHECK = [sys.executable, "-S", "-m", "learning.workshops.check"]


def shell(command, environment, **how):
    return subprocess.run(command, capture_output=True, timeout=120, env=environment, **({"cwd": course.ROOT} | how))


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437", "utf-8"])
@pytest.mark.parametrize("arguments", [["--list"], ["online_normalizer", "--hint", "3"], ["--help"]])
def test_every_word_reaches_a_terminal_of_any_encoding(clean_environment, encoding, arguments):
    done = shell([*CHECK, *arguments], clean_environment | {"PYTHONIOENCODING": encoding})
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode(encoding)
    assert text.strip() and "?" not in text.replace("\n", " ").replace("? ", " ")
    assert not done.stderr


def test_a_reader_that_leaves_early_is_no_error(clean_environment):
    done = shell(f"{sys.executable} -S -m learning.workshops.check --list | head -n 1", clean_environment, shell=True)
    assert done.stdout.strip() and not done.stderr


def test_a_closed_standard_output_is_no_traceback(clean_environment):
    done = shell(f"{sys.executable} -S -m learning.workshops.check --list >&-", clean_environment, shell=True)
    assert b"Traceback" not in done.stderr


def test_the_command_works_from_any_folder_that_can_import_the_package(clean_environment, tmp_path):
    environment = clean_environment | {"PYTHONPATH": os.fspath(course.ROOT)}
    done = shell([*CHECK, "--list"], environment, cwd=tmp_path)
    assert done.returncode == 0 and b"vector_add" in done.stdout
    assert not list(tmp_path.iterdir())


def test_exit_statuses_reach_the_shell(clean_environment, tmp_path):
    environment = clean_environment | {"LEARNING_WORK": os.fspath(tmp_path)}
    assert shell([*CHECK, "vektor_add"], environment).returncode == 3
    assert shell([*CHECK, "--nonsense"], environment).returncode == 64
    done = shell([*CHECK, "vector_add"], environment)
    assert done.returncode == 3 and (b"run without -S" in done.stdout or b"make release" in done.stdout)


@pytest.mark.parametrize(
    ("text", "plain"),
    [("−inf ≤ x·y → …", "-inf <= x-y -> ..."), ("é ü ñ", "e u n"), ("½ 日本", "1/2 ??"), ("2³¹ µs Σ", "2^31 us sum")],
)
def test_what_a_terminal_lacks_is_spelt(text, plain):
    assert console.spell(text) == plain


def test_the_launcher_needs_nothing_but_the_standard_library(clean_environment):
    code = (
        "import sys; from learning.workshops import command; "
        "print(sorted(name for name in ('torch', 'triton', 'numpy', 'IPython', 'nbformat') if name in sys.modules))"
    )
    done = shell([sys.executable, "-c", code], clean_environment)
    assert done.stdout.strip() == b"[]", done.stderr


def test_no_module_of_the_command_is_longer_than_a_reader_bears():
    for module in Path(console.__file__).parent.glob("*.py"):
        assert len(module.read_text().splitlines()) < 300, module.name


@pytest.mark.parametrize(
    ("active", "here", "said"),
    [("", "above", ".venv/bin/python"), ("itself", "above", "python"), ("", "away", "python")],
)
def test_the_command_to_type_names_the_python_that_runs(monkeypatch, tmp_path, active, here, said):
    environment = tmp_path / "course" / ".venv"
    (tmp_path / "away").mkdir()
    (environment / "bin").mkdir(parents=True)
    monkeypatch.setattr(sys, "prefix", str(environment))
    monkeypatch.setattr(sys, "executable", str(environment / "bin" / "python"))
    monkeypatch.setenv("VIRTUAL_ENV", str(environment) if active else "")
    monkeypatch.chdir(environment.parent if here == "above" else tmp_path / "away")
    assert console.command("L1 --hint") == f"{said} -m learning.workshops.check L1 --hint"
