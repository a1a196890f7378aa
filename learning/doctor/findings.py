"""What the facts mean for a learner: rows of what was found, in what state, and what to do. Pure; standard library only."""

from __future__ import annotations

import re
from dataclasses import dataclass

from learning.doctor.facts import Facts

OK, NOTE, WRONG = "ok", "note", "wrong"
PYTHON = ((3, 11), (3, 13))
TORCH, TRITON = (2, 10), ((3, 6), (3, 10))
CAPABILITY = (7, 5)
DRIVERS = {13: 580, 12: 525, 11: 450}
"""The oldest driver branch that runs programs built for a major version of CUDA (NVIDIA, "CUDA Compatibility", table of
minor-version compatibility)."""
CACHE_BYTES = 1 << 30
MAKE = "run `make start` in the clone, which makes the environment"
SYSTEMS = {
    "Windows": (
        "Triton has no wheel for Windows. Work in WSL2 (wsl --install, then this course inside it; an NVIDIA GPU is seen "
        "there), or in Colab; `triton-windows` is a fork that this course does not test"
    ),
    "Darwin": (
        "Triton has no wheel for macOS, and no NVIDIA GPU is there. Work in Colab, or in a Linux container "
        "(the repository's .devcontainer), where kernels run on the course's virtual T4"
    ),
}


@dataclass(frozen=True)
class Row:
    """One thing that was looked at: its ``state`` is "ok", "note" (something is missing that one can learn without) or
    "wrong" (mend it first); ``found`` in words, ``remedy`` what to do, "" where nothing is."""

    what: str
    state: str
    found: str
    remedy: str = ""


def examine(facts: Facts) -> list[Row]:
    """Every finding about ``facts``, in the order a person mends them."""
    rows = [_system(facts), _python(facts), _torch(facts), _triton(facts), _gpu(facts)]
    rows += [_mode(facts), _pair(facts), _compiler(facts), _widgets(facts), _sandbox(facts), _grader(facts)]
    rows += [_work(facts), _disk(facts)]
    return [row for row in rows if row is not None]


def number(text: str) -> tuple[int, ...]:
    """The leading numbers of a version: (3, 8, 0) for "3.8.0+git"; () for what begins with none."""
    found = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(int(part) for part in found.group().split(".")) if found else ()


def runs_kernels(facts: Facts) -> bool:
    """Whether kernels can run here at all, on a GPU or on the CPU."""
    return facts.system == "Linux" and bool(facts.packages.get("torch") and facts.packages.get("triton"))


def _system(facts: Facts) -> Row:
    if facts.system in SYSTEMS:
        cpu = "The CPU lesson runs here: python -S -m learning.workshops.check online_normalizer"
        return Row("system", WRONG, f"{facts.system}: no Triton", f"{SYSTEMS[facts.system]}. {cpu}")
    told = "Linux" + (" under Windows (WSL)" if facts.wsl else "") + (", Colab" if facts.colab else "")
    return Row("system", OK, told if facts.system == "Linux" else facts.system)


def _python(facts: Facts) -> Row:
    told = ".".join(map(str, facts.python))
    low, high = PYTHON
    if facts.python[:2] < low:
        return Row(
            "Python",
            WRONG,
            f"{told}, and the course needs 3.11",
            "install Python 3.11, 3.12 or 3.13: make PYTHON=python3.12",
        )
    if facts.python[:2] > high:
        return Row(
            "Python", NOTE, f"{told}, which is newer than what was tested", "3.11 to 3.13 were: make PYTHON=python3.13"
        )
    return Row("Python", OK, told)


def _torch(facts: Facts) -> Row | None:
    found = facts.packages.get("torch", "")
    if not found:
        advice = MAKE if facts.checkout else "see the README, 'Install'; without a GPU take the CPU build"
        return Row(
            "torch", WRONG, "not installed", advice if facts.system == "Linux" else "comes with the way chosen above"
        )
    if number(found)[:2] < TORCH:
        return Row("torch", WRONG, f"{found}, and the course needs 2.10", "pip install --upgrade torch, or " + MAKE)
    return Row(
        "torch", OK, f"{found}, built for CUDA {facts.torch_cuda}" if facts.torch_cuda else f"{found}, CPU build"
    )


def _triton(facts: Facts) -> Row | None:
    found = facts.packages.get("triton", "")
    if not found:
        remedy = (
            "pip install --no-deps triton==3.6.0"
            if facts.packages.get("torch")
            else "comes with torch: mend that first"
        )
        return Row(
            "Triton", WRONG, "not installed", remedy if facts.system == "Linux" else "comes with the way chosen above"
        )
    low, high = TRITON
    if not low <= number(found)[:2] < high:
        return Row("Triton", NOTE if number(found)[:2] >= high else WRONG, f"{found}, and 3.6 to 3.9 are tested",
                   "pip install --no-deps triton==3.8.0, or the version your torch names")  # fmt: skip
    return Row("Triton", OK, found)


def _gpu(facts: Facts) -> Row:
    if facts.hidden is not None:
        return Row(
            "GPU",
            NOTE,
            f"hidden: CUDA_VISIBLE_DEVICES is {facts.hidden!r}",
            "unset CUDA_VISIBLE_DEVICES to use the GPU",
        )
    if facts.gpu is None and facts.nvidia_files:
        return Row("GPU", WRONG, "device files are there, but the driver does not answer",
                   "run nvidia-smi and mend what it says; in a container, start it with --gpus all")  # fmt: skip
    if facts.gpu is None:
        where = (
            "Runtime, Change runtime type, T4 GPU"
            if facts.colab
            else "a Colab notebook with a T4, or any Linux machine with an NVIDIA card"
        )
        return Row(
            "GPU", NOTE, "none: kernels run on the course's virtual T4; gate 06 and timings wait", f"for those: {where}"
        )
    gpu = facts.gpu
    told = f"{gpu.name}, {gpu.memory / 2**30:.0f} GiB, capability {gpu.capability[0]}.{gpu.capability[1]}, driver {gpu.driver}"
    if gpu.capability < CAPABILITY:
        return Row("GPU", WRONG, f"{told}: older than what the course supports",
                   "7.5 (Turing) is the oldest; set CUDA_VISIBLE_DEVICES= to work on the virtual T4 here")  # fmt: skip
    if facts.packages.get("torch") and not facts.torch_cuda:
        return Row("GPU", WRONG, f"{told}; torch is a CPU build and cannot use it",
                   "install the CUDA build: remove .venv, then TORCH=cuda make start")  # fmt: skip
    needed = DRIVERS.get((number(facts.torch_cuda) or (0,))[0], 0)
    if needed and number(gpu.driver) and number(gpu.driver)[0] < needed:
        return Row("GPU", WRONG, f"{told}: too old for CUDA {facts.torch_cuda}, which needs driver {needed}",
                   "update the driver, or install a torch that was built for an older CUDA")  # fmt: skip
    return Row("GPU", OK, told)


def _mode(facts: Facts) -> Row | None:
    if not facts.interpret:
        return None
    return Row("TRITON_INTERPRET", NOTE, "set: nothing is compiled, and a GPU is not used", "unset TRITON_INTERPRET")


def _pair(facts: Facts) -> Row | None:
    """Trap 2: loop bounds known at run time stop Triton 3.6's interpreter under numpy 2.4."""
    triton, numpy = number(facts.packages.get("triton", "")), number(facts.packages.get("numpy", ""))
    if not facts.packages.get("torch"):
        return None
    if not numpy:
        return Row("NumPy", WRONG, "not installed, and Triton's interpreter needs it", "pip install numpy")
    told = facts.packages["numpy"]
    if triton and triton[:2] <= (3, 6) and numpy[:2] >= (2, 4):
        return Row(
            "NumPy",
            OK,
            f"{told}; its trap with Triton {facts.packages['triton']} (loops in the interpreter) is corrected by the course",
        )
    return Row("NumPy", OK, told)


def _compiler(facts: Facts) -> Row | None:
    if not facts.packages.get("triton") or facts.system != "Linux":
        return None
    if facts.compiler:
        return Row(
            "compiler",
            NOTE,
            f"Triton cannot compile: {facts.compiler}",
            "until then kernels run in the interpreter alone, and the compiler's errors stay unseen",
        )
    return Row("compiler", OK, "Triton compiles for NVIDIA cards here")


def _widgets(facts: Facts) -> Row:
    if facts.colab:
        return Row("notebook", OK, "Colab's own")
    missing = [
        name
        for name in ("jupyterlab", "ipykernel", "ipywidgets", "anywidget", "matplotlib")
        if not facts.packages.get(name)
    ]
    if missing:
        return Row("notebook", NOTE, f"{', '.join(missing)} not installed: no notebook, or one without its checklist",
                   f"{MAKE}; or work in a terminal: python -m learning.workshops.check vector_add --py")  # fmt: skip
    unseen = [name for name, there in facts.extensions.items() if not there]
    if unseen:
        return Row("notebook", NOTE, f"JupyterLab does not find the front end of {', '.join(unseen)}: widgets show as text",
                   f"pip install --force-reinstall --no-deps {' '.join(unseen)}, then reload the page")  # fmt: skip
    return Row(
        "notebook",
        OK,
        f"JupyterLab {facts.packages['jupyterlab']}, ipywidgets {facts.packages['ipywidgets']}, anywidget {facts.packages['anywidget']}",
    )


def _sandbox(facts: Facts) -> Row | None:
    if facts.system != "Linux":
        return None
    if not facts.bubblewrap:
        return Row("sandbox", OK, "bubblewrap works")
    return Row("sandbox", NOTE, f"no bubblewrap: {facts.bubblewrap}; your own answers are checked all the same",
               "before you grade others: sudo apt-get install bubblewrap")  # fmt: skip


def _grader(facts: Facts) -> Row:
    found = facts.packages.get("nbgrader", "")
    if found:
        return Row("nbgrader", OK, found)
    return Row("nbgrader", OK, "not installed: only graders and instructors need it")


def _work(facts: Facts) -> Row:
    if facts.work_refuses:
        return Row(
            "work",
            WRONG,
            f"{facts.work} cannot be written: {facts.work_refuses}",
            "name another folder: LEARNING_WORK=~/kernels",
        )
    return Row("work", OK, f"{facts.work} can be written")


def _disk(facts: Facts) -> Row | None:
    if facts.cache_free >= CACHE_BYTES:
        return None
    return Row("disk", NOTE, f"{facts.cache_free / 2**20:.0f} MiB free where Triton keeps compiled kernels",
               "free a gigabyte, or name another folder: TRITON_CACHE_DIR")  # fmt: skip
