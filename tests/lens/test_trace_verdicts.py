"""docs/trace-verdicts.md is of the lessons as they stand, and its tool makes the same section again."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("trace_verdicts", ROOT / "tools" / "trace_verdicts.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_of_the_current_sources(tool):
    old = tool.stale(tool.PAGE.read_text(encoding="utf-8"))
    assert not old, f"docs/trace-verdicts.md is of other sources: run {tool.COMMAND} {' '.join(old)}"


def test_every_attempt_of_every_lesson_with_kernels_has_a_row(tool):
    text = tool.PAGE.read_text(encoding="utf-8")
    sections = text.split("\n## ")[1:]
    assert len(sections) == len(tool.gpu_lessons())
    for card, section in zip(tool.gpu_lessons(), sections, strict=True):
        rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
        assert len(rows) == len(tool.attempts.attempts(card)), card.slug
        scratch = "scratch=" in (card.folder / "checks.py").read_text(encoding="utf-8")  # a check that states how much
        wanted = r"(clean|\d+ bytes to and from other memory)" if scratch else "clean"
        assert rows[0].startswith("| **the answer** |") and re.search(rf"\| {wanted} \|$", rows[0]), card.slug
        assert all("reads element" not in row and "writes element" not in row for row in rows if "| variant" in row)


def test_a_changed_missing_or_forgotten_section_is_named(tool):
    text = tool.PAGE.read_text(encoding="utf-8")
    digest = tool.sources(tool.gpu_lessons()[0])
    assert tool.stale(text.replace(digest, "0" * 16)) == [tool.gpu_lessons()[0].slug]
    assert set(tool.stale("")) == {card.slug for card in tool.gpu_lessons()}
    gone = text + "\n## L99 Gone (`gone`)\n\n<!-- sources 0123456789abcdef -->\n"
    assert tool.stale(gone) == ["gone"]


@pytest.mark.slow
def test_a_section_made_again_is_the_same(python, tool):
    done = python(
        "import sys; from learning.lens import device; device.open('interpreter')\n"
        f"sys.path.insert(0, {str(ROOT / 'tools')!r}); import trace_verdicts as tool\n"
        "sys.stdout.write(tool.section(tool.gpu_lessons()[0]))"
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout and done.stdout in tool.PAGE.read_text(encoding="utf-8")
