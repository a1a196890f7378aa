"""What the supplied answers measured, as their records tell it. Standard library only."""

from __future__ import annotations

from learning import course
from learning.sheet import Sheet

SENTENCE = (
    "These are numbers of the supplied answers on the machines named. They are no evidence of your own completion."
)


def reference(part: str = "") -> Sheet:
    """The page that docs/reference-results.md holds, made from the same records; ``part`` keeps the sections whose heading holds
    that word."""
    page = _page().split("\n", 1)[1]
    if part:
        _, *sections = page.split("\n## ")
        kept = [section for section in _sections(sections) if part.lower() in section.split("\n", 1)[0].lower()]
        if not kept:
            return Sheet(SENTENCE, f"No section's heading holds {part!r}.")
        page = "\n\n".join(f"## {section}" for section in kept)
    return Sheet(SENTENCE, page)


def _page() -> str:
    """The page made now; where the lessons' plans cannot be read for lack of torch, as it was made last."""
    try:
        from learning.bench import results

        return results.page()
    except ImportError:
        page = course.ROOT / "docs" / "reference-results.md"
        return (
            page.read_text(encoding="utf-8")
            if page.is_file()
            else "# Reference results\n\nThe records are not at hand here."
        )


def _sections(parts: list[str]) -> list[str]:
    """Sections of both levels, a lesson's own being one."""
    found = []
    for part in parts:
        head, *lessons = part.split("\n### ")
        found += [head, *lessons]
    return found
