"""Compile what a lesson's answer launches, for a GPU that is not there, and print what the compiler made of it.

Run in a process of its own, without ``TRITON_INTERPRET``: ``python cross_compile.py SLUG CAPABILITY…``. The launches are
the ones the lesson's own checks provoke, each in every floating dtype; nothing is run. Prints one JSON list of kernels.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import math
import re
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.runtime.jit import JITFunction

from learning import contract
from learning import lesson as lessons
from learning.judge import Check, setting
from learning.judge.finding import NeedsDevice
from learning.judge.seen import Counts
from learning.judge.trial import Trial
from learning.lens import assembler, device
from learning.lens import ptx as reader

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


class Unseen:
    """A structure of which nothing is demanded."""

    def __init__(self):
        self.inputs = self.outputs = defaultdict(Counts)

    def __getattr__(self, name):
        return lambda *args, **demands: None


class Provoking(Trial):
    """A trial that calls the answer with every judged case, in every dtype that it takes, and judges nothing."""

    dtypes = DTYPES
    taken = DTYPES

    def parity(self, entry, *args, reference=None, oracle=None, exact=False, k=2.0, c=None, scale=None, working=None, terms=0,
               yardstick=None, tile=None, atomics=False, repeats=None, names=(), outputs=(), **options):  # fmt: skip
        for dtype in self.taken:
            entry(*(retyped(value, dtype) for value in args), **options)

    def structure(self, entry, *args, reference=None, **options):
        self.parity(entry, *args, **options)
        return Unseen()

    def faster(self, entry, args, **options):
        raise NeedsDevice("nothing is timed here")

    def returns(self, entry, *args, **options):
        return entry(*args, **options)

    def interleaved(self, entry, args, other, **options):
        entry(*args, **options), entry(*other, **options)

    def expect(self, *condition, **words): ...

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


def launches(slug: str) -> list[tuple]:
    """The answer's launches as (kernel, arguments, options): of each kernel and number of warps those with the largest
    tile, where a spill shows first, and those with the smallest, where a shape of 1 may not compile."""
    folder = lessons.load(slug).folder
    found, run = [], JITFunction.run
    JITFunction.run = lambda self, *args, grid, warmup, **options: found.append((self, args, options))
    try:
        answer = load(folder / "answer.py")
        for name in ("checks", "hidden"):
            for check in vars(load(folder / f"{name}.py")).values():
                if isinstance(check, Check):
                    trial = Provoking(check, setting.current())
                    trial.taken = getattr(answer, "DTYPES", DTYPES)
                    try:
                        check.function(*(getattr(answer, entry) for entry in check.entries), trial)
                    except NeedsDevice:
                        continue
    finally:
        JITFunction.run = run
    groups: dict[tuple, dict[int, list]] = {}
    for launch in found:
        kernel, _, options = launch
        groups.setdefault((kernel, options.get("num_warps", 4)), {}).setdefault(tile(*launch), []).append(launch)
    return [launch for tiles in groups.values() for size in {min(tiles), max(tiles)} for launch in tiles[size]]


def tile(kernel: JITFunction, args: tuple, options: dict) -> int:
    """The product of a launch's whole-number constexprs: how much one program holds, up to a constant."""
    bound = inspect.signature(kernel.fn).bind_partial(
        *args, **{k: v for k, v in options.items() if k in kernel.arg_names}
    )
    sizes = [bound.arguments.get(p.name, p.default) for p in kernel.params if p.is_constexpr]
    return math.prod(size for size in sizes if type(size) is int)


def compiled(chosen: list[tuple], capability: int) -> list:
    """Each distinct kernel that the ``chosen`` launches need on ``capability``."""
    triton.runtime.driver.set_active(NoDriver(capability))
    kernels = [kernel.run(*args, grid=(1,), warmup=True, **options) for kernel, args, options in chosen]
    return list({kernel.hash: kernel for kernel in kernels}.values())


def load(path: Path):
    """The module in ``path``, with what the notebook's set-up cell would have put beside it."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    module.DEVICE = "cpu"
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def assembled(kernel) -> dict:
    """What ``ptxas -v`` says of a kernel's PTX: registers, spilled bytes, and the shared memory of its metadata; and what the
    PTX holds: instructions on tensor cores, fused multiply-adds, copies to shared memory that nobody waits for, bf16."""
    ptx = kernel.asm["ptx"]
    target = re.search(r"^\.target (sm_\w+)", ptx, re.MULTILINE)[1]
    listing, (_, said) = reader.read(ptx), assembler.assemble(ptx, target)
    return {
        "kernel": kernel.metadata.name,
        "tensor_cores": listing.units["mma.sync"] + listing.units["wgmma"],
        "fma": listing.units["fma"],
        "async_copies": len(re.findall(r"\bcp\.async(?:\.bulk[\w.]*|\.c[ag])\.shared", ptx)),
        "bf16": len(re.findall(r"^[^/\n]*\.bf16", ptx, re.MULTILINE)),
        "warps": kernel.metadata.num_warps,
        "target": target,
        "shared": kernel.metadata.shared,
        "registers": int(re.search(r"Used (\d+) registers", said)[1]),
        "spilled": sum(int(n) for n in re.findall(r"(\d+) bytes spill", said)),
        "types": sorted(set(re.findall(r"\*(fp32|fp16|bf16)", str(kernel.src.signature)))),
    }


def main(slug: str, *capabilities: str) -> None:
    """Print what the compiler made of the answer's launches on each capability ("75", "80", …)."""
    device._opened = device.Device("interpreter", "cpu", "no device: compiling only")
    contract._kernel_device = lambda: "cpu"
    with setting.use(setting.Setting(lesson=slug, device="interpreter")), ThreadPoolExecutor(2) as pool:
        chosen = launches(slug)
        kernels = [kernel for capability in capabilities for kernel in compiled(chosen, int(capability))]
        print(json.dumps(list(pool.map(assembled, kernels))))


if __name__ == "__main__":
    main(*sys.argv[1:])
