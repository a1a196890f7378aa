"""The learner's page tells what its reader may know, as text."""

from hypothesis import given
from hypothesis import strategies as st

from learning.grading import report, save
from learning.grading.feedback import page, reasons, veiled
from learning.grading.outcome import GRADED, Outcome, Placed
from learning.judge.engine import Graded
from learning.judge.finding import BROKEN, CheckResult, Fault, Finding

SAID = st.text(max_size=30) | st.sampled_from(["<script>alert(1)</script>", "<img src=x onerror=y>", "'\"&", "</pre>"])


def shown(result: CheckResult, **outcome) -> str:
    graded = Graded("vector_add", 1, "interpreter", "held", results=[result])
    outcome = Outcome(GRADED, lesson="vector_add", graded=graded, **outcome)
    saved = save.Saved("bob", GRADED, outcome, None)
    return page(saved, report.Points("bob", GRADED, saved=saved), {}, {})


@given(SAID, SAID, SAID, st.booleans())
def test_whatever_a_learner_writes_is_shown_as_text(message, line, cell, hidden):
    fault = Fault("ValueError", message, "answer", 3, line)
    result = CheckResult("adds", "adds", 2.0, hidden=hidden, finding=Finding("fault", called="add(x)", fault=fault))
    html = shown(result, cells=[Placed(0, True, "code", cell)], notes=[message])
    for tag in ("<script", "<img"):
        assert tag not in html.lower()
    assert html.count("<pre>") == html.count("</pre>") == (1 if cell.strip() else 0)


@given(st.floats(-1e6, 1e6).filter(lambda x: x != int(x)), st.booleans())
def test_a_hidden_input_cannot_be_read_off_an_exception(value, wrap):
    said = f"tensor([{value!r}])" if wrap else repr(value)
    fault = Fault("ValueError", f"x was {said}", "answer", 3, "raise")
    finding = Finding("fault", called="add(x)  # x: float32[7]", got=said, expected=said, fault=fault, seed=5, case="7")
    hidden = reasons(CheckResult("adds", "adds", 2.0, hidden=True, finding=finding))
    public = reasons(CheckResult("adds", "adds", 2.0, hidden=False, finding=finding))
    assert repr(value) not in " ".join(hidden) and "seed" not in " ".join(hidden)
    assert repr(value) in " ".join(public) and "seed 5" in " ".join(public)
    assert "called: add(x) # x: float32[7]" in hidden


def test_a_hidden_check_keeps_what_was_returned_and_where_to_itself():
    finding = Finding("wrong values", called="add(x, y)  # x, y: float16[31]", got="3", expected="4", where="row 2")
    lines = reasons(CheckResult("adds", "adds", 2.0, hidden=True, finding=finding))
    assert lines == ["called: add(x, y) # x, y: float16[31]", "rule: wrong values"]


def test_a_long_message_is_cut():
    assert len(veiled("a" * 4000)) == 160


def test_a_fault_of_the_grader_is_never_told_as_the_learners():
    finding = Finding("judge", got="KeyError: 'secret path'", advice="report it")
    lines = reasons(CheckResult("adds", "adds", 2.0, state=BROKEN, finding=finding))
    assert lines == ["the grader failed here, not you; it is being looked at"]


def test_a_page_before_any_grade_says_so():
    html = page(None, report.Points("bob", "regrade pending"), {"explain": "see <me>"}, {"explain": "3 of 4 points"})
    assert "being graded again" in html and "see &lt;me&gt;" in html and "3 of 4 points" in html


def test_an_untouched_starter_is_told_in_one_line_a_check():
    finding = Finding("todo", called="add(…)", got="the starter, unchanged", expected="your answer", advice="write it")
    assert reasons(CheckResult("adds", "adds", 2.0, finding=finding)) == ["write it"]


def test_the_explanation_is_called_what_its_author_calls_it():
    by_hand, comments = {"explain_explanation": "3 of 4 points"}, {"explain_explanation": "good"}
    html = page(None, report.Points("bob", GRADED), comments, by_hand)
    assert "<h2>Your explanation</h2>" in html and "<h2>Comment on your explanation</h2>" in html
