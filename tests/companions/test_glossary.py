"""The glossary knows every term that a lesson introduces in bold, and sends nobody to a lesson that does not exist."""

import pytest

from learning import lesson as lessons
from learning.companions import glossary


def test_terms_are_told_once_in_whole_sentences_with_the_lesson_that_first_needs_them():
    found = glossary.terms()
    assert len(found) > 90
    names = [name.lower() for one in found for name in (one.term, *one.also)]
    assert len(names) == len(set(names)), sorted(name for name in set(names) if names.count(name) > 1)
    for one in found:
        assert one.first in lessons.slugs(), one.term
        assert not one.meaning[0].islower() and one.meaning.endswith((".", ")")) and 20 < len(one.meaning) < 320, (
            one.term
        )


@pytest.mark.parametrize("slug", lessons.slugs())
def test_what_a_lesson_puts_in_bold_is_in_the_glossary(slug):
    missing = [
        words
        for words in glossary.bold(slug)
        if glossary.known(words) is None and words.lower() not in glossary.EMPHASIS
    ]
    assert not missing, f"add to learning/companions/glossary.json, or to glossary.EMPHASIS if it is no term: {missing}"


def test_no_term_is_first_needed_after_a_lesson_that_puts_it_in_bold():
    order = {card.slug: card.order for card in lessons.discover()}
    late = [
        (one.term, one.first, slug)
        for slug in order
        for words in glossary.bold(slug)
        if (one := glossary.known(words)) and order[one.first] > order[slug]
    ]
    assert not late


def test_a_word_is_looked_up_in_any_form():
    assert "owns" in glossary.look_up("TILE").markdown and "First needed in L1" in glossary.look_up("warp").markdown
    assert glossary.look_up("launch overhead").markdown.startswith("**launch tax**")
    assert "nothing on" in glossary.look_up("zebra").markdown and "nothing on" in glossary.look_up(" ").markdown


def test_the_page_has_a_heading_and_a_lesson_for_each_term():
    page = glossary.text()
    assert page.count("### ") == len(glossary.terms()) == page.count("First needed in [")


def test_a_compute_capability_is_told_with_the_cards_that_have_it():
    seen = 0
    for card in lessons.discover():
        text = (card.folder / "lesson.md").read_text(encoding="utf-8").replace("**", "")
        for after in text.split("compute capability 9.0 on ")[1:]:
            assert after.startswith("(an H100 or H200; a T4 has 7.5)"), (card.slug, after[:60])
            seen += 1
    assert seen == 3
