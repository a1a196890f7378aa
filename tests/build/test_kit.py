"""The student kit: what it holds and what it does not, the same bytes twice, and a machine that has nothing else."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from learning import attempts
from learning import course as places
from learning import lesson as lessons
from learning.build import kit, notebook, opening
from learning.build.course import Course
from learning.build.finding import BuildError

PUBLISHED = Course("someone", "kernels", "v1")
SITE = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"


@pytest.fixture(scope="module")
def held():
    return kit.contents()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory, held):
    return kit.make_wheel(held, tmp_path_factory.mktemp("kit"))


@pytest.fixture(scope="module")
def machine(tmp_path_factory, wheel):
    """A Python that holds the kit, and torch, Triton and the like by a path; nothing of the clone."""
    home = tmp_path_factory.mktemp("machine")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home / "venv"], check=True)
    site = home / "venv" / SITE
    zipfile.ZipFile(wheel).extractall(site)
    (site / "borrowed.pth").write_text(f"{Path(sys.prefix, SITE)}\n")
    (home / "desk").mkdir()

    def run(*command: str, seconds: float = 250) -> subprocess.CompletedProcess:
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LEARNING_WORK")}
        return subprocess.run(
            [home / "venv" / "bin" / "python", *command], cwd=home / "desk", env=environment, capture_output=True, text=True,
            timeout=seconds,
        )  # fmt: skip

    run.desk = home / "desk"
    return run


def test_of_each_lesson_it_holds_what_a_learner_may_see(held):
    for card in lessons.discover():
        names = {
            name.removeprefix(f"learning/lessons/{card.slug}/") for name in held if f"lessons/{card.slug}/" in name
        }
        assert names <= {*kit.GIVEN, "answer.py"} and {"__init__.py", "reference.py", "trace_case.py"} <= names
        assert ("answer.py" in names) == (card.slug == "vector_add")
        assert f"learning/releases/{card.slug}.ipynb" in held


def test_no_room_of_the_instructor_and_no_token_is_in_it(held):
    assert not [
        name for name in held if re.search(r"/(build|grading|mutants|variants|versions)/|hidden\.py|lesson\.md", name)
    ]
    assert not [name for name, data in held.items() if b"canary-" in data.replace(b"canary-[0-9a-f]", b"")]


def test_it_holds_what_files_are_written_by_which_wants_nothing_but_python(held):
    tree = ast.parse(held["learning/files.py"])
    named = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    named += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    assert named and {name.split(".")[0] for name in named} <= sys.stdlib_module_names


def test_no_solution_of_another_lesson_is_in_it(held):
    made = [notebook.assemble(card, Course()) for card in lessons.discover()]
    assert kit.audit(held | kit.pages(), made) == []


@pytest.mark.parametrize("story", ["an answer", "a hidden check", "a token"])
def test_what_does_not_belong_is_found(held, story):
    card = lessons.load("softmax")
    planted = {
        "an answer": (card.folder / "answer.py").read_bytes(),
        "a hidden check": (card.folder / "hidden.py").read_bytes(),
        "a token": b"# canary-" + b"0123456789abcdef01234567",
    }[story]
    found = kit.audit({"learning/lessons/softmax/trace_case.py": planted}, [notebook.assemble(card, Course())])
    assert found and all("trace_case.py" in str(one) for one in found)


def test_it_is_the_same_bytes_twice(tmp_path, held):
    first, second = tmp_path / "a", tmp_path / "b"
    first.mkdir(), second.mkdir()
    assert kit.make_wheel(held, first).read_bytes() == kit.make_wheel(held, second).read_bytes()
    assert kit.zipped(kit.pages()) == kit.zipped(kit.pages())


def test_the_zip_lies_as_the_clone_does_so_that_links_hold():
    names = zipfile.ZipFile(io.BytesIO(kit.zipped(kit.pages()))).namelist()
    assert (
        "release/vector_add/vector_add.ipynb" in names
        and "notebooks/start_here.ipynb" in names
        and "README.txt" in names
    )
    assert not [name for name in names if name.startswith(("source/", "learning/"))]


def test_the_wheel_asks_for_nothing_that_colab_has_not(wheel):
    """Floors no higher than Colab's published pins, and neither torch nor Triton."""
    pins = {"numpy": (2, 1, 3), "matplotlib": (3, 10), "ipywidgets": (7, 7, 1), "anywidget": (0, 9, 21)}
    text = next(
        zipfile.ZipFile(wheel).read(n).decode() for n in zipfile.ZipFile(wheel).namelist() if n.endswith("METADATA")
    )
    needs = dict(re.findall(r"^Requires-Dist: ([a-z]+)>=([0-9.]+)$", text, re.M))
    assert needs.keys() == pins.keys() and len(re.findall("^Requires-Dist", text, re.M)) == len(pins)
    assert all(tuple(map(int, needs[name].split("."))) <= pin for name, pin in pins.items())


def test_a_lesson_without_a_release_is_named(tmp_path):
    (tmp_path / "learning" / "lessons").mkdir(parents=True)
    with pytest.raises(BuildError, match=r"python -m learning\.build --release double_it"):
        kit._release(lessons.load("double_it", Path(__file__).parent / "lessons"), tmp_path)


def test_a_published_lesson_fetches_this_wheel_and_leaves_torch_and_triton_alone():
    text = opening.bootstrap(lessons.load("vector_add"), PUBLISHED).source
    assert f"https://github.com/someone/kernels/releases/download/v1/{opening.WHEEL}" in text and text.count("\n") < 12
    assert "--no-deps" in text and '"" if importlib.util.find_spec("triton") else "triton==3.6.0"' in text
    assert "triton" not in opening.bootstrap(lessons.load("online_normalizer"), PUBLISHED).source.replace(
        opening.WHEEL, ""
    )
    from IPython.core.inputtransformer2 import TransformerManager

    compile(TransformerManager().transform_cell(text), "bootstrap", "exec")


@pytest.mark.parametrize("card", lessons.discover(), ids=lambda card: card.slug)
def test_each_badge_has_the_form_colab_reads_and_points_at_a_release_that_exists(card):
    text = opening.title(card, PUBLISHED).source
    where = re.search(r"\]\(https://colab\.research\.google\.com/github/someone/kernels/blob/v1/(\S+)\)", text)
    assert where and where[1] == f"release/{card.slug}/{card.slug}.ipynb" and places.release(card.slug).is_file()
    assert json.loads(places.release(card.slug).read_text())["metadata"]["kernelspec"]["name"] == "python3"


def test_where_only_the_kit_is_lessons_are_listed_and_laid_out(machine):
    done = machine("-S", "-m", "learning.workshops.check", "--list")
    listed = machine("-m", "learning.workshops.check", "--list")
    assert listed.returncode == 0 and all(card.slug in listed.stdout for card in lessons.discover()), done.stderr
    made = machine("-m", "learning.workshops.check", "online_normalizer")
    path = machine.desk / "work" / "online_normalizer" / "online_normalizer.ipynb"
    assert made.returncode == 2 and path.read_bytes() == places.release("online_normalizer").read_bytes()


def test_the_kit_has_no_answer_of_another_lesson_and_says_why(machine):
    done = machine("-m", "learning.workshops.check", "online_normalizer", "--solution")
    assert done.returncode == 3 and "student kit holds no answer of online_normalizer" in done.stdout


def test_a_right_answer_is_judged_in_the_kit(machine):
    answer = attempts.answer(lessons.load("online_normalizer")).source
    (machine.desk / "mine.py").write_text(answer)
    done = machine("-m", "learning.workshops.check", "online_normalizer", "--file", "mine.py")
    assert done.returncode == 0 and "public checks passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_the_kit_tries_a_machine_by_vector_adds_answer(machine):
    done = machine("-m", "learning.doctor", "--json")
    rows = {row["what"]: row for row in json.loads(done.stdout)}
    assert done.returncode == 0 and "6 of 6 public checks passed" in rows["vector_add"]["found"], rows
    assert str(machine.desk) in rows["work"]["found"]
