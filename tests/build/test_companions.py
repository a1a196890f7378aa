"""The companions: the same bytes from the same texts, drift that is named, no answer's line in any of them, and they run."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from learning import companions as texts
from learning import lesson as lessons
from learning.build import commands, companions, notebook
from learning.build.course import ROOT, Course
from learning.build.finding import BuildError
from learning.build.lint import leaks
from learning.judge.cells import text_of

PUBLISHED = Course("someone", "kernels", "v1")
FAST = "glossary"
"""The companion whose notebook `make test` runs in a kernel; CI runs all."""


@pytest.fixture
def folder(tmp_path):
    """``folder(text)``: a folder of companions whose one text is ``text``; the others are the course's own."""

    def made(text):
        for name in texts.ORDER:
            (tmp_path / f"{name}.md").write_text((texts.FOLDER / f"{name}.md").read_text())
        (tmp_path / "start_here.md").write_text(text)
        return tmp_path

    return made


def complaint(text, folder):
    with pytest.raises(BuildError) as refused:
        companions.cells("start_here", Course(), folder(text))
    return str(refused.value)


@pytest.mark.parametrize("slug", texts.ORDER)
def test_a_companion_is_as_its_text_makes_it_and_has_no_outputs(slug):
    held = companions.path(slug).read_text(encoding="utf-8")
    assert held == notebook.serialise(companions.notebook(slug, Course())), f"python -m learning.build {slug}"
    book = json.loads(held)
    for cell in book["cells"]:
        assert re.fullmatch(r"[a-zA-Z0-9-]{1,64}", cell["id"]) and not cell.get("outputs")
        assert "nbgrader" not in cell["metadata"]
    assert book["cells"][1]["id"] == "bootstrap" and text_of(book["cells"][1]).count("\n") < 12
    assert len([cell for cell in book["cells"] if cell["id"].startswith("show-")]) >= 1


def test_the_bootstrap_is_the_lessons_and_fetches_the_tag_where_the_course_is_published():
    title, bootstrap, *_ = companions.cells("worksheet", PUBLISHED)
    assert "github/someone/kernels/blob/v1/notebooks/worksheet.ipynb" in title.source
    assert '"https://github.com/someone/kernels/releases/download/v1/triton_kernel_course-' in bootstrap.source
    assert bootstrap.source.endswith('learning.companions.begin("worksheet")') and bootstrap.source.count("\n") < 12
    assert "colab" not in companions.cells("worksheet", Course())[0].source


def test_what_is_wrong_with_a_text_is_told_with_its_line(folder):
    assert "does not begin with its title" in complaint("## No title\n", folder)
    assert "line 5: a code cell has a name" in complaint("# T\n\ntext\n\n```python\n1\n```\n", folder)
    assert "unknown attribute points" in complaint('# T\n\n```python name="a" points="1"\n1\n```\n', folder)
    assert "two cells are called show-a" in complaint(
        '# T\n\n```python name="a"\n1\n```\n\n```python name="a"\n2\n```\n', folder
    )
    assert "pull='prices'" in complaint('# T\n\n<!-- #region pull="prices" -->\n<!-- #endregion -->\n', folder)
    assert "start_here.md line" in complaint("# T\n\n```bash\nls\n```\n", folder)


def test_a_missing_text_and_a_stranger_are_named(folder):
    place = folder("# T\n")
    (place / "worksheet.md").unlink()
    (place / "diary.md").write_text("# D\n")
    with pytest.raises(BuildError, match=r"(?s)worksheet\.md.*is missing.*diary\.md.*is no companion"):
        companions.slugs(place)


@pytest.mark.slow
def test_drift_is_named_and_building_mends_it(tmp_path, capsys):
    for name in ("grader_config.py", "nbgrader_config.py"):
        (tmp_path / name).write_text((ROOT / name).read_text())
    assert companions.write(list(texts.ORDER), tmp_path) == [] and companions.check(tmp_path) == []
    assert capsys.readouterr().out.count("written") == len(texts.ORDER)
    assert companions.write(["glossary"], tmp_path) == [] and "up to date" in capsys.readouterr().out
    page = tmp_path / "notebooks" / "glossary.ipynb"
    page.write_text(
        page.read_text().replace(
            '"outputs": []', '"outputs": [{"name": "stdout", "output_type": "stream", "text": ["x"]}]', 1
        )
    )
    (tmp_path / "notebooks" / "portfolio.ipynb").unlink()
    (tmp_path / "notebooks" / "notes.txt").write_text("mine")
    told = "\n".join(map(str, companions.check(tmp_path)))
    assert (
        "glossary.ipynb, notebook: has been run, edited or left behind" in told
        and "python -m learning.build glossary" in told
    )
    assert "portfolio.ipynb, notebook: is missing" in told and "notes.txt, file: is no companion" in told


def test_an_edit_in_a_companions_notebook_is_not_built_over_and_a_run_is_none(tmp_path, capsys):
    assert companions.write(["worksheet"], tmp_path) == []
    file = companions.path("worksheet", tmp_path)
    whole, book = file.read_bytes(), json.loads(file.read_bytes())
    book["cells"][1] |= {"execution_count": 3, "outputs": [{"output_type": "stream", "name": "stdout", "text": "run"}]}
    file.write_text(json.dumps(book))
    assert companions.write(["worksheet"], tmp_path) == [] and file.read_bytes() == whole
    book["cells"][2]["source"] = "What I wrote here."
    file.write_text(json.dumps(book))
    held = file.read_bytes()
    (told,) = companions.write(["worksheet"], tmp_path)
    assert "holds edits" in str(told) and "learning/companions/worksheet.md" in str(told) and file.read_bytes() == held
    assert companions.write(["worksheet"], tmp_path, force=True) == [] and file.read_bytes() == whole


def test_a_damaged_companion_or_one_that_is_a_link_is_named_and_left(tmp_path):
    file = companions.path("glossary", tmp_path)
    file.parent.mkdir()
    file.write_text('{"cells": [')
    (told,) = companions.write(["glossary"], tmp_path)
    assert "is no notebook" in str(told) and "keep a copy" in str(told) and file.read_text() == '{"cells": ['
    file.rename(tmp_path / "elsewhere.ipynb")
    file.symlink_to(tmp_path / "elsewhere.ipynb")
    (told,) = companions.write(["glossary"], tmp_path, force=True)
    assert "is reached by a link" in str(told) and (tmp_path / "elsewhere.ipynb").read_text() == '{"cells": ['


def test_pulling_a_companion_by_name_says_where_its_text_is_edited(capsys):
    assert commands.main(["--pull", "glossary"]) == 1
    assert "learning/companions/glossary.md" in capsys.readouterr().err


def test_the_command_builds_and_checks_companions_by_name(capsys):
    assert commands.main(["glossary", "worksheet"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "notebooks/glossary.ipynb: up to date",
        "notebooks/worksheet.ipynb: up to date",
    ]
    assert commands.main(["glosary"]) == 64


@pytest.fixture
def secret():
    """The hidden region of an answer, as a lesson's cells hold it."""
    lines = [
        "total = tl.sum(values * weights, axis=0)",
        "tl.store(out_ptr + rows, total / count, mask=rows < n_rows)",
        "return out",
    ]
    return "toy", leaks.Secret("answer-toy", "SOLUTION", "answer.py", lines[:2])


def test_a_companion_that_shows_an_answers_lines_is_refused(secret, folder):
    shown = "```python\n" + "\n".join(secret[1].lines) + "\n```"
    cells = companions.cells("start_here", Course(), folder(f"# T\n\n## How?\n\n{shown.replace('python', 'text')}\n"))
    (told,) = companions.leaked("start_here", cells, [secret])
    assert "cell text-how shows a line of answer-toy of toy" in str(told)
    assert not companions.leaked("start_here", companions.cells("start_here", Course()), [secret])


@pytest.mark.slow
def test_no_companion_holds_a_line_of_an_answer_or_of_a_hidden_check():
    secrets = [
        (one.slug, secret) for one in lessons.discover() for secret in leaks.secrets(notebook.assemble(one).cells)
    ]
    assert len(secrets) > 50
    for slug in texts.ORDER:
        assert not companions.leaked(slug, companions.cells(slug, Course()), secrets)


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """``ran(slug)``: the companion's cells after a run in a real kernel that begins in ``notebooks/``, by id."""
    nbclient = pytest.importorskip("nbclient")
    import nbformat

    monkeypatch.setenv("LEARNING_WORK", str(tmp_path / "work"))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    for name in ("COLAB_RELEASE_TAG", "JPY_SESSION_NAME"):
        monkeypatch.delenv(name, raising=False)

    def executed(slug, place=ROOT / "notebooks"):
        book = nbformat.read(companions.path(slug), 4)
        client = nbclient.NotebookClient(
            book, timeout=240, kernel_name="python3", resources={"metadata": {"path": os.fspath(place)}}
        )
        client.execute()
        return {cell.id: cell for cell in book.cells if cell.cell_type == "code"}

    return executed


EXPECTED = {
    "start_here": ("show-machine", "runs here"),
    "checklist_and_plan": ("show-overview", "0/12"),
    "gotchas_ledger": ("show-run-one", "bites"),
    "blank_page": ("show-draw", "Next on the ladder"),
    "glossary": ("show-look-up", "owns"),
    "worksheet": ("show-plan", "Nothing is kept yet"),
    "capstones": ("show-capstones", "wide"),
    "portfolio": ("show-portfolio", "Nothing is recorded yet"),
    "reference_results": ("show-speed", "no evidence of your own completion"),
    "for_instructors": ("show-lessons", "by hand"),
}


@pytest.mark.parametrize(
    "slug", [FAST, *(pytest.param(slug, marks=pytest.mark.slow) for slug in texts.ORDER if slug != FAST)]
)
def test_a_companion_runs_from_top_to_bottom_and_shows_what_it_should(slug, ran):
    cells = ran(slug)
    cell, words = EXPECTED[slug]
    shown = str([output.get("data") for output in cells[cell].outputs])
    assert words in shown and "text/html" in shown
    noise = [o.text for c in cells.values() for o in c.outputs if o.output_type == "stream" and o.name == "stderr"]
    assert not noise
    assert "gates proved" in str(cells["bootstrap"].outputs)


def test_the_bootstrap_finds_the_course_around_it_or_says_what_to_do(tmp_path):
    source = companions.cells("glossary", Course())[1].source

    def run(place):
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run(
            [sys.executable, "-S", "-c", source], cwd=place, capture_output=True, text=True, env=environment
        )

    assert run(ROOT / "notebooks").returncode == 0
    away = run(tmp_path)
    assert away.returncode == 1 and "The course is not here: clone its repository" in away.stderr


def test_a_companion_is_named_in_the_readme_and_at_the_start():
    start = (texts.FOLDER / "start_here.md").read_text(encoding="utf-8")
    readme = (Path(ROOT) / "README.md").read_text(encoding="utf-8")
    assert "notebooks/start_here.ipynb" in readme
    for slug in texts.ORDER[1:]:
        assert f"({slug}.ipynb)" in start, slug
