"""The portfolio says what records prove, keeps claims apart, and never replaces a file it did not make."""

import json

import pytest

from learning.companions import CompanionError, portfolio, worksheet
from learning.companions.machine import begin_with


def test_it_is_empty_before_anything_is_recorded(work):
    assert "Nothing is recorded yet" in portfolio.portfolio().markdown


def test_a_kernel_with_its_numbers_predictions_pages_and_words(work):
    begin_with("vector_add")
    work.passed("vector_add")
    work.timed("vector_add", [2700.0])
    work.timed("vector_add", [2600.0, 2610.0], peers={"eager": {"microseconds": {"graph": 2590.0}}})
    work.keep("vector_add", "tick", {"gate": "log", "ticked": True})
    work.keep("vector_add", "prediction", {"fields": {"grid": [3]}, "case": "", "revision": True})
    work.keep("vector_add", "log", {"numbers": [], "surprise": "eager was at the floor already", "text": ""})
    work.rewritten("vector_add")
    worksheet.plan(
        "vector_add",
        hypothesis="2 % at the most",
        variable="the tile",
        baseline="my own",
        rounding="once each",
        timing="graph",
    )
    book = work.root / "vector_add" / "vector_add.ipynb"
    notebook = json.loads(book.read_text())
    (cell,) = [cell for cell in notebook["cells"] if cell["metadata"].get("learning", {}).get("role") == "explain"]
    cell["source"] = "".join(cell["source"]) + "\nProgram 2 owns 2048 to 3071 <b>and</b> loads 452 of them."
    book.write_text(json.dumps(notebook))
    page = portfolio.portfolio()
    for words in (
        "passed on Tesla T4", "2600 µs (graph)", "eager 2590 µs (graph)", "Claimed, not proved: 12 numbers logged", "From memory: subtract, in Triton's interpreter (virtual Tesla T4).",
        "worksheet 1", "2 % at the most", "eager was at the floor already", "the kernel ran before anything was locked".capitalize(), "Program 2 owns 2048 to 3071",
    ):  # fmt: skip
        assert words in repr(page), words
    assert "2700 µs" not in repr(page)  # a case's newest benchmark stands for it
    assert "Why are the values widened" not in repr(page)  # the question is not the learner's
    assert "<b>and</b>" not in page._repr_html_()


def test_an_interpreters_pass_is_not_told_as_a_gpus(work):
    work.passed("softmax", device="interpreter", card="virtual Tesla T4")
    page = repr(portfolio.portfolio())
    assert "open until they pass on a GPU" in page and "Proved: none." in page


def test_a_cpu_lessons_gates_misses_and_logged_numbers_in_its_own_words(work):
    slug = "online_normalizer"
    fields = {"output": {"total": 1.0, "maximum": 3.0}}
    work.keep(slug, "prediction", {"fields": fields, "case": "", "revision": False})
    work.keep(slug, "launch", {"trace": {"output": {"total": 1.5, "maximum": 3.0}}}, device="cpu")
    work.keep(slug, "prediction", {"causes": {"output": "I forgot to rescale"}})
    work.passed(slug, device="cpu", card="CPU")
    measured = work.keep(slug, "benchmark", {"numbers": {"error 1 part": 6.12}}, device="cpu")
    said = {"name": "error", "said": 6.1, "where": "1 part", "unit": "", "record": measured["hash"]}
    work.keep(slug, "log", {"numbers": [said], "surprise": "none of the sums was exact", "text": ""})
    work.keep(slug, "log", {"numbers": [said | {"said": 7.0}], "surprise": "a number that no record holds", "text": ""})
    page = repr(portfolio.portfolio())
    assert "passed on the CPU, 20" in page
    assert "Proved: 06 parity, 09 misses explained, 12 numbers logged." in page
    assert (
        page.count("I forgot to rescale") == 1 and "output total: I forgot" in page
    )  # not beside a value that was met
    assert "In my log: error 6.1 (1 part)." in page


def test_saved_again_and_again_but_never_over_somebody_elses_file(work, tmp_path):
    work.passed("vector_add")
    portfolio.save()
    first = (work.root / "portfolio.md").read_text()
    assert first.startswith(portfolio.MARK) and "Tesla T4" in first
    work.passed("softmax")
    portfolio.save()
    assert "Softmax" in (work.root / "portfolio.md").read_text()
    mine = tmp_path / "mine.md"
    mine.write_text("my own page")
    with pytest.raises(CompanionError, match="left as it is"):
        portfolio.save(mine)
    assert mine.read_text() == "my own page" and not list(work.root.glob(".portfolio*"))
