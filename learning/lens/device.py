"""The one door through which kernels run.

``open()`` decides once, before Triton is imported, and without initialising CUDA (a fork server may call it): an NVIDIA
GPU where there is one, else a virtual T4, for which Triton compiles while its interpreter, corrected, computes on the CPU.
Where Triton cannot compile, the interpreter alone. Notebooks, ``check``, the judge and the tests all come through here,
so that one cell runs on every machine.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from dataclasses import dataclass, field
from typing import Any

from learning.lens import cards, nvml, toolchain

TARGETS = ("", "cuda", "interpreter", *cards.TARGETS)
DEFAULT = "t4"
SUPPORTED = "3.6 to 3.9"


class DeviceError(RuntimeError):
    """The device asked for cannot be opened here; the message says why and what to do."""


@dataclass(frozen=True)
class Device:
    """Where kernels run.

    ``kind`` is "cuda" or "interpreter"; ``torch_device`` ("cuda" or "cpu") is where tensors live; ``name`` is for people;
    ``capability`` is the GPU's (major, minor), or that of the card a virtual GPU compiles for, None on the plain
    interpreter; ``corrections`` are (name, state, sentence) of what the course mends in Triton's interpreter; ``target``
    is "sm_75", "sm_80" or "sm_90" on a virtual GPU (whose ``kind`` is "interpreter", as that is what computes), else "";
    ``uncompiled`` says, where nobody asked for the plain interpreter, why there is no virtual GPU here.
    """

    kind: str
    torch_device: str
    name: str
    capability: tuple[int, int] | None = None
    corrections: tuple[tuple[str, str, str], ...] = ()
    details: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    target: str = ""
    uncompiled: str = ""

    @property
    def place(self) -> str:
        """The target that opens this device again in another process: "cuda", "interpreter" or a card's."""
        return self.target or self.kind

    def refuses(self, dtype: Any) -> str | None:
        """Why values of ``dtype`` (a torch dtype or its name) are not judged here, as one sentence; None if they are."""
        name = str(dtype).removeprefix("torch.")
        if name.startswith("float8"):
            return f"{name} is no part of the course's contracts"
        if name != "bfloat16":
            return None
        if self.kind == "cuda" and self.capability is not None and self.capability < (8, 0):
            return f"bfloat16 is emulated on {self.name}, which has no bf16 units; the course judges float16 there"
        if self.kind == "interpreter" and ("bfloat16", "wrong") in {(n, state) for n, state, _ in self.corrections}:
            return "bfloat16 is wrong in this Triton's interpreter, and the course's correction does not mend it"
        return None

    def explain(self) -> list[tuple[str, str]]:
        """Rows (what, value) of the machine table a notebook's first cell shows."""
        rows = [("device", self.name), *self.details]
        if self.uncompiled:
            rows.append(("compiles for", f"no card, so that errors of the compiler stay unseen: {self.uncompiled}"))
        mended = [name for name, state, _ in self.corrections if state == "corrected"]
        wrong = [name for name, state, _ in self.corrections if state == "wrong"]
        if mended:
            rows.append(("corrected here", ", ".join(mended)))
        if wrong:
            rows.append(("still wrong here", ", ".join(wrong)))
        refused = self.refuses("bfloat16")
        if refused:
            rows.append(("not judged", refused))
        return rows


_opened: Device | None = None


def open(target: str = "") -> Device:
    """Open the device kernels run on, once a process, and return it.

    ``target`` "" takes the GPU where there is one, else the virtual T4, else, where Triton cannot compile, the plain
    interpreter. "cuda" and "interpreter" insist, as do "t4" (or "sm_75"), "sm_80" and "sm_90" on a virtual GPU: Triton
    compiles for that card, its interpreter computes on CPU tensors; from one of these to another it may be opened again.
    Setting ``TRITON_INTERPRET=1`` beforehand asks for the plain interpreter. Call it before Triton is imported.

    Raises ``DeviceError`` where the target is not to be had, where Triton or torch is missing, and where Triton was
    imported earlier in the other mode; the message names the remedy.
    """
    global _opened
    if target not in TARGETS:
        raise DeviceError(f"there is no target {target!r}; the targets are {', '.join(t or repr(t) for t in TARGETS)}")
    if _opened is not None and target in ("", *(aliases(_opened.target) or (_opened.kind,))):
        return _opened
    if _opened is not None and not (_opened.target and _virtual(target)):
        raise DeviceError(
            f"this process already runs kernels on {_opened.name}; restart it (in a notebook: restart the kernel) "
            f"to use target {target!r}"
        )
    _require("torch", "triton")
    if _virtual(target):
        _opened = _open_virtual(_virtual(target))
    elif _wants_cuda(target):
        _opened = _open_cuda()
    else:
        _opened = _open_without_gpu(target)
    return _opened


def opened() -> Device | None:
    """The device this process has opened, None where it has opened none yet."""
    return _opened


def without_gpu() -> str:
    """The place that ``open()`` takes where no GPU is used: the virtual T4's, or "interpreter"; imports neither torch nor
    Triton."""
    plain = asked_for_interpreter() or _triton_mode() == "interpreted" or toolchain.complaint()
    return "interpreter" if plain else _virtual(DEFAULT)


def current() -> Device:
    """The device that was opened, opening the default one where none was."""
    return _opened or open()


def _require(*packages: str) -> None:
    for package in packages:
        try:
            importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            if package in sys.modules:
                continue
            remedy = "pip install triton==3.6.0 --no-deps" if package == "triton" else "see the README, 'Install'"
            if package == "triton" and platform.system() != "Linux":
                remedy = "Triton is published for Linux only: use Colab, WSL or a Linux container"
            raise DeviceError(f"{package} is not installed here, and kernels need it: {remedy}") from None


def asked_for_interpreter() -> bool:
    """Whether ``TRITON_INTERPRET`` asks for the plain interpreter."""
    return os.environ.get("TRITON_INTERPRET", "").lower() in ("1", "on", "true", "yes", "y")


def _wants_cuda(target: str) -> bool:
    if target == "interpreter":
        return False
    gpu = nvml.first_gpu()
    if target == "cuda":
        if gpu is None:
            raise DeviceError(
                "no NVIDIA GPU answers on this machine; leave the target out to use the interpreter, or open the "
                "notebook where there is a GPU (Colab: Runtime > Change runtime type > T4 GPU)"
            )
        if asked_for_interpreter():
            raise DeviceError("TRITON_INTERPRET is set, which keeps kernels off the GPU: unset it and start again")
        return True
    return gpu is not None and not asked_for_interpreter() and _cuda_of_torch() is not None


def _cuda_of_torch() -> str | None:
    """The CUDA version torch was built with, None for a CPU build."""
    import torch

    return torch.version.cuda


def _open_cuda() -> Device:
    gpu, cuda = nvml.first_gpu(), _cuda_of_torch()
    if gpu is None or cuda is None:
        raise DeviceError(
            "this torch was built without CUDA: install the CUDA build to use the GPU (README, 'Install')"
        )
    if _triton_mode() == "interpreted":
        raise DeviceError("Triton was imported with TRITON_INTERPRET set: unset it and restart the process or kernel")
    details = (
        ("compute capability", f"{gpu.capability[0]}.{gpu.capability[1]}"),
        ("GPU memory", f"{gpu.memory / 2**30:.0f} GiB"),
        ("driver", gpu.driver),
        *_versions(),
        ("CUDA of torch", cuda),
    )
    return Device("cuda", "cuda", gpu.name, gpu.capability, details=details)


def _open_without_gpu(target: str) -> Device:
    """The virtual T4, or the plain interpreter where that was asked for or Triton cannot compile."""
    if target == "interpreter" or asked_for_interpreter() or _triton_mode() == "interpreted":
        return _open_interpreter()
    why = toolchain.complaint()
    return _open_interpreter(why) if why else _open_virtual(_virtual(DEFAULT))


def _open_interpreter(uncompiled: str = "") -> Device:
    if _triton_mode() == "compiled":
        raise DeviceError(
            "Triton was imported before the course opened its device, so kernels would ask for a GPU: restart the "
            "process (in a notebook: restart the kernel) and run the first cell first"
        )
    os.environ["TRITON_INTERPRET"] = "1"
    from learning.lens import interpreter, virtual

    corrections = tuple((c.name, c.state, c.sentence) for c in interpreter.report())
    interpreter.install()
    virtual.install("t4")  # nothing is compiled here, but the autotuner asks a driver for its clock
    return Device(
        "interpreter",
        "cpu",
        "Triton's interpreter on the CPU",
        corrections=corrections,
        details=(("processor", platform.processor() or platform.machine()), *_versions()),
        uncompiled=uncompiled,
    )


def aliases(target: str) -> tuple[str, ...]:
    """Every name under which the virtual GPU ``target`` can be asked for; none for ""."""
    return tuple(name for name in cards.TARGETS if target and _virtual(name) == target)


def _virtual(target: str) -> str:
    """ "sm_75" and the like for the name of a virtual GPU, "" for any other target."""
    return cards.place(target) if target in cards.TARGETS else ""


def _open_virtual(target: str) -> Device:
    if _triton_mode() == "interpreted" or asked_for_interpreter():
        raise DeviceError(
            f"TRITON_INTERPRET is set, and target {target} needs Triton's compiler: unset it and restart the process "
            "(in a notebook: restart the kernel)"
        )
    why = toolchain.complaint()
    if why:
        raise DeviceError(f"target {target} needs Triton's compiler, and here {why}")
    folder = toolchain.writable_cache()
    # From Triton 3.9 the compiler warns that fused multiply-add will be off by default; the course keeps today's code.
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
    from learning.lens import interpreter, virtual

    card = virtual.install(target)
    return Device(
        "interpreter",
        "cpu",
        f"virtual {card.name}",
        card.capability,
        corrections=tuple((c.name, c.state, c.sentence) for c in interpreter.report() if c.name != "launch options"),
        details=(
            (
                "compiles for",
                f"{target}: {card.processors} multiprocessors, {card.shared_block // 1024} KiB shared a block",
            ),
            ("computes on", f"{platform.processor() or platform.machine()}, in Triton's interpreter"),
            *_versions(),
            *((("kept compiled code", folder),) if folder else ()),
        ),
        target=target,
    )


def _triton_mode() -> str:
    """How Triton was imported in this process: "interpreted", "compiled", or "" where it was not yet."""
    language = sys.modules.get("triton.language")
    if language is None:
        return ""
    return "interpreted" if type(language.sum).__name__ == "InterpretedFunction" else "compiled"


def _versions() -> tuple[tuple[str, str], ...]:
    rows = [("Python", platform.python_version())]
    for package in ("torch", "triton", "numpy"):
        version = importlib.metadata.version(package)
        if package == "triton" and not (3, 6) <= tuple(int(part) for part in version.split(".")[:2]) < (3, 10):
            version += f" (untested: the course supports {SUPPORTED})"
        rows.append((package, version))
    return tuple(rows)
