"""Every blank page: a derivation passes, the lesson's own answer pasted under the new name does not, nor does an empty page.

``blank_pages/<slug>/<entry>.py`` are the derivations, each with a reference of its own; they are no part of any release.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from learning import attempts, lesson
from learning.gates import blank_contract, blank_grade, blank_notebook
from learning.judge import engine
from learning.judge.cells import LearnerCells
from learning.judge.finding import FAILED, PASSED

DERIVED = Path(__file__).parent / "blank_pages"
QUICK = {("vector_add", "subtract"), ("online_normalizer", "result_minimum")}
PAGES = [(card.slug, one.entry) for card in lesson.discover() for one in blank_contract.variations(card)]
PARAMETERS = [
    pytest.param(slug, entry, id=f"{slug}-{entry}", marks=() if (slug, entry) in QUICK else pytest.mark.slow)
    for slug, entry in PAGES
]


def derivation(slug, entry):
    return (DERIVED / slug / f"{entry}.py").read_text(encoding="utf-8")


def pasted(page):
    """The lesson's own answer with its entry renamed, below a right reference: what somebody who learned it by heart has."""
    text = attempts.answer(page.lesson).source
    text = re.sub(r"^from learning\.contract import require\n", "", text, flags=re.MULTILINE)
    if page.names == (page.variation.entry,):
        text = re.sub(rf"\b{page.lesson.entry}\b(?=\()", page.variation.entry, text)
    own = re.search(r"^def reference\(.*?(?=\n\n\n)", derivation(page.lesson.slug, page.variation.entry), re.S | re.M)
    return f"{text}\n\n\n{own[0]}\n"


@pytest.fixture
def judge(servers):
    """``judge(page, source)``: the page graded as a submission, without a GPU unless there is one."""

    def judged(page, source):
        device = "cpu" if page.lesson.kind == "cpu" else engine.default_place(page.lesson)
        learner = LearnerCells.from_python(source, page.file)
        return blank_grade.grade(page, learner, device=device, engine=engine.grade, servers=servers)

    return judged


@pytest.mark.parametrize(("slug", "entry"), PARAMETERS)
def test_a_derivation_passes_all_three_checks(slug, entry, judge):
    graded = judge(blank_contract.page(slug, entry), derivation(slug, entry))
    assert not graded.faults
    told = [result.finding.sentence() if result.finding else "" for result in graded.results]
    assert [result.state for result in graded.results] == [PASSED] * 3, told
    assert graded.results[1].cases >= 5 or graded.device == "cpu"  # plain calls are not counted there


@pytest.mark.parametrize(("slug", "entry"), PARAMETERS)
def test_the_lessons_answer_learned_by_heart_fails(slug, entry, judge):
    page = blank_contract.page(slug, entry)
    graded = judge(page, pasted(page))
    assert not graded.todo
    assert graded.results[0].state == PASSED, graded.results[0].finding
    assert graded.results[1].state == FAILED


@pytest.mark.parametrize(("slug", "entry"), PAGES)
def test_the_notebook_is_whole_and_tells_nothing_of_ours(slug, entry):
    page = blank_contract.page(slug, entry, 3)
    made = blank_notebook.notebook(page)
    text = "\n".join("".join(cell["source"]) for cell in made["cells"])
    assert page.variation.brief in text and page.lesson.contract in text
    assert page.variation.changes not in text  # told after the pass
    ids = [cell["id"] for cell in made["cells"]]
    assert len(set(ids)) == len(ids) and all(re.fullmatch(r"[a-zA-Z0-9-]{1,64}", one) for one in ids)
    inside = attempts.answer(page.lesson).source.split("### BEGIN SOLUTION")[1].split("### END SOLUTION")[0]
    lines = {line.strip() for line in inside.splitlines() if len(line.strip()) > 12}
    assert not {line for line in lines if line in text}
    assert "".join(made["cells"][1]["source"]).endswith(f'open_page("{slug}", "{entry}", 3)')
    judged = engine.Plan.of(blank_notebook.judged(page), page.card)
    assert [check.check for check in judged.checks] == ["the_reference", "parity", "house_rules"]
    assert judged.is_todo(LearnerCells.from_python("# nothing yet\n"))


@pytest.mark.parametrize(("slug", "entry"), PAGES)
def test_a_page_has_a_derivation_and_cases_of_many_sizes_nothing_among_them(slug, entry):
    page = blank_contract.page(slug, entry)
    assert (DERIVED / slug / f"{entry}.py").is_file()
    if page.variation.inputs is None:
        assert callable(page.module.agrees) and callable(page.module.reference_agrees)
        return
    cases = page.variation.cases
    assert len(cases) >= 5 and len({tuple(case.items()) for case in cases}) == len(cases)
    assert any(0 in case.values() for case in cases) and 0 not in cases[0].values()
    assert page.variation.brief not in {
        one.brief for one in blank_contract.variations(page.lesson) if one.entry != entry
    }


def test_another_reference_fails_where_it_says_something_else(judge):
    page = blank_contract.page("vector_add", "subtract")
    wrong = derivation("vector_add", "subtract").replace("return x - y", "return y - x")
    graded = judge(page, wrong)
    assert [result.state for result in graded.results] == [FAILED, PASSED, PASSED]
    assert "reference" in graded.results[0].finding.called


def test_pytorch_in_place_of_a_kernel_breaks_the_house_rules_and_a_reference_by_pytorch_does_not(judge):
    page = blank_contract.page("vector_add", "subtract")
    graded = judge(
        page, "import torch\n\n\ndef reference(x, y):\n    return torch.sub(x, y)\n\n\nsubtract = reference\n"
    )
    assert graded.results[0].state == PASSED
    assert graded.results[2].state == FAILED
