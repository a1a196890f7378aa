"""The door: which device is opened, when, and what it says where it cannot."""

import types

import pytest

from learning.lens import nvml, toolchain
from learning.lens.device import Device

OPEN = "from learning.lens import device\n"


def test_without_a_gpu_a_virtual_t4_is_opened_whether_or_not_triton_was_imported(python):
    for before in ("import sys\nassert 'triton' not in sys.modules\n", "import triton\n"):
        done = python(
            OPEN + before + "assert device.opened() is None and device.without_gpu() == 'sm_75'\n"
            "opened = device.open()\n"
            "assert opened is device.open() is device.current() is device.open('t4') is device.opened()\n"
            "import triton\n"
            "assert type(triton.language.sum).__name__ == 'JITFunction'\n"
            "print(opened.kind, opened.torch_device, opened.capability, opened.place, opened.name)\n",
            CUDA_VISIBLE_DEVICES="",
        )
        assert done.stdout.strip() == "interpreter cpu (7, 5) sm_75 virtual Tesla T4", done.stderr


@pytest.mark.parametrize(("target", "variable"), [("interpreter", None), ("", "1")])
def test_the_plain_interpreter_on_request(python, target, variable):
    done = python(
        OPEN + f"opened = device.open({target!r})\n"
        "assert opened is device.current() is device.open('interpreter')\n"
        "import triton\n"
        "assert type(triton.language.sum).__name__ == 'InterpretedFunction'\n"
        "print(opened.kind, opened.torch_device, opened.capability, opened.place)\n",
        CUDA_VISIBLE_DEVICES="", TRITON_INTERPRET=variable,
    )  # fmt: skip
    assert done.stdout.split() == ["interpreter", "cpu", "None", "interpreter"], done.stderr


def test_triton_imported_too_early_for_the_plain_interpreter_is_named_with_its_remedy(python):
    done = python("import triton\n" + OPEN + "device.open('interpreter')", CUDA_VISIBLE_DEVICES="")
    assert "DeviceError" in done.stderr and "restart the kernel" in done.stderr and "first cell" in done.stderr


NO_COMPILER = (  # Triton as a build without its NVIDIA half looks on disk
    "import importlib.util as u, types\nreal = u.find_spec\n"
    "u.find_spec = lambda name, *r: types.SimpleNamespace(submodule_search_locations=['/nowhere']) "
    "if name == 'triton' else real(name, *r)\n"
)


def test_where_triton_cannot_compile_the_plain_interpreter_says_why_nothing_is_compiled(python):
    done = python(
        NO_COMPILER + OPEN + "assert device.without_gpu() == 'interpreter'\nopened = device.open()\n"
        "print(opened.name)\nfor row in opened.explain(): print(row)\n"
        "from learning.judge import warmup\nwarmup.launch()\n",
        CUDA_VISIBLE_DEVICES="",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Triton's interpreter on the CPU")
    assert "compiles for" in done.stdout and "no card" in done.stdout and "NVIDIA compiler" in done.stdout
    refused = python(NO_COMPILER + OPEN + "device.open('t4')", CUDA_VISIBLE_DEVICES="")
    assert "DeviceError" in refused.stderr and "needs Triton's compiler" in refused.stderr


def test_an_assembler_that_does_not_run_is_a_complaint_unless_triton_brings_one_that_does(tmp_path, monkeypatch):
    backend = tmp_path / "triton" / "backends" / "nvidia"
    (backend / "bin").mkdir(parents=True)
    (backend / "compiler.py").touch()
    spec = types.SimpleNamespace(submodule_search_locations=[str(tmp_path / "triton")])
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: spec)
    monkeypatch.delenv("TRITON_PTXAS_PATH", raising=False)
    bundled, other = backend / "bin" / "ptxas", tmp_path / "other"
    toolchain._complaint.cache_clear()
    assert "missing" in toolchain.complaint()
    bundled.write_text("no program")
    bundled.chmod(0o755)
    toolchain._complaint.cache_clear()
    assert "cannot be used" in toolchain.complaint() and "install Triton again" in toolchain.complaint()
    bundled.write_text("#!/bin/sh\necho 12.8\n")
    monkeypatch.setenv("TRITON_PTXAS_PATH", str(other))
    toolchain._complaint.cache_clear()
    assert toolchain.complaint() == ""
    toolchain._complaint.cache_clear()


def test_a_cache_that_cannot_be_written_is_replaced_for_this_process(python, tmp_path):
    (tmp_path / "file").touch()
    done = python(
        OPEN + "for row in device.open().explain(): print(row)\nfrom learning.judge import warmup\nwarmup.launch()\n",
        CUDA_VISIBLE_DEVICES="", TRITON_CACHE_DIR=str(tmp_path / "file" / "cache"),
    )  # fmt: skip
    assert done.returncode == 0 and "for this process only" in done.stdout, done.stderr


def test_a_gpu_asked_for_where_there_is_none(python):
    done = python(OPEN + "device.open('cuda')", CUDA_VISIBLE_DEVICES="")
    assert "DeviceError" in done.stderr and "no NVIDIA GPU" in done.stderr and "Runtime" in done.stderr


@pytest.mark.parametrize(("first", "others"), [("interpreter", ("cuda", "t4")), ("", ("cuda", "interpreter"))])
def test_one_process_has_one_device(python, first, others):
    done = python(
        OPEN + f"device.open({first!r})\nfor other in {others!r}:\n"
        "    try: device.open(other)\n"
        "    except device.DeviceError as refusal: print(refusal)\n",
        CUDA_VISIBLE_DEVICES="",
    )
    assert done.stdout.count("restart") == 4 and all(repr(other) in done.stdout for other in others), done.stderr


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
