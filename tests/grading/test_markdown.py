"""What a learner writes reaches the grader's page as text, lists, tables, code and pictures, and as nothing that acts."""

import functools
import re

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbconvert.exporters import HTMLExporter
from nbgrader.server_extensions.formgrader.handlers import template_path

from learning.grading.markdown import harmless, shown
from learning.grading.outcome import Placed
from learning.grading.rebuild import _added

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
HARMLESS = [
    "# A heading\n\n- a list\n- [x] done\n\n1. *first* and **second** and ~~third~~\n\n> said `so`\n\n---",
    "| a | b |\n|---|:-:|\n| 1 | $x < y$ |\n\n```python\nif x < 2 and y > 3:\n    pass\n```\n\n    indented <b>",
    "See [the paper](https://example.org/a?b=c&d=e \"its 'title'\"), <https://example.org> and [above](#A-heading).",
    "$$\\begin{align} m &= \\max(a, b) \\\\ d &< 3 \\end{align}$$ 1 < 2 & 3 > 2<br>H<sub>2</sub>O, x<sup>2</sup>, <kbd>Run</kbd>",
    "Grüße, 漢字, 🙂, \u202e and \x1b[31m",
]
ACTS = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)//", "<svg onload=alert(1)>",
    "[x](javascript:alert(1))", "[x](JaVa\tScript:alert(1))", "<javascript:alert(1)>", "[x](&#106;avascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)", "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<form action=//evil><input name=a></form>", "<base href=//evil>", "<style>*{display:none}</style>", "<a href='x'onclick=a()>",
    "<meta http-equiv=refresh content='0;url=//evil'>", "![x](http://evil/seen.png)", "![x](/hub/logout)", "<!-- <script> -->",
    "$\\href{javascript:alert(1)}{x}$", "<div class='navbar-fixed-top'>Full marks</div>", "<p id='formgrade-score'>", "<p style='position:fixed'>",
    "<a/href=javascript:alert(1)>x", "<details ontoggle=alert(1) open>", "![x](attachment:none.png)", "<math href=javascript:a>",
    "<b\nonmouseover=alert(1)>x</b>", "<ScRiPt>alert(1)</sCrIpT>", "<p title=\"a\" onclick='b'>",
]  # fmt: skip
ALLOWED = re.compile(
    r"<(script|img|svg|iframe|form|base|style|meta|a|math|details|div|p|b)\b[^>]*(on\w+\s*=|script:|evil|srcdoc)"
)


RESOURCES = dict.fromkeys(
    ("assignment_id", "submission_id", "notebook_id", "base_url", "prev", "next", "student", "mathjax_url"), ""
) | {"index": 0, "total": 1}


@functools.cache
def formgrader() -> HTMLExporter:
    """Formgrader's own exporter and template."""
    return HTMLExporter(template_name="formgrade", extra_template_basedirs=[template_path], sanitize_html=True)


def page_of(*cells) -> str:
    """The cells as a grader sees them."""
    notebook = nbformat.v4.new_notebook(cells=list(cells))
    return formgrader().from_notebook_node(notebook, resources=dict(RESOURCES))[0].partition("<body")[2]


def in_formgrader(*cells: Placed) -> str:
    """The learner's cells, added to a notebook, as a grader sees them."""
    return page_of(*(_added(cell, number) for number, cell in enumerate(cells)))


@pytest.mark.parametrize("text", HARMLESS)
def test_plain_markdown_is_shown_as_it_is(text):
    assert shown(text) == text


def test_a_pasted_picture_is_shown():
    text, attachments = "![mine](attachment:mine.png)", {"mine.png": {"image/png": PIXEL}}
    assert shown(text, attachments) == text
    assert PIXEL in in_formgrader(Placed(0, True, "markdown", text, attachments))


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_what_would_act_is_shown_as_text(kind):
    before = in_formgrader(*[Placed(0, True, kind, "nothing") for _ in ACTS])
    page = in_formgrader(*[Placed(0, True, kind, text) for text in ACTS])
    assert not ALLOWED.findall(page) and page.count("<script") == before.count("<script")
    assert page.count("Shown as it was typed") >= len(ACTS) - 4  # four are no markup at all, as Markdown reads them


def test_formgraders_own_template_runs_what_it_is_given():
    """Else all of this would be needless."""
    assert "<script>alert(1)" in page_of(nbformat.v4.new_markdown_cell("<script>alert(1)</script>"))


@pytest.mark.timeout(120)
def test_what_would_never_be_rendered_is_shown_in_a_moment():
    endless = ["[" * 60_000, "\\begin{a}" * 40_000, "[a](" * 40_000, "```\n" * 20_000]
    page = in_formgrader(*[Placed(0, True, "markdown", text) for text in endless])
    assert page.count("Shown as it was typed") == len(endless)


PIECES = st.sampled_from(
    [
        "<",
        ">",
        "</",
        "/>",
        "script",
        "img",
        "a",
        " onload",
        "=",
        '"',
        "'",
        "href",
        "javascript:",
        "x",
        "\n",
        "!--",
        "`",
        "&lt;",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_harmless_html_has_nothing_but_known_tags(text):
    if harmless(text):
        assert not re.search(r"<\s*(script|img[^>]*onload)|<[a-z][^>]*(\son|javascript:)", text), text
