"""Gates are proved by records that exist, and by nothing else."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning import lesson as lessons
from learning.gates.progress import progress

GPU, CPU = lessons.load("vector_add"), lessons.load("online_normalizer")
PUBLIC = ["adds", "keeps_inputs"]


def parity(states, *, lesson=GPU, device="cuda", source="a" * 64, public=PUBLIC):
    checks = [{"check": name, "state": state, "device": device} for name, state in states.items()]
    return {"event": "parity", "lesson": lesson.slug, "device": device, "source": source,
            "payload": {"checks": checks, "public": public}}  # fmt: skip


def reference(before_launch=True, lesson=GPU):
    return {"event": "reference", "lesson": lesson.slug, "device": "cuda", "source": "",
            "payload": {"before_launch": before_launch}}  # fmt: skip


ALL = {"adds": "passed", "keeps_inputs": "passed"}


def proved(records, lesson=GPU):
    return [gate.id for gate in progress(lesson, records).gates if gate.proved]


def test_without_records_nothing_is_proved():
    state = progress(GPU, [])
    assert str(state) == "progress 0/12" and len(state.gates) == 12
    assert all(gate.why for gate in state.gates)


def test_a_cpu_lesson_counts_its_seven_gates_and_says_why_not_the_others():
    state = progress(CPU, [])
    assert str(state) == "progress 0/7"
    assert [g.why for g in state.gates if not g.applies] == ["does not apply: CPU lesson"] * 5


def test_every_public_check_passed_on_a_gpu_proves_gate_06():
    record = parity(ALL)
    gate = progress(GPU, [record]).gates[5]
    assert (gate.number, gate.id, gate.proved, gate.record) == (6, "parity", True, record)


def test_a_public_check_that_waits_for_a_gpu_leaves_only_the_gpu_to_do():
    """A capstone has such checks; on a GPU none may wait, and where all of them wait nothing has passed."""
    half, all_wait = {"adds": "passed", "keeps_inputs": "waiting"}, dict.fromkeys(PUBLIC, "waiting")
    gate = progress(GPU, [parity(half, device="interpreter")]).gates[5]
    assert not gate.proved and gate.waits and "until they pass on a GPU" in gate.why
    for states, device in ((half, "cuda"), (all_wait, "interpreter"), (half | {"adds": "failed"}, "interpreter")):
        gate = progress(GPU, [parity(states, device=device)]).gates[5]
        assert not gate.proved and not gate.waits
    assert proved([parity(half, lesson=CPU, device="cpu")], CPU) == []


def test_an_interpreter_pass_is_shown_and_leaves_the_gate_open():
    gate = progress(GPU, [parity(ALL, device="interpreter")]).gates[5]
    assert not gate.proved and "interpreter" in gate.why and "GPU" in gate.why


def test_the_cpu_lesson_is_proved_on_the_cpu():
    assert proved([parity(ALL, lesson=CPU, device="cpu")], CPU) == ["parity"]
    assert proved([parity(ALL, lesson=CPU, device="interpreter")], CPU) == []


def test_checks_run_one_by_one_in_a_notebook_add_up_for_one_answer():
    one, two = parity({"adds": "passed"}), parity({"keeps_inputs": "passed"})
    assert proved([one]) == [] and proved([one, two]) == ["parity"] and proved([two, one]) == ["parity"]


def test_checks_passed_by_different_answers_do_not_add_up():
    assert proved([parity({"adds": "passed"}, source="a"), parity({"keeps_inputs": "passed"}, source="b")]) == []


@pytest.mark.parametrize("state", ["failed", "waiting", "broken"])
def test_a_check_that_did_not_pass_leaves_the_gate_open(state):
    assert proved([parity(ALL | {"adds": state})]) == []


def test_an_answer_without_a_fingerprint_proves_nothing():
    assert proved([parity(ALL, source="")]) == []


def test_a_record_that_names_no_public_checks_proves_nothing():
    assert proved([parity(ALL, public=[])]) == []
    assert proved([parity(ALL, public=None)]) == []


def test_another_lessons_records_prove_nothing():
    assert proved([parity(ALL), reference()], CPU) == []


def test_removing_the_record_reopens_the_gate():
    kept = [reference(), parity(ALL)]
    assert proved(kept) == ["reference", "parity"]
    assert proved(kept[:1]) == ["reference"]


def test_a_reference_that_ran_after_the_first_check_proves_nothing():
    assert proved([reference(before_launch=False)]) == []
    assert proved([reference(before_launch=False), reference()]) == ["reference"]


@given(st.lists(st.sampled_from(["passed", "failed", "waiting"]), min_size=1, max_size=4))
def test_a_gate_is_proved_exactly_where_all_its_checks_passed(states):
    names = [f"check_{number}" for number in range(len(states))]
    record = parity(dict(zip(names, states, strict=True)), public=names)
    assert (proved([record]) == ["parity"]) == (set(states) == {"passed"})


@given(st.permutations([reference(), parity(ALL), parity(ALL, device="interpreter"), reference(False)]))
def test_more_records_never_prove_less(order):
    counts = [progress(GPU, order[:n]).proved for n in range(len(order) + 1)]
    assert all(a <= b for a, b in itertools.pairwise(counts))


@pytest.mark.parametrize("payload", [{}, {"checks": None}, {"checks": [3], "public": "adds"}, {"checks": {"a": 1}}])
def test_a_strange_payload_is_no_proof_and_no_error(payload):
    record = parity(ALL) | {"payload": payload}
    assert proved([record]) == []
