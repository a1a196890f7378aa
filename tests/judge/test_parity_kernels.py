"""The protocol on real kernels: on the interpreter everywhere, on CUDA where there is one."""

from __future__ import annotations

import pytest
import torch

from learning.judge import timing
from learning.lens import device
from tests.judge.operations import OPERATIONS
from tests.judge.parity_kit import finding

HERE = device.open()
from tests.judge import kernels  # noqa: E402 (Triton is imported after the device is opened)

gpu = pytest.mark.skipif(HERE.kind != "cuda", reason="what only a GPU does")
DTYPES = [torch.float32, torch.float16, torch.bfloat16]


def judged(entry, make, **options):
    """The finding of one parity case on the device at hand; ``make(trial)`` gives the arguments."""
    return finding(lambda trial: trial.parity(entry, *make(trial), **options), device=HERE.kind)


def matrices(m, k, n, dtype, **options):
    return lambda trial: (trial.normal(m, k, dtype=dtype, **options), trial.normal(k, n, dtype=dtype))


MATMUL = OPERATIONS["matmul"]
DOT = {"reference": MATMUL.reference, "oracle": MATMUL.function, "scale": MATMUL.scale}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", [0, 1, 255, 257, 5003])
def test_a_right_add_passes(dtype, length):
    make = lambda trial: (trial.normal(length, dtype=dtype), trial.normal(length, dtype=dtype))  # noqa: E731
    add = OPERATIONS["add"]
    assert judged(kernels.add, make, reference=add.reference, oracle=add.function, tile=256) is None


def test_a_store_past_the_end_is_caught_by_the_guard_band():
    found = judged(
        kernels.add_past_the_end, lambda trial: (trial.normal(1000), trial.normal(1000)), reference=lambda x, y: x + y
    )
    seen = "past the end" if HERE.kind == "cuda" else "elements 1000 to 1023 of out_ptr, which has 1000"
    assert found.rule == "memory" and seen in found.got


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", [1, 127, 781])
@pytest.mark.parametrize("kind", ["normal", "spikes", "ramp", "ties", "constant_rows", "far_below_zero"])
def test_an_online_softmax_passes(dtype, columns, kind):
    def make(trial):
        if kind == "normal":
            return (trial.normal(3, columns, dtype=dtype),)
        return (trial.pattern(kind, 3, columns, dtype=dtype),)

    softmax = OPERATIONS["softmax"]
    assert judged(kernels.softmax, make, reference=softmax.reference, oracle=softmax.function) is None


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(33, 70, 65), (1, 1, 1), (64, 300, 32)])
def test_an_ieee_dot_passes(dtype, shape):
    assert judged(kernels.matmul, matrices(*shape, dtype), **DOT) is None


def test_a_half_accumulator_fails():
    assert judged(kernels.matmul_in_half, matrices(33, 300, 33, torch.float16), **DOT) is not None


@gpu
@pytest.mark.gpu
@pytest.mark.parametrize("k", [32, 512, 4096, 16384])
def test_a_tf32_dot_fails_and_an_ieee_one_passes_at_every_depth(k):
    if HERE.capability < (8, 0):
        pytest.skip("no TF32 before sm_80")
    assert judged(kernels.matmul_tf32, matrices(64, k, 64, torch.float32), **DOT).rule in ("wrong values", "precision")
    assert judged(kernels.matmul, matrices(64, k, 64, torch.float32), **DOT) is None


@gpu
@pytest.mark.gpu
@pytest.mark.parametrize("columns", [8192, 131072])
def test_long_rows_pass_on_the_gpu(columns):
    softmax = OPERATIONS["softmax"]
    for kind in ("normal", "ties", "constant_rows"):
        make = lambda trial: (trial.normal(64, columns),) if kind == "normal" else (trial.pattern(kind, 64, columns),)  # noqa: B023, E731
        options = {"reference": softmax.reference, "oracle": softmax.function, "block": 1024}
        assert judged(kernels.softmax, make, **options) is None, kind


@gpu
@pytest.mark.gpu
def test_float_atomics_pass_only_where_they_are_allowed():
    options = {"reference": lambda x: x.sum().reshape(1), "scale": lambda x: x.abs().sum()}
    make = lambda trial: (trial.normal(200_000),)  # noqa: E731
    assert judged(kernels.atomic_sum, make, atomics=True, **options) is None
    assert judged(kernels.atomic_sum, make, **options).rule in ("repeat", "memory")


@gpu
@pytest.mark.gpu
def test_a_race_shows():
    options = {"reference": lambda x: x.sum().reshape(1), "scale": lambda x: x.abs().sum()}
    assert judged(kernels.racing_sum, lambda trial: (trial.normal(200_000),), **options) is not None


@gpu
@pytest.mark.gpu
def test_equal_kernels_cannot_be_told_apart_and_slow_ones_can():
    x, y = torch.randn(2**24, device="cuda"), torch.randn(2**24, device="cuda")
    same = timing.compare(kernels.add, kernels.add, (x, y), {})
    assert 0.9 < same.ratio < 1.1, same.sentence()

    def twice(x, y):
        kernels.add(x, y)
        return kernels.add(x, y)

    double = timing.compare(twice, kernels.add, (x, y), {})
    assert 1.8 < double.ratio < 2.2, double.sentence()
    print(same.sentence(), double.sentence(), sep="\n")
