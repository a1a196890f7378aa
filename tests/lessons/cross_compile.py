"""Compile what a lesson's answer launches, for a GPU that is not there, and print what the compiler made of it.

Run in a process of its own, without ``TRITON_INTERPRET``: ``python cross_compile.py SLUG CAPABILITY…``. The launches are
the ones the lesson's own checks provoke, each in every floating dtype; nothing is run. Prints one JSON list of kernels.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.runtime.jit import JITFunction

from learning import lesson as lessons
from learning.judge import Check, setting
from learning.judge.finding import NeedsDevice
from learning.judge.trial import Trial
from learning.lens import device

DTYPES = (torch.float32, torch.float16, torch.bfloat16)


class NoDriver:
    """What Triton asks a driver before it compiles; each capability is a device of its own, so caches stay apart."""

    def __init__(self, capability: int):
        self.capability = capability

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", self.capability, 32)

    def get_current_device(self) -> int:
        return self.capability

    def get_current_stream(self, _device: int) -> int:
        return 0

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cpu")

    @staticmethod
    def is_active() -> bool:
        return True


class Provoking(Trial):
    """A trial that calls the answer with every judged case, in every dtype, and judges nothing."""

    dtypes = DTYPES

    def parity(self, entry, *args, reference=None, oracle=None, exact=False, k=2.0, c=None, scale=None, working=None,
               yardstick=None, tile=None, atomics=False, repeats=None, names=(), outputs=(), **options):  # fmt: skip
        for dtype in DTYPES:
            entry(*(retyped(value, dtype) for value in args), **options)

    def faster(self, entry, args, **options):
        raise NeedsDevice("nothing is timed here")

    def returns(self, entry, *args, **options):
        return entry(*args, **options)

    def same(self, *results, **words): ...

    def rejects(self, *args, **words): ...

    def house_rules(self, *args, **words): ...


def retyped(value, dtype):
    """``value`` in ``dtype`` with its strides and the alignment of its first element, contents of no interest."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return value
    reach = 1 + sum((n - 1) * s for n, s in zip(value.shape, value.stride(), strict=True)) if value.numel() else 0
    shift = value.storage_offset() % 16
    return torch.empty(shift + reach, dtype=dtype).as_strided(value.shape, value.stride(), shift)


def launches(slug: str, capability: int) -> list:
    """Every distinct compiled kernel that the answer's launches need on ``capability``."""
    lesson = lessons.load(slug)
    folder = lesson.folder
    triton.runtime.driver.set_active(NoDriver(capability))
    found, run = {}, JITFunction.run

    def compile_only(self, *args, grid, warmup, **options):
        kernel = run(self, *args, grid=grid, warmup=True, **options)
        found[kernel.hash] = kernel
        return kernel

    JITFunction.run = compile_only
    try:
        answer = load(folder / "answer.py")
        for name in ("checks", "hidden"):
            for check in vars(load(folder / f"{name}.py")).values():
                if isinstance(check, Check):
                    trial = Provoking(check, setting.current())
                    try:
                        check.function(*(getattr(answer, entry) for entry in check.entries), trial)
                    except NeedsDevice:
                        continue
    finally:
        JITFunction.run = run
    return list(found.values())


def load(path: Path):
    """The module in ``path``, with what the notebook's set-up cell would have put beside it."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    module.DEVICE = "cpu"
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def assembled(kernel) -> dict:
    """What ``ptxas -v`` says of a kernel's PTX: registers, spilled bytes, and the shared memory of its metadata."""
    ptx = kernel.asm["ptx"]
    target = re.search(r"^\.target (sm_\w+)", ptx, re.MULTILINE)[1]
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        command = [triton.knobs.nvidia.ptxas.path, "-v", f"--gpu-name={target}", file.name, "-o", os.devnull]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    return {
        "kernel": kernel.metadata.name,
        "warps": kernel.metadata.num_warps,
        "target": target,
        "shared": kernel.metadata.shared,
        "registers": int(re.search(r"Used (\d+) registers", said)[1]),
        "spilled": sum(int(n) for n in re.findall(r"(\d+) bytes spill", said)),
        "types": sorted(set(re.findall(r"\*(fp32|fp16|bf16)", kernel.asm["ttir"] + str(kernel.src.signature)))),
    }


def main(slug: str, *capabilities: str) -> None:
    device._opened = device.Device("interpreter", "cpu", "no device: compiling only")
    with setting.use(setting.Setting(lesson=slug, device="interpreter")), ThreadPoolExecutor(2) as pool:
        kernels = [kernel for capability in capabilities for kernel in launches(slug, int(capability))]
        print(json.dumps(list(pool.map(assembled, kernels))))


if __name__ == "__main__":
    main(*sys.argv[1:])
