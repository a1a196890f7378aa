"""The door: which device is opened, when, and what it says where it cannot."""

import pytest

from learning.lens import nvml
from learning.lens.device import Device

OPEN = "from learning.lens import device\n"


def test_without_a_gpu_the_interpreter_is_opened_before_triton_is_imported(python):
    done = python(
        OPEN + "import sys\nassert 'triton' not in sys.modules\n"
        "opened = device.open()\n"
        "assert opened is device.open() is device.current() is device.open('interpreter')\n"
        "import triton\n"
        "assert type(triton.language.sum).__name__ == 'InterpretedFunction'\n"
        "print(opened.kind, opened.torch_device, opened.capability)\n",
        CUDA_VISIBLE_DEVICES="",
    )
    assert done.stdout.split() == ["interpreter", "cpu", "None"], done.stderr


def test_triton_imported_too_early_is_named_with_its_remedy(python):
    done = python("import triton\n" + OPEN + "device.open()", CUDA_VISIBLE_DEVICES="")
    assert "DeviceError" in done.stderr and "restart the kernel" in done.stderr and "first cell" in done.stderr


def test_a_gpu_asked_for_where_there_is_none(python):
    done = python(OPEN + "device.open('cuda')", CUDA_VISIBLE_DEVICES="")
    assert "DeviceError" in done.stderr and "no NVIDIA GPU" in done.stderr and "Runtime" in done.stderr


def test_one_process_has_one_device(python):
    done = python(
        OPEN + "assert device.current() is device.open('interpreter')\n"
        "for other in ('cuda', 't4'):\n"
        "    try: device.open(other)\n"
        "    except device.DeviceError as refusal: print(refusal)\n",
        CUDA_VISIBLE_DEVICES="",
    )
    assert done.stdout.count("restart") == 4 and "'cuda'" in done.stdout and "'t4'" in done.stdout, done.stderr


def test_an_unknown_target_is_answered_with_the_known_ones(python):
    done = python(OPEN + "device.open('t5')")
    assert "'t5'" in done.stderr and "cuda" in done.stderr and "interpreter" in done.stderr


A_T4 = (
    OPEN + "import sys\nfrom learning.lens import nvml\ndevice._cuda_of_torch = lambda: '12.8'\n"
    "nvml.first_gpu = lambda: nvml.Gpu('Tesla T4', (7, 5), 16 << 30, '550.54')\n"
)


def test_a_gpu_is_used_where_one_answers_and_cuda_stays_untouched(python):
    done = python(
        A_T4 + "opened = device.open()\nassert 'torch' not in sys.modules and 'triton' not in sys.modules\n"
        "print(opened.kind, opened.torch_device, opened.capability, opened.refuses('bfloat16'))\n"
    )
    assert done.stdout.startswith("cuda cuda (7, 5) bfloat16 is emulated on Tesla T4"), done.stdout + done.stderr


@pytest.mark.parametrize(("target", "variable"), [("interpreter", None), ("", "1")])
def test_the_interpreter_can_be_asked_for_beside_a_gpu(python, target, variable):
    done = python(A_T4 + f"print(device.open({target!r}).kind)", TRITON_INTERPRET=variable)
    assert done.stdout.strip() == "interpreter", done.stderr


def test_a_cpu_build_of_torch_beside_a_gpu_says_so_only_when_the_gpu_was_asked_for(python):
    story = A_T4 + "device._cuda_of_torch = lambda: None\nprint(device.open(TARGET).kind)\n"
    assert python(story.replace("TARGET", "")).stdout.strip() == "interpreter"
    assert "built without CUDA" in python(story.replace("TARGET", "'cuda'")).stderr


def test_a_missing_triton_is_named_with_the_command_that_brings_it(python):
    done = python(
        "import importlib.metadata as m\nreal = m.version\n"
        "def version(name):\n"
        "    if name == 'triton': raise m.PackageNotFoundError(name)\n"
        "    return real(name)\n"
        "m.version = version\n" + OPEN + "device.open()"
    )
    assert "triton is not installed" in done.stderr and "pip install triton" in done.stderr


@pytest.mark.parametrize("dtype", ["float32", "torch.float16", "int32"])
def test_dtypes_every_device_judges(dtype):
    for device in (Device("interpreter", "cpu", "i"), Device("cuda", "cuda", "Tesla T4", (7, 5))):
        assert device.refuses(dtype) is None


def test_bfloat16_is_refused_on_a_t4_and_where_the_correction_failed():
    assert "Tesla T4" in Device("cuda", "cuda", "Tesla T4", (7, 5)).refuses("torch.bfloat16")
    assert Device("cuda", "cuda", "NVIDIA H200", (9, 0)).refuses("bfloat16") is None
    mended = Device("interpreter", "cpu", "i", corrections=(("bfloat16", "corrected", ""),))
    broken = Device("interpreter", "cpu", "i", corrections=(("bfloat16", "wrong", ""),))
    assert mended.refuses("bfloat16") is None and "interpreter" in broken.refuses("bfloat16")
    assert "float8" in mended.refuses("torch.float8_e5m2")


def test_the_machine_table_names_device_versions_and_corrections(python):
    done = python(OPEN + "for row in device.open().explain(): print(row)", CUDA_VISIBLE_DEVICES="")
    for word in ("device", "torch", "triton", "numpy", "Python", "corrected here", "bfloat16"):
        assert word in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("value", "first"),
    [(None, "0"), ("", None), ("-1", None), ("2,1", "2"), (" GPU-1a2b , 0", "GPU-1a2b"), ("none", None)],
)
def test_the_first_visible_gpu(value, first):
    assert nvml.visible({} if value is None else {"CUDA_VISIBLE_DEVICES": value}) == first
