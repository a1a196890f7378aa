"""The notebook a folder becomes: its cells, their names, what nbgrader is told, and the same bytes every time."""

import json
import re
import subprocess
import sys

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbgrader.nbgraderformat import MetadataValidator

from learning.build import notebook
from learning.build.cells import canary, identifier
from learning.build.course import Course as Settings
from learning.build.finding import BuildError
from learning.build.opening import bootstrap, title


def texts(book):
    return {cell["id"]: cell["source"] for cell in book["cells"]}


def test_a_folder_becomes_a_valid_notebook_without_outputs(course):
    book = nbformat.reads(notebook.serialise(notebook.notebook(course.lesson)), as_version=4)
    nbformat.validate(book)
    MetadataValidator().validate_nb(book)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in book.cells)
    assert book.metadata.kernelspec.name == "python3"
    assert book.metadata.learning.lesson == "double_it" and book.metadata.learning.version == 1


def test_building_again_gives_the_same_bytes_and_leaves_the_file_alone(built_course):
    before = built_course.source.read_bytes(), built_course.source.stat().st_mtime_ns
    assert built_course.run() == 0
    assert (built_course.source.read_bytes(), built_course.source.stat().st_mtime_ns) == before
    assert before[0].endswith(b"}\n")


def test_every_cell_is_named_after_what_it_holds(course):
    assert list(texts(notebook.notebook(course.lesson))) == [
        "title",
        "bootstrap",
        "text-what-goes-in-and-what-comes-out",
        "text-after-what-goes-in-and-what-comes-out",
        "text-contract",
        "setup-imports",
        "setup-double-reference",
        "text-your-turn",
        "answer-double",
        "show-try-it",
        "text-your-turn-after-try-it",
        "check-doubles-small-numbers",
        "check-keeps-the-sign",
        "hidden-doubles-large-numbers",
        "hidden-is-timed-on-a-gpu",
        "explain-explanation",
        "text-hints",
    ]


def test_inserting_a_cell_renames_no_other(course):
    before = texts(notebook.notebook(course.lesson))
    course.change(
        "lesson.md",
        '## Your turn\n\n```python role="answer"',
        '## A new section\n\nNew.\n\n## Your turn\n\n```python role="answer"',
    )
    after = texts(notebook.notebook(course.lesson))
    assert set(after) - set(before) == {"text-a-new-section"} and not set(before) - set(after)


@given(st.text(max_size=120), st.sampled_from(["text", "check"]))
def test_any_name_makes_a_valid_id(name, role):
    id = identifier(role, name)
    assert re.fullmatch(r"[a-zA-Z0-9-]{1,64}", id)
    assert id == identifier(role, name)


def test_long_names_that_begin_alike_get_different_ids():
    assert identifier("check", "a" * 80) != identifier("check", "a" * 81)


def test_points_and_grade_ids_come_from_the_checks(course):
    told = {
        c["metadata"]["nbgrader"]["grade_id"]: c["metadata"]["nbgrader"]
        for c in notebook.notebook(course.lesson)["cells"]
        if "nbgrader" in c["metadata"]
    }
    assert {name: t["points"] for name, t in told.items() if t["grade"]} == {
        "doubles_small_numbers": 2,
        "keeps_the_sign": 2,
        "doubles_large_numbers": 10,
        "is_timed_on_a_gpu": 2,
        "explain-explanation".replace("-", "_"): 4,
    }
    assert [name for name, t in told.items() if t["locked"] and not t["grade"]] == [
        "bootstrap",
        "setup_imports",
        "setup_double_reference",
    ]
    assert [name for name, t in told.items() if t["solution"] and not t["grade"]] == ["answer_double"]


def test_a_check_cell_ends_with_the_line_that_runs_it(course):
    made = texts(notebook.notebook(course.lesson))
    assert made["check-keeps-the-sign"].endswith("\n\n\nkeeps_the_sign(double, EMPTY)")
    assert made["check-keeps-the-sign"].startswith("# a sign lost on the way")


def test_of_a_hidden_check_only_name_points_and_story_stand_outside_the_markers(course):
    made = texts(notebook.notebook(course.lesson))["hidden-doubles-large-numbers"]
    shown, hidden = made.split("### BEGIN HIDDEN TESTS\n")
    assert shown.split("\n")[:4] == [
        "# Hidden check, 10 points: your grader runs it.",
        "# doubles_large_numbers(double)",
        "#",
        "# Numbers far from 1 come out doubled.",
    ]
    assert "LARGE" not in shown and all(line.startswith("#") for line in shown.strip().split("\n"))
    assert hidden.startswith(f"# {canary('double_it', 'doubles_large_numbers')}\nLARGE = ")
    assert hidden.endswith("doubles_large_numbers(double)\n### END HIDDEN TESTS")
    assert "decided on a GPU" in texts(notebook.notebook(course.lesson))["hidden-is-timed-on-a-gpu"]


def test_every_hidden_region_has_a_canary_of_its_own(course):
    tokens = re.findall(r"canary-[0-9a-f]{24}", notebook.serialise(notebook.notebook(course.lesson)))
    assert len(tokens) == len(set(tokens)) == 2


def test_the_explanation_holds_the_model_answer_between_markers(course):
    made = texts(notebook.notebook(course.lesson))["explain-explanation"]
    assert made.startswith("## Explain it") and made.endswith("no case is special.\n<!-- END SOLUTION -->")


def test_the_first_cell_says_what_it_takes(course):
    assert title(course.lesson, Settings()).source == (
        "# T1 · Double it\n\nA number goes in and twice that number comes out.\n\n10 minutes · 20 points · needs plain Python · "
        "words: [glossary](../../notebooks/glossary.ipynb)"
    )


def test_a_badge_appears_once_a_repository_is_configured(course):
    published = Settings(owner="someone", repository="kernels", tag="v1")
    assert "colab-badge" not in title(course.lesson, Settings()).source
    assert "/github/someone/kernels/blob/v1/release/double_it/double_it.ipynb" in title(course.lesson, published).source
    assert (
        "(https://github.com/someone/kernels/blob/v1/notebooks/glossary.ipynb)"
        in title(course.lesson, published).source
    )


def test_gpu_lessons_ask_colab_for_a_t4_and_cpu_lessons_do_not(course):
    assert "accelerator" not in notebook.notebook(course.lesson)["metadata"]
    course.change("__init__.py", 'kind="cpu"', 'kind="gpu"')
    metadata = notebook.notebook(course.lesson)["metadata"]
    assert metadata["accelerator"] == "GPU" and metadata["colab"]["gpuType"] == "T4"


@pytest.mark.parametrize(
    "settings", [Settings(), Settings(owner="o", repository="r", tag="v1")], ids=["unpublished", "published"]
)
def test_the_bootstrap_cell_is_folded_and_short(course, settings):
    cell = bootstrap(course.lesson, settings)
    assert len(cell.source.split("\n")) <= 12
    assert cell.metadata["jupyter"] == {"source_hidden": True}


def run_bootstrap(course, folder):
    code = bootstrap(course.lesson, Settings()).source
    folder.mkdir(parents=True, exist_ok=True)
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], cwd=folder, capture_output=True, text=True, timeout=60
    )


def test_the_bootstrap_finds_the_course_in_a_folder_above(course):
    package = course.root / "learning"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "lesson.py").touch()
    (package / "session.py").write_text("def begin(slug):\n    print('begun', slug)\n")
    for folder in (course.root, course.root / "work" / "double_it"):
        done = run_bootstrap(course, folder)
        assert done.stdout == "begun double_it\n", done.stderr


def installed(course, site, said):
    """A course that is installed for the interpreter, in the way that site-packages come after the standard library."""
    package = site / "learning"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "session.py").write_text(f"def begin(slug):\n    print({said!r}, slug)\n")
    code = f"import sys; sys.path.append({str(site)!r})\n{bootstrap(course.lesson, Settings()).source}"
    return [sys.executable, "-I", "-S", "-c", code]


def test_the_course_around_a_notebook_goes_before_an_installed_one(course, tmp_path_factory):
    away = tmp_path_factory.mktemp("away")
    ask = installed(course, away / "site-packages", "the older kit")
    package, desk = course.root / "learning", away / "desk"
    package.mkdir()
    desk.mkdir()
    for name, text in (
        ("__init__", ""),
        ("lesson", ""),
        ("session", "def begin(slug):\n    print('the clone', slug)\n"),
    ):
        (package / f"{name}.py").write_text(text)
    for folder, said in ((course.root, "the clone"), (desk, "the older kit")):
        done = subprocess.run(ask, cwd=folder, capture_output=True, text=True, timeout=60)
        assert done.stdout == f"{said} double_it\n", done.stderr


def test_a_course_that_is_broken_shows_its_own_error_and_is_not_replaced(course):
    package = course.root / "learning"
    package.mkdir()
    for name, text in (("__init__", ""), ("lesson", ""), ("session", "import no_such_module\n")):
        (package / f"{name}.py").write_text(text)
    done = run_bootstrap(course, course.root)
    assert "No module named 'no_such_module'" in done.stderr and "clone its repository" not in done.stderr


def test_the_bootstrap_says_what_to_do_where_there_is_no_course(course):
    done = run_bootstrap(course, course.root / "elsewhere")
    assert "clone its repository and open this notebook inside it" in done.stderr


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("lesson.md", "checks.keeps_the_sign", "checks.keeps_the_sine", "does not define keeps_the_sine .it defines"),
        ("lesson.md", 'pull="hidden.is_timed', 'pull="hiding.is_timed', "there is no hiding.py"),
        ("lesson.md", 'role="check" pull="checks.keeps', 'role="hidden" pull="checks.keeps', "has no hidden=True"),
        ("lesson.md", 'role="hidden" pull="hidden.is', 'role="check" pull="hidden.is', "has hidden=True"),
        ("lesson.md", "hidden.LARGE ", "hidden.is_timed_on_a_gpu ", "one check, and this one pulls 2"),
        ("lesson.md", 'role="show"', 'role="play"', "role='play'; a code cell's role is one of"),
        ("lesson.md", ' name="try-it"', "", 'needs a name: name="…"'),
        ("lesson.md", 'name="try-it"', 'nmae="try-it"', "unknown attribute nmae"),
        ("lesson.md", 'name="try-it"', 'name="imports" role="setup"', "a second cell called setup-imports"),
        ("lesson.md", 'pull="card.contract"', 'pull="card.price"', "lends contract, sessions, hints or rules"),
        ("lesson.md", "reference.TABLE", "checks.keeps_the_sign", "one cell pulls from one file"),
        ("lesson.md", "double(21.0)\n```", "double(21.0)\n", "line 30: this fence is not closed before line 36"),
        ("checks.py", "points=2", "points=TWO", "must be plain values"),
        ("checks.py", "EMPTY, trial", "trial, EMPTY", "last parameter is called trial"),
        ("checks.py", "def keeps", "def keeps(", "checks.py line .* is not Python"),
    ],
)  # fmt: skip
def test_a_page_that_cannot_be_built_says_where_and_why(course, file, old, new, message):
    course.change(file, old, new)
    with pytest.raises(BuildError, match=message) as refusal:
        notebook.notebook(course.lesson)
    assert all(c.file == "double_it/lesson.md" and c.name for c in refusal.value.complaints)
    assert course.run() == 1 and not course.source.exists()


def test_the_json_holds_role_file_and_symbols_of_every_cell(course):
    told = {c["id"]: c["metadata"]["learning"] for c in notebook.notebook(course.lesson)["cells"]}
    assert {key: told["answer-double"][key] for key in ("role", "file", "symbols")} == {
        "role": "answer",
        "file": "answer.py",
        "symbols": ["double", "EMPTY"],
    }
    assert told["title"]["role"] == told["text-hints"]["role"] == ""
    assert json.dumps(told)  # plain values only
