"""Gate 05 from source and trace: every right answer keeps its rules, and sums of 16 bits break them."""

import contextlib
import warnings

import pytest

from learning import course
from learning import lesson as lessons
from learning.attempts import Attempt, answer, mutants, variants
from learning.gates import written
from learning.lens import device, rehearsal, trace
from learning.lens.interpreter import execute
from learning.lens.named import Named

SLOW = pytest.mark.slow


@pytest.fixture(autouse=True)
def interpreted():
    """Traces are made where kernels are interpreted; a process that has opened a GPU makes none."""
    if device.current().kind != "interpreter":
        pytest.skip("kernels run on a GPU in this process")


GPU = [card.slug for card in lessons.discover() if card.kind == "gpu"]


def told(card: lessons.Lesson, attempt: Attempt, folder) -> dict:
    """What a rehearsal finds of gate 05, in this process: the rehearsal's own starts Triton anew for each answer."""
    cells = course.load(course.release(card.slug))["cells"]
    setup = "\n".join(
        course.text(cell) for cell in cells if course.role(cell) == "setup" and "@check" not in course.text(cell)
    )
    file = folder / f"{card.slug}_{attempt.name}.py"
    file.write_text(f"{setup}\n\n{attempt.source}")
    made = rehearsal._load(file.stem, str(file))
    entries = [getattr(made, name) for name in card.entries]
    case = rehearsal._load(f"case_of_{card.slug}", str(rehearsal.path(card.folder)))
    stop = execute.watch(Named())
    with warnings.catch_warnings(), contextlib.ExitStack() as opened:
        warnings.simplefilter("ignore")  # float16 overflows where the case's numbers are large
        opened.callback(stop)
        with trace.recording() as tape:
            case.trace_case(*entries)
        narrow = rehearsal._narrow(case, entries, compiles=False)
    found = {"problems": [problem.sentence() for problem in tape.problems], "narrow": narrow}
    return written.rules(card, attempt.source, found)


def attempt(slug, name):
    card = lessons.load(slug)
    return card, next(one for one in [answer(card), *variants(card), *mutants(card)] if one.name == name)


@pytest.mark.parametrize(
    ("slug", "name", "word"),
    [
        ("gemv", "running_sums_in_the_dtype", "adds in fp16 where the inputs are float16 (+=)"),
        pytest.param(
            "rmsnorm_residual", "sums_in_the_dtype", "adds in fp16 where the inputs are float16 (tl.sum)", marks=SLOW
        ),
        pytest.param("matmul", "accumulates_in_the_dtype", "keeps acc in fewer than 32 bits", marks=SLOW),
    ],
)
def test_sums_that_have_16_bits_where_the_inputs_do_break_the_gate(slug, name, word, tmp_path):
    broken = told(*attempt(slug, name), tmp_path)["broken"]
    assert any(word in one and "tl.float32" in one for one in broken), broken


def test_what_the_trace_found_breaks_the_gate(tmp_path):
    (broken, *_) = told(*attempt("vector_add", "no_mask"), tmp_path)["broken"]
    assert broken.startswith("the trace found: program (2, 0, 0) of add_kernel reads elements 2500 to 3071")


@pytest.mark.parametrize("slug", ["vector_add"])
def test_the_taught_answer_keeps_every_rule(slug, tmp_path):
    card = lessons.load(slug)
    assert told(card, answer(card), tmp_path) == {"broken": []}


@pytest.mark.slow
@pytest.mark.parametrize("slug", GPU)
def test_every_right_answer_keeps_every_rule(slug, tmp_path):
    card = lessons.load(slug)
    for one in [answer(card), *variants(card)]:
        assert told(card, one, tmp_path) == {"broken": []}, one.name


def test_a_cpu_answer_is_held_to_the_house_rules(tmp_path):
    card, wrong = attempt("online_normalizer", "imports_a_library")
    found = {"problems": [], "narrow": []}
    assert written.rules(card, answer(card).source, found) == {"broken": []}
    (broken, *_) = written.rules(card, wrong.source, found)["broken"]
    assert "import nothing but `math`" in broken


def test_a_record_keeps_a_few_sentences_and_each_once(tmp_path):
    card = lessons.load("vector_add")
    found = {"problems": ["one", "one", *map(str, range(20))], "narrow": []}
    assert len(written.rules(card, "", found)["broken"]) == written.MOST
