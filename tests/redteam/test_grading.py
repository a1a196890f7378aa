"""Attacks on whoever reads and keeps grades: markup and escapes in every text, two graders at once, forged store files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning.grading import feedback, report, save
from learning.grading.outcome import GRADED, Outcome, Placed
from learning.grading.rebuild import escape
from learning.grading.store import Store
from learning.grading.writer import Busy, only_one
from learning.judge.engine import Graded
from learning.judge.finding import FAILED, CheckResult, Fault, Finding
from learning.unseen import spelt_out
from tests.grading.kit import ROOT, Course

LESSON = "online_normalizer"
TAGS = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "strong", "table", "tr", "th", "td", "br", "ul", "li",
    "pre",
}  # fmt: skip
EVIL = st.sampled_from(
    [
        "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</pre><iframe src=//evil>", "\" onload=\"x", "&lt;b&gt;",
        "javascript:alert(1)", "<!--", "]]>", "</title><svg/onload=x>", "\x1b]0;owned\x07", "\u202egnp.exe", "$\\input{x}$",
    ]
) | st.text(max_size=12)  # fmt: skip


class Reader(HTMLParser):
    """Notes every tag and attribute a browser would see."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes = set(), set()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}


def told(texts) -> Outcome:
    """An outcome in which every text a learner has a hand in is one of ``texts``."""
    take = iter(texts)
    fault = Fault(next(take), next(take), next(take), 3, next(take))
    finding = Finding("fault", called=next(take), got=next(take), where=next(take), fault=fault)
    results = [
        CheckResult("adds", "adds", 2.0, state=FAILED, finding=finding, skipped=[next(take)], notes=[next(take)])
    ]
    graded = Graded(next(take), 1, "cpu", "held", results=results, faults=[fault], dropped=[next(take)])
    cells = [Placed(0, True, "markdown", next(take)), Placed(1, False, "code", next(take))]
    return Outcome(GRADED, lesson=next(take), cells=cells, notes=[next(take)], graded=graded)


@settings(max_examples=60, deadline=None)
@given(st.lists(EVIL, min_size=17, max_size=17))
def test_no_text_of_a_learner_becomes_markup_in_feedback(texts):
    outcome = told(texts)
    saved = save.Saved("eve", GRADED, outcome, None)
    page = feedback.page(saved, report.Points("eve", GRADED, saved=saved), {texts[0]: texts[1]}, {texts[2]: texts[3]})
    reader = Reader()
    reader.feed(page)
    assert reader.tags <= TAGS and reader.attributes <= {"lang", "charset", "name", "content", "http-equiv", "class"}
    assert "default-src 'none'" in page


@settings(max_examples=60, deadline=None)
@given(st.lists(EVIL, min_size=17, max_size=17))
def test_no_text_of_a_learner_moves_the_graders_cursor(texts):
    outcome = told(texts)
    saved = save.Saved("eve", GRADED, outcome, None)
    rows = [report.Points("eve", GRADED, saved=saved)]
    for line in [*report.details(rows[0]), *report.table(rows), report.one_line("eve", outcome)]:
        shown = spelt_out(line, line=True)
        assert all(c.isprintable() or c == "\t" for c in shown)


@settings(max_examples=100, deadline=None)
@given(EVIL)
def test_no_text_of_a_learner_becomes_markup_in_a_notebooks_notice(text):
    from nbconvert.filters import markdown2html

    reader = Reader()
    reader.feed(str(markdown2html(f"- {escape(text)}")))
    assert reader.tags <= {"ul", "li", "p"}, reader.tags


def test_a_forged_result_of_another_key_is_never_found(tmp_path):
    """A result is found by the hash of everything it depends on; a file with another name, or with a scrap in it, is none."""
    store = Store(tmp_path)
    store.keep("ab" * 32, Outcome(GRADED, lesson="x"))
    path = next(tmp_path.rglob("*.json"))
    for text in ("{}", "[]", "null", '{"state": 3}', '{"state": "graded", "points": 20}', "\0"):
        path.write_text(text)
        found = store.find("ab" * 32)
        assert found is None or found.graded is None, text
    assert store.find("cd" * 32) is None


def test_who_grades_holds_the_only_pen(tmp_path):
    with only_one(tmp_path):
        code = (
            "import sys; from pathlib import Path; from learning.grading.writer import Busy, only_one\n"
            "try:\n    with only_one(Path(sys.argv[1])): pass\nexcept Busy as busy: sys.exit(str(busy))"
        )
        done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, capture_output=True, text=True)
        assert (
            done.returncode == 1
            and f"by process {os.getpid()}" in done.stderr
            and "run the command again" in done.stderr
        )
    with only_one(tmp_path):
        pass


def test_the_pen_of_a_killed_grader_is_free(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from learning.grading.writer import only_one\n"
        "with only_one(Path(sys.argv[1])):\n    print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(Busy, match=str(holder.pid)), only_one(tmp_path):
        pass
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    with only_one(tmp_path):
        pass


@pytest.fixture
def course(tmp_path) -> Course:
    """A course of the CPU lesson with three right answers."""
    made = Course.make(tmp_path / "course", LESSON)
    for name in ("ada", "bob", "cyd"):
        notebook = made.answered(LESSON)
        notebook["cells"].append({"cell_type": "code", "metadata": {}, "source": f"mine = {name!r}", "outputs": []})
        made.submit(name, LESSON, notebook)
    (made.root / "home").mkdir()
    return made


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_two_graders_at_once_leave_one_set_of_right_grades(course):
    command = [sys.executable, "-m", "nbgrader", "autograde", LESSON]
    runs = []
    for _ in range(3):  # the second and third begin while the first grades
        runs.append(
            subprocess.Popen(command, cwd=course.root, env=course.environment(), stderr=subprocess.PIPE, text=True)
        )
        time.sleep(0.7)
    ends = [(run.communicate(timeout=300)[1], run.returncode) for run in runs]
    assert any(code == 0 for _, code in ends)
    for errors, code in ends:
        assert code == 0 or "this course is being graded already" in errors, errors[-2000:]
    assert set(course.state(LESSON).values()) == {"graded"}
    for cells in course.scores(LESSON).values():
        assert sum(automatic or 0.0 for automatic, _, _ in cells.values()) == 16.0
    kept = [json.loads(path.read_text()) for path in (course.root / ".grading" / "results").glob("*/*.json")]
    assert len(kept) == 3
