"""Every link inside the course leads somewhere: in its pages, its companions and its lessons."""

import json
import re
from pathlib import Path

import pytest

from learning import companions, course
from learning import lesson as lessons

ROOT = Path(course.__file__).parents[1]
NAMES = ("README.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md")
PAGES = [*(ROOT / name for name in NAMES), *sorted((ROOT / "docs").glob("*.md"))]
BOOKS = [ROOT / "notebooks" / f"{slug}.ipynb" for slug in companions.ORDER]
LESSONS = [path(slug) for slug in lessons.slugs() for path in (course.release, course.source) if path(slug).is_file()]
_LINK = re.compile(r"(?<!\\)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def text(path):
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join(course.text(cell) for cell in cells if cell["cell_type"] == "markdown")


def links(path):
    prose = re.sub(r"`[^`\n]*`", "", _FENCE.sub("", text(path)))
    return [target for target in _LINK.findall(prose) if not re.match(r"(?:https?|attachment|mailto):", target)]


def anchors(path):
    """Headings as GitHub and JupyterLab address them."""
    headings = re.findall(r"^#{1,6}\s+(.+?)\s*$", _FENCE.sub("", text(path)), re.MULTILINE)
    plain = [re.sub(r"[`*]", "", heading) for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain} | {
        heading.replace(" ", "-") for heading in plain
    }


@pytest.mark.parametrize("path", [*PAGES, *BOOKS, *LESSONS], ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_its_heading(path):
    broken = []
    for target in links(path):
        name, _, heading = target.partition("#")
        aim = (path.parent / name).resolve() if name else path
        if not aim.exists() or (heading and aim.is_file() and heading not in anchors(aim)):
            broken.append(target)
    assert not broken


def test_there_are_links_to_follow():
    assert sum(len(links(path)) for path in PAGES) > 10 and sum(len(links(path)) for path in BOOKS) > 100
