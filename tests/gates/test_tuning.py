"""The reading of a learner's autotuner: what is read, what is refused, and what of it proves gate 10."""

import pytest
import torch
import triton
import triton.language as tl

from learning import lesson, session
from learning.gates import records, tuning, tuning_record
from learning.gates.progress import progress
from learning.judge import setting as settings
from learning.lens import device

DEVICE = device.current().torch_device
GPU = device.current().kind == "cuda"
CONFIGS = [triton.Config({"BLOCK": block}, num_warps=4) for block in (64, 128, 256, 512)]


@triton.jit
def double_kernel(x_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n_elements, other=0.0), mask=at < n_elements)


four = triton.autotune(configs=CONFIGS, key=["n_elements"])(double_kernel)
three = triton.autotune(configs=CONFIGS[:3], key=["n_elements"])(double_kernel)
nine = triton.autotune(configs=[*CONFIGS, *CONFIGS, CONFIGS[0]], key=["n_elements"])(double_kernel)
without_a_key = triton.autotune(configs=CONFIGS, key=[])(double_kernel)


@triton.jit
def stepping_kernel(x_ptr, out_ptr, n_elements, step, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, 2 * tl.load(x_ptr + at * step, mask=at < n_elements, other=0.0), mask=at < n_elements)


def launching(kernel, *, grid=lambda meta: (triton.cdiv(1000, meta["BLOCK"]),), factor=1.0):
    """A ``tuned`` that launches ``kernel`` and multiplies what comes out, for being wrong."""

    def tuned(x):
        out = torch.empty_like(x)
        kernel[grid](x, out, x.numel())
        return out * factor

    return tuned


def reference(x):
    return 2 * x


def cases(*lengths):
    return [(torch.arange(1.0, length + 1, device=DEVICE),) for length in lengths or (1000, 321)]


def plain(x, *, step=1):
    return 2 * x


@pytest.fixture
def opened(monkeypatch, tmp_path):
    """A session of a beginner's lesson whose records go to tmp_path."""
    before = settings._default
    monkeypatch.setattr(session, "_session", None)
    yield session.begin("vector_add", folder=tmp_path)
    settings.install(before)


def kept(folder):
    return [record for record in records.read(folder / records.FILE) if record["event"] == "benchmark"]


def test_a_right_reading_keeps_configurations_key_and_winners(opened, tmp_path):
    shown = tuning.read(launching(four), reference, *cases())
    (record,) = kept(tmp_path)
    reading = record["payload"]["autotune"]
    assert record["device"] == device.current().kind and record["payload"]["card"] == device.current().name
    (kernel,) = reading["kernels"]
    assert kernel["kernel"] == "double_kernel" and kernel["key"] == ["n_elements"] and kernel["grid_is_function"]
    assert kernel["configs"][0] == "BLOCK 64, 4 warps, 3 stages" and len(kernel["configs"]) == 4
    assert [winner["key"] for winner in kernel["winners"]] == [{"n_elements": 1000}, {"n_elements": 321}]
    assert {winner["winner"] for winner in kernel["winners"]} <= set(kernel["configs"])
    assert all(case["agrees"] for case in reading["cases"])
    gate = next(gate for gate in progress(opened.lesson, opened.evidence()).gates if gate.id == "autotune")
    assert gate.proved is GPU and gate.waits is not GPU
    if GPU:
        assert all(len(winner["microseconds"]) == 4 for winner in kernel["winners"])
        assert "the next best took" in shown.text
    else:
        assert all(not winner["microseconds"] for winner in kernel["winners"])
        assert "Gate 10 waits for a GPU" in shown.text


def test_run_again_it_is_tuned_and_kept_again(opened, tmp_path):
    for _ in range(2):
        tuning.read(launching(four), reference, *cases())
    assert [len(record["payload"]["autotune"]["kernels"][0]["winners"]) for record in kept(tmp_path)] == [2, 2]


@pytest.mark.parametrize(
    ("tuned", "words"),
    [
        (launching(nine), "has 9 configurations, and 4 to 8 are asked for"),
        (launching(without_a_key), "double_kernel has no key"),
        (launching(four, grid=(8,)), "no function of the configuration"),
        (launching(four, factor=1.5), "tuned is wrong"),
        (reference, "launches no autotuner"),
        (lambda x: x[:3], "shapes or dtypes differ"),
        (lambda x: missing(x), "NameError"),  # noqa: F821
    ],
    ids=["nine", "no key", "fixed grid", "wrong", "no autotuner", "short", "raises"],
)
def test_what_a_reading_lacks_is_said_and_proves_nothing(opened, tmp_path, tuned, words):
    assert words in tuning.read(tuned, reference, *cases()).text
    assert not next(gate for gate in progress(opened.lesson, opened.evidence()).gates if gate.id == "autotune").waits


@pytest.mark.parametrize(
    ("key", "said"), [(["n_elements"], True), (["n_elements", "step"], False)], ids=["length alone", "stride as well"]
)
def test_a_key_that_tells_two_layouts_apart_by_nothing_is_named(opened, key, said):
    kernel = triton.autotune(configs=CONFIGS, key=key)(stepping_kernel)

    def tuned(x):
        out = torch.empty(x.shape, device=x.device)
        kernel[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, out, x.numel(), x.stride(0))
        return out

    packed, every_other = torch.rand(1000, device=DEVICE), torch.rand(2000, device=DEVICE)[::2]
    shown = tuning.read(tuned, reference, (packed,), (every_other,)).text
    words = (
        "In your own use tuned(float32[1000]) with strides (2,) runs with the winner of tuned(float32[1000]): the key"
    )
    assert (words in shown) is said and "Gate 10 is open" not in shown
    with_dtypes = tuning.read(tuned, lambda x: (2 * x).float(), (packed,), (packed.half(),)).text
    assert "In your own use" not in with_dtypes  # Triton's own key holds the dtypes


def test_a_starter_is_no_reading(opened, tmp_path):
    assert tuning.read(lambda x: None, reference, *cases()).text.startswith("tuned returns None so far")
    assert not kept(tmp_path)


def test_one_shape_is_not_two(opened):
    with pytest.raises(ValueError, match="2 cases or more"):
        tuning.read(launching(four), reference, *cases(10))
    assert "checked on 2 shapes" in tuning.read(launching(four), reference, *cases(10, 10)).text


def test_outside_a_lesson_it_is_shown_and_said_to_be_kept_nowhere(monkeypatch):
    monkeypatch.setattr(settings, "_default", settings.Setting())
    assert "Not kept: no lesson is open here" in tuning.read(launching(four), reference, *cases()).text


def test_a_sweep_of_options_stands_for_an_autotuner_in_later_lessons_alone(opened, tmp_path):
    tuning.read(reference, reference, *cases(), of=plain, step=(1, 2, 4))
    (record,) = kept(tmp_path)
    assert record["payload"]["autotune"]["kernels"][0]["configs"] == ["step 1", "step 2", "step 4"]
    reading = record["payload"]["autotune"]
    assert tuning_record.complaint(reading, options=True, device=record["device"]) == ""
    assert tuning_record.complaint(reading, device=record["device"]) == "this lesson tunes by an autotuner"


def made(*, device="cuda", how="autotuner", configs=4, key=("n",), function=True, agrees=(True, True), times=True):
    """A record as a GPU would leave it."""
    labels = [f"BLOCK {64 << number}" for number in range(configs)]
    took = dict.fromkeys(labels, 5.0) if times else {}
    winners = [
        {"case": f"c{n}", "key": {"n": n}, "winner": labels[0], "microseconds": took} for n in range(len(agrees))
    ]
    kernel = {"kernel": "k", "configs": labels, "key": list(key), "grid_is_function": function, "winners": winners}
    said = [{"case": f"c{n}", "agrees": agree, "why": ""} for n, agree in enumerate(agrees)]
    reading = {"function": "tuned", "how": how, "kernels": [kernel], "cases": said}
    return {"event": "benchmark", "lesson": "softmax", "device": device, "payload": {"autotune": reading}}


@pytest.mark.parametrize(
    ("slug", "record", "proved", "waits"),
    [
        ("softmax", made(), True, False),
        ("softmax", made(configs=8), True, False),
        ("softmax", made(configs=3), False, False),
        ("softmax", made(configs=9), False, False),
        ("softmax", made(key=()), False, False),
        ("softmax", made(function=False), False, False),
        ("softmax", made(agrees=(True, False)), False, False),
        ("softmax", made(agrees=(True,)), False, False),
        ("softmax", made(device="interpreter", times=False), False, True),
        ("softmax", made(device="interpreter", times=False, configs=1), False, True),
        ("softmax", made(times=False), False, True),
        ("softmax", made(how="sweep", function=False), False, False),
        ("strided_softmax", made(how="sweep", function=False, configs=2), True, False),
        ("softmax", {"event": "benchmark", "device": "cuda", "payload": {"cases": []}}, False, False),
    ],
)
def test_gate_10_by_records_alone(slug, record, proved, waits):
    found = tuning_record.proof(lesson.load(slug), [record])
    assert (found.record is record) is proved and found.waits is waits
    if proved and "autotuner" in str(record):
        assert "n 0: BLOCK 64" in found.why


def test_a_later_failed_try_does_not_take_the_proof_away():
    right, wrong = made(), made(key=())
    assert tuning_record.proof(lesson.load("softmax"), [right, wrong]).record is right
    assert tuning_record.newest([right, wrong]) == wrong["payload"]["autotune"]


def test_keywords_stand_in_a_dict_at_the_end_of_a_case(opened, tmp_path):
    given = [(*case, {"plus": number}) for number, case in enumerate(cases(1000, 1000))]
    tuning.read(lambda x, *, plus: launching(four)(x) + plus, lambda x, *, plus: 2 * x + plus, *given)
    (record,) = kept(tmp_path)
    reading = record["payload"]["autotune"]
    assert [case["case"] for case in reading["cases"]] == [
        "tuned(float32[1000], plus=0)",
        "tuned(float32[1000], plus=1)",
    ]
    assert tuning_record.complaint(reading, device=record["device"]) == ""
