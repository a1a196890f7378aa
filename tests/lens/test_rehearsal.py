"""A lesson's small case in a process of its own: traced, compiled for a T4, and honest about what went wrong."""

import pytest

from learning import lesson as lessons
from learning.attempts import answer, mutants, variants
from learning.lens import rehearsal
from learning.lens.rehearsal import RehearsalFailed

CPU = lessons.load("online_normalizer")
HEADER = "import torch\nimport triton\nimport triton.language as tl\nDEVICE = 'cpu'\n"


def run(slug, source=None, **how):
    card = lessons.load(slug)
    source = answer(card).source if source is None else source
    return rehearsal.run(card.folder, HEADER + source, card.entries, kind=card.kind, **how)


def test_vector_add_is_traced_and_compiled_for_a_t4_on_its_small_case():
    found = run("vector_add", outputs=["2499", "9999", "x:7", "z:0"], pictures=True)
    (launch,), x, out = found["launches"], found["tensors"]["x"], found["tensors"]["out"]
    assert launch["grid"] == [3, 1, 1] and launch["tile"] == [1024]
    assert (x["load_passes"], out["store_passes"], out["masked_stores"], x["others"]) == (1.0, 1.0, 572, [0.0])
    assert found["output"] == {"2499": 27489.0, "x:7": 7.0} and found["result"] == "out" and not found["problems"]
    (compiled,) = found["compiled"]
    assert compiled["target"] == "sm_75" and 0 < compiled["registers"] < 256 and 0 < compiled["occupancy"] <= 1
    assert [tile["name"] for tile in found["tiles"]] == ["x", "y", "out"] and len(found["tiles"][2]["tiles"]) == 3


def test_softmax_pads_with_minus_infinity_and_a_mutant_with_zero():
    card = lessons.load("strided_softmax")
    wrong = next(mutant for mutant in mutants(card) if mutant.name == "padding_of_zero")
    right, zero = run(card.slug, outputs=["2,0"]), run(card.slug, wrong.source, outputs=["2,0"])
    assert right["tensors"]["x"]["others"] == ["-inf"] and right["output"] == {"2,0": 1.0}
    assert zero["tensors"]["x"]["others"] == [0.0] and zero["output"]["2,0"] == pytest.approx(1 / 28)


def test_a_second_read_of_x_is_counted_whatever_the_parameters_are_called():
    card = lessons.load("vector_add")
    twice = next(mutant for mutant in mutants(card) if mutant.name == "loads_x_twice")
    renamed = twice.source.replace("x_ptr", "first").replace("out_ptr", "target")
    assert run(card.slug, renamed)["tensors"]["x"]["load_passes"] == 2.0


def test_a_stray_store_is_reported_in_a_sentence():
    card = lessons.load("vector_add")
    wrong = next(mutant for mutant in mutants(card) if mutant.name == "stores_without_a_mask")
    (problem,) = run(card.slug, wrong.source)["problems"]
    assert "writes elements 2500 to 3071 of out_ptr, which has 2500" in problem and "line" not in problem


def test_variants_of_the_cpu_lesson_give_the_numbers_a_learner_works_out():
    for attempt in variants(CPU)[:2]:
        found = run(CPU.slug, attempt.source.replace("DEVICE", "_"))
        assert found["output"]["total after 1, 3, 2"] == pytest.approx(1.5032, abs=1e-4)
        assert found["padding"] == {"maximum": "-inf", "total": 0.0} and found["device"] == "cpu"


CPU_ANSWER = "def push(s, x):\n    {body}\ndef merge(a, b):\n    return a\ndef result(s):\n    return s\n"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("return 1 / 0", "ZeroDivisionError: division by zero"),
        ("return None", "TypeError"),
        ("import os; os._exit(3)", "without a result"),
        ("while True: pass", "longer than 3 s"),
    ],
)
def test_an_answer_that_cannot_run_is_a_sentence(body, says):
    with pytest.raises(RehearsalFailed) as failed:
        rehearsal.run(
            CPU.folder, CPU_ANSWER.format(body=body), CPU.entries, kind="cpu", timeout=3 if "while" in body else 60
        )
    assert says in str(failed.value) and failed.value._render_traceback_() == [f"RehearsalFailed: {failed.value}"]


def test_a_starter_launches_nothing_and_is_told_so():
    with pytest.raises(RehearsalFailed, match="no kernel was launched"):
        run("vector_add", "def add(x, y):\n    return None\n")


def test_a_lesson_without_a_case_says_so(tmp_path):
    with pytest.raises(RehearsalFailed, match=r"has no trace_case\.py"):
        rehearsal.run(tmp_path, "", ())
    assert rehearsal.sentence(tmp_path) == ""


WITH_A_CASE = [card for card in map(lessons.load, lessons.slugs()) if rehearsal.path(card.folder).is_file()]


@pytest.mark.parametrize("card", WITH_A_CASE, ids=lambda card: card.slug)
def test_every_lessons_case_has_a_sentence(card):
    assert rehearsal.sentence(card.folder).endswith(".")


@pytest.mark.slow  # beside each lesson a quick test holds its answer against the predictions, by the same case
@pytest.mark.parametrize("card", [card for card in WITH_A_CASE if card.kind == "gpu"], ids=lambda card: card.slug)
def test_every_lessons_answer_runs_on_its_case(card):
    assert run(card.slug)["launches"]


TOO_LARGE = """
@triton.jit
def turn_kernel(x_ptr, out_ptr):
    i, j = tl.arange(0, 256), tl.arange(0, 128)
    x = tl.load(x_ptr + (i[:, None] + 256 * j[None, :]) % 2500)
    tl.store(out_ptr + 128 * i[:, None] + j[None, :], x, mask=i[:, None] < 19)


def add(x, y):
    turn_kernel[(1,)](x, y, num_warps=8)
    return y
"""


@pytest.mark.slow
def test_a_tile_that_a_t4_cannot_launch_is_told_in_a_sentence_and_a_newer_card_takes_it():
    with pytest.raises(RehearsalFailed, match=r"needs \d+ .*shared memory and this card has 65536: use smaller tiles"):
        run("vector_add", TOO_LARGE)
    found = run("vector_add", TOO_LARGE, target="sm_90", listing="sass")
    assert found["target"] == "sm_90" and found["compiled"][0]["shared"] > 65536 and found["compiled"][0]["launches"]
    assert found["listings"][0]["kind"] == "sass" and not found["listings"][0]["numbered"]
