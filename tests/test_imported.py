"""What a verdict depends on, read from the sources, holds all that a real judge and its worker load."""

from __future__ import annotations

import ast
import json
import subprocess
import sys

import pytest

from learning import course, imported

GRADES = """
import json, sys
from learning import lesson as lessons
from learning.attempts import answer
from learning.judge.cells import LearnerCells
from learning.judge.engine import grade

lesson = lessons.load("online_normalizer")
graded = grade(lesson, LearnerCells.from_python(answer(lesson).source), device="cpu")
assert all(result.state == "passed" for result in graded.results)
print(json.dumps([m.__file__ for name, m in sys.modules.items() if name.split(".")[0] == "learning"]))
"""


def test_what_a_judging_process_loads_is_among_the_files_read_from_the_sources():
    done = subprocess.run(
        [sys.executable, "-c", GRADES], cwd=course.ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    loaded = {name for name in json.loads(done.stdout.splitlines()[-1]) if not name.endswith("attempts.py")}
    known = {str(path) for path in imported.judging("online_normalizer")}
    assert len(loaded) > 20 and loaded <= known, sorted(loaded - known)


def test_a_lesson_depends_on_what_its_own_files_import_and_not_on_what_only_notebooks_draw():
    names = {path.relative_to(imported.PACKAGE).as_posix() for path in imported.judging("vector_add")}
    assert {"bench/plan.py", "lens/roofline.py", "judge/held.py", "lessons/vector_add/answer.py"} <= names
    assert not any(name.startswith(("widgets/", "grading/", "workshops/", "lessons/softmax/")) for name in names)


def test_the_hash_follows_any_byte_and_any_name(tmp_path, monkeypatch):
    monkeypatch.setattr(imported, "PACKAGE", tmp_path)
    first, second = tmp_path / "a.py", tmp_path / "b.py"
    first.write_text("x = 1\n"), second.write_text("")
    before = imported.sha256([first, second])
    first.write_text("x = 2\n")
    assert imported.sha256([first, second]) != before != imported.sha256([first])
    first.write_text("x = 1\n")
    assert imported.sha256([first, second]) == before


def test_the_hash_of_code_follows_code_and_names_and_no_comment(tmp_path, monkeypatch):
    monkeypatch.setattr(imported, "PACKAGE", tmp_path)
    first, second = tmp_path / "a.py", tmp_path / "b.py"
    first.write_text("x = 1\n"), second.write_text("x = 1\n")
    before = imported.code_sha256([first])
    assert imported.code_sha256([second]) != before != imported.code_sha256([first, second])
    first.write_text('"""What it is."""\n\nx = 1  # one\n')
    assert imported.code_sha256([first]) == before != imported.sha256([first])
    first.write_text("x = 2\n")
    assert imported.code_sha256([first]) != before


def test_imports_in_functions_and_of_packages_count_and_rings_end(tmp_path, monkeypatch):
    package = tmp_path / "learning"
    (package / "room").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "room" / "__init__.py").write_text("import learning.hall\n")
    (package / "hall.py").write_text("def late():\n    from learning.room import chair\n")
    (package / "room" / "chair.py").write_text("import learning.hall, torch\nfrom learning import nothing_here\n")
    (package / "alone.py").write_text("")
    monkeypatch.setattr(imported, "PACKAGE", package)
    names = [path.relative_to(package).as_posix() for path in imported.files("learning.room.chair")]
    assert names == ["__init__.py", "hall.py", "room/__init__.py", "room/chair.py"]


def test_a_name_that_is_no_module_is_refused():
    with pytest.raises(LookupError, match=r"learning\.nowhere is no module of learning"):
        imported.files("learning.nowhere")


def test_imports_are_found_wherever_a_statement_may_stand():
    """A walk over statements finds what a walk over every node does, in this package and in the nooks of the grammar."""
    nooks = (
        "try:\n import learning.a\nexcept OSError:\n import learning.b\nelse:\n import learning.c\nfinally:\n import learning.d\n"
        "match 1:\n case 1:\n  from learning import e\nwith x as y:\n  async def f():\n    class C: import learning.g\n"
        "for _ in x:\n pass\nelse:\n import learning.h\nwhile x: import learning.i\nif x: pass\nelif y: import learning.j"
    )
    sources = [nooks, *(path.read_text(encoding="utf-8") for path in imported.files("learning.judge.engine"))]
    for tree in map(ast.parse, sources):
        imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
        assert sorted(imported._names(tree)) == sorted(
            name for node in imports for name in imported._names(ast.Module([node], []))
        )
    assert len(list(imported._names(ast.parse(nooks)))) == 10
