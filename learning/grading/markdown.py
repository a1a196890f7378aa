"""A learner's Markdown as formgrader may show it: as it is where the page it becomes is harmless, else as plain text.

Formgrader's template puts what ``markdown2html`` makes into the grader's page without cleaning it, whatever ``sanitize_html``
says: a script in an answer would run with the grader's rights and could give itself points. So each cell is rendered here
first, and what comes out is held against a short list of tags, attributes and addresses.
"""

# ruff: noqa: SIM905 (word lists read better as words)

from __future__ import annotations

import html
import re

from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from learning.judge.describe import cut

MOST_MARKDOWN, MOST_FORMULAS, MOST_LINKS = 50_000, 300, 2000
"""Characters of a cell, formulas and opened brackets in it, that nbconvert renders within a second: its time grows with the
square of the last two."""
MOST_TEXT = 20_000
"""Characters that are shown as text, as in feedback; the submitted file holds the rest."""

_TOKEN = re.compile(r'[^<]+|</[a-z][a-z0-9]*\s*>|<([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"<>]*")?)*)\s*/?>')
_ATTRIBUTE = re.compile(r'([a-z-]+)(?:="([^"<>]*)")?')
_TAGS = frozenset(
    "p a b i u s em strong code pre div span ul ol li h1 h2 h3 h4 h5 h6 blockquote hr br del table thead tbody tr th td img "
    "input sup sub kbd small details summary".split()
)
_CLASSES = re.compile(r"highlight|anchor-link|task-list-item(-checkbox)?|[a-z0-9]{1,3}")
"""Of code's colours, headings and lists of tasks; others belong to the grader's page."""
_PICTURE = re.compile(r"data:image/(png|jpeg|gif);base64,[A-Za-z0-9+/=\s]*|attachment:.*", re.DOTALL)
_FORMULAS = re.compile(r"\\(href|url|require|style|cssId|class|mmlToken|bbox|html\w*|data)\b")
"""What of MathJax's language makes links and styles."""


def shown(source: str, attachments: dict | None = None) -> str:
    """``source``, or the same characters in a fence of plain text, with the reason above it."""
    why = unshowable(source, attachments)
    return fenced(source, why) if why else source


def fenced(source: str, why: str) -> str:
    """The first ``MOST_TEXT`` characters of ``source`` (fewer of endless brackets) as text that no backticks of its own can
    end."""
    source = cut(source, MOST_TEXT if source.count("[") <= MOST_LINKS else MOST_LINKS)
    longest = max((len(run) for run in re.findall("`+", source)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"*Shown as it was typed, because {why}.*\n\n{fence}text\n{source}\n{fence}"


def unshowable(source: str, attachments: dict | None = None) -> str:
    """Why a grader's page cannot show this Markdown, as a clause; "" where it can."""
    if len(source) > MOST_MARKDOWN or source.count("\\begin") > MOST_FORMULAS or source.count("[") > MOST_LINKS:
        return "it is longer than a grader's page can show"
    if _FORMULAS.search(html.unescape(source)):
        return "a formula in it makes a link or a style"
    try:
        made = MarkdownWithMath(IPythonRenderer(escape=False, attachments=attachments or {})).render(source)
    except Exception:  # an attachment that is not there; formgrader would show an error in the place of the notebook
        return "it cannot be shown otherwise: is a picture in it missing?"
    return "" if harmless(made) else "it holds HTML or an address that a grader's page must not follow"


def harmless(made: str) -> bool:
    """Whether HTML is made of nothing but the tags, attributes and addresses of plain text, lists, tables, code and pictures."""
    place = 0
    while place < len(made):
        token = _TOKEN.match(made, place)
        if token is None:
            return False
        place = token.end()
        if token[1] and not _harmless_tag(token[1], token[2]):
            return False
    return True


def _harmless_tag(tag: str, attributes: str) -> bool:
    return tag in _TAGS and all(_harmless_attribute(tag, *pair) for pair in _ATTRIBUTE.findall(attributes))


def _harmless_attribute(tag: str, name: str, value: str) -> bool:
    value = html.unescape(value)
    if name == "href":
        scheme = re.match(r"([^/?#]*):", re.sub(r"[\x00-\x20]", "", value))
        return tag == "a" and (scheme is None or scheme[1].lower() in ("http", "https", "mailto"))
    if name == "src":
        return tag == "img" and _PICTURE.fullmatch(value) is not None
    if name == "class":
        return all(_CLASSES.fullmatch(word) for word in value.split())
    if name == "id":
        return re.fullmatch("h[1-6]", tag) is not None
    if name == "style":
        return re.fullmatch(r"text-align:\s*(left|right|center);?", value) is not None
    if name == "type":
        return value == "checkbox"
    return name in ("title", "alt", "disabled", "checked", "start", "open", "align")
