"""The virtual T4: the same stories, compiled for the card by Triton and computed in the interpreter."""

import pytest


def failures(results):
    return "\n".join(f"{name}: {text}" for name, text in results.items() if text)


def test_compiler_limits_hooks_tuner_and_corrections_and_nothing_left_patched(stories):
    results = stories("t4", "virtual.,corrections.")
    assert len(results) >= 32 and not failures(results), failures(results)


def test_a_verdict_agrees_with_the_whole_compilation(stories):
    results = stories("t4", "verdicts.")
    assert len(results) == 4 and not failures(results), failures(results)


@pytest.mark.slow
def test_every_kernel_kind_compiles_for_a_t4_and_computes_right(stories):
    results = stories("t4", "kernels.,products.")
    assert len(results) >= 51 and not failures(results), failures(results)


def test_the_virtual_gpu_names_its_card_and_refuses_an_interpreting_triton(python):
    opened = python(
        "from learning.lens import device\n"
        "opened = device.open('t4')\n"
        "assert opened is device.open() is device.open('sm_75') is device.current()\n"
        "print(opened.kind, opened.torch_device, opened.target, opened.capability, opened.name)\n"
        "for row in opened.explain(): print(row)\n"
    )
    first, *rows = opened.stdout.splitlines()
    assert first == "interpreter cpu sm_75 (7, 5) virtual Tesla T4", opened.stderr
    assert any("40 multiprocessors, 64 KiB" in row for row in rows)
    refused = python("from learning.lens import device\ndevice.open('t4')", TRITON_INTERPRET="1")
    assert "DeviceError" in refused.stderr and "unset it" in refused.stderr
