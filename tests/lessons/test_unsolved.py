"""What a lesson shows of its first check before anything is written is what that check says."""

from __future__ import annotations

import importlib
import re
import types

import pytest

pytest.importorskip("torch")
from learning import lesson
from learning.judge.check import Check
from learning.judge.score import report_lines
from learning.judge.setting import Setting, use
from learning.lens import device

TEXT = {card.slug: (card.folder / "lesson.md").read_text(encoding="utf-8") for card in lesson.discover()}
SHOWN = {
    slug: found[1].rstrip("\n").split("\n")
    for slug, text in TEXT.items()
    if (found := re.search(r"```text\n(not yet: .*?)```", text, re.DOTALL))
}


def unwritten(*args, **kwargs): ...


def test_every_lesson_shows_it_or_says_it():
    assert SHOWN
    for slug, text in TEXT.items():
        assert slug in SHOWN or re.search("the first one says `not yet` and [^.]*None", text), slug


@pytest.mark.parametrize("slug", SHOWN)
def test_the_first_check_says_of_an_unwritten_entry_what_is_shown(slug):
    module = importlib.import_module(f"learning.lessons.{slug}.checks")
    checks = [one for one in vars(module).values() if isinstance(one, Check)]
    first = next(one for one in checks if SHOWN[slug][0].startswith(f"not yet: {one.title} "))
    entries = [types.FunctionType(unwritten.__code__, {}, name) for name in first.entries]
    kind = "cpu" if lesson.load(slug).kind == "cpu" else device.current().kind
    with use(Setting(lesson=slug, device=kind)):
        told = report_lines(first.run(*entries))
    assert told[: len(SHOWN[slug])] == SHOWN[slug]
    assert [line.split()[0] for line in told[len(SHOWN[slug]) :]] in ([], ["replay"])


@pytest.mark.parametrize("slug", TEXT)
def test_the_size_of_the_gap_is_told_as_it_is(slug):
    """ "About 8 lines" of a body is right to within three lines, or 15 percent of a long one."""
    (sentence,) = re.findall(r"[^\n]*(?:bodies are missing|missing their bodies)[^\n]*", TEXT[slug])
    told = [int(number) for number in re.findall(r"about (\d+)", sentence)]
    answer = (lesson.load(slug).folder / "answer.py").read_text(encoding="utf-8")
    bodies = [
        sum(bool(line.strip()) and not line.strip().startswith("#") for line in body.splitlines())
        for body in re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", answer, re.DOTALL)
    ]
    assert told, sentence
    for said, there in zip(told, bodies, strict=False):
        assert abs(said - there) <= max(3, 0.15 * there), (said, there)
