"""The parts of ``lens_gpu.py``, one a process: ``python benchmarks/lens_gpu_parts.py PART`` prints a marked line of JSON."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
MARK = "lens-gpu:"
sys.path.insert(0, str(ROOT))


def machine() -> dict:
    import torch

    from learning.lens import device, nvml
    from tools import hardware

    device.open("cuda")
    properties = torch.cuda.get_device_properties(0)
    return hardware.cuda() | {
        "driver": nvml.first_gpu().driver, "cuda": torch.version.cuda,
        "l2_bytes": getattr(properties, "L2_cache_size", None), "multiprocessors": properties.multi_processor_count,
    }  # fmt: skip


def timed() -> dict:
    """Each case's time by the hook (median of 20), by do_bench, and its floor on the quoted ceiling."""
    from learning.lens import device, roofline, trace

    opened = device.open("cuda")
    import torch
    import triton
    from lens_kernels import CASES

    ceiling, found = quoted(opened.name), {}
    for case in CASES:
        launch, tensors = case.make(False, "cuda")
        launch()
        with trace.recording() as tape:
            for _ in range(20):
                launch()
        times = sorted(heard.microseconds for heard in tape.launches)
        floor = roofline.roof(roofline.tensors(*tensors.values()), ceiling).floor if ceiling else 0.0
        found[case.name] = {
            "hook_us": round(times[len(times) // 2], 2),
            "bench_us": round(triton.testing.do_bench(launch, return_mode="median") * 1e3, 2),
            "floor_us": round(floor * 1e6, 2),
            "grid": list(tape.launches[0].grid), "options": tape.launches[0].options,
        }  # fmt: skip
        del launch, tensors
        torch.cuda.empty_cache()
    return found


def ceilings() -> dict:
    from learning.lens import device, roofline

    opened = device.open("cuda")
    here = roofline.measure()
    known = quoted(opened.name)
    return {"measured_here": vars(here)} | ({"quoted": vars(known)} if known else {})


def quoted(name: str) -> Any:
    """The quoted ceiling of a card, None where nobody quoted one."""
    from learning.lens import roofline

    try:
        return roofline.ceiling(name)
    except KeyError:
        return None


def compiled() -> dict:
    """{"kernels": {"lesson: kernel": facts}, "failed": {lesson: why}} of the device that is open: the driver's, or the
    virtual card's, which reads the binary."""
    import torch
    from lens_kernels import CASES
    from triton.runtime.jit import JITFunction

    from learning import lesson as lessons
    from learning.lens import cubin, device
    from tests.lens.stories import products

    place, made, run = device.current().torch_device, [], JITFunction.run

    def collecting(self: Any, *args: Any, **kwargs: Any) -> Any:
        kernel = run(self, *args, **kwargs)
        if kernel is not None:
            made.append(kernel)
        return kernel

    def keep(owner: str, kernel: Any) -> None:
        kernel._init_handles()
        binary, name = kernel.asm["cubin"], kernel.metadata.name
        facts = {"registers": kernel.n_regs, "stack": 4 * kernel.n_spills, "shared": kernel.metadata.shared,
                 "warps": kernel.metadata.num_warps, "code": hashlib.sha256(cubin.code(binary, name)).hexdigest()[:16],
                 "in_binary": vars(cubin.usage(binary, name))}  # fmt: skip
        label = f"{owner}: {name}"
        while label in kernels and kernels[label]["code"] != facts["code"]:
            label += " (again)"
        kernels[label] = facts

    kernels: dict[str, dict] = {}
    failed: dict[str, str] = {}
    JITFunction.run = collecting
    try:
        for card in lessons.discover():
            if card.kind != "gpu":
                continue
            made.clear()
            try:
                _case(card, place)
            except Exception as reason:
                failed[card.slug] = f"{type(reason).__name__}: {reason}"[:300]
            for kernel in made:
                keep(card.slug, kernel)
    finally:
        JITFunction.run = run
    for case in CASES:
        made.clear()
        JITFunction.run = collecting
        launch, _ = case.make(True, place)
        launch()
        JITFunction.run = run
        keep("traffic", made[0])
    square = torch.empty(256, 256, dtype=torch.float16, device=place)
    for bm, bn, bk, warps in ((64, 64, 32, 4), (64, 64, 16, 8), (128, 128, 64, 8), (32, 32, 32, 4)):
        kernel = products.matmul_kernel.warmup(
            square, square, square, 256, 256, 256, 256, 1, 256, 1, BM=bm, BN=bn, BK=bk, num_warps=warps, grid=(1,)
        )
        keep(f"tile {bm}×{bn}×{bk}, {warps} warps", kernel)
    return {"kernels": kernels, "failed": failed}


def _case(card: Any, place: str) -> None:
    """Run a lesson's answer on its small case, with the case's tensors on ``place``."""
    import torch

    from learning.attempts import answer

    header = f"import torch\nimport triton\nimport triton.language as tl\nDEVICE = {place!r}\n"
    with tempfile.TemporaryDirectory() as folder:
        modules = []
        for name, text in (
            ("answer", header + answer(card).source),
            ("case", (card.folder / "trace_case.py").read_text()),
        ):
            path = Path(folder, f"{card.slug}_{name}.py")
            path.write_text(text, encoding="utf-8")
            spec = importlib.util.spec_from_file_location(path.stem, path)
            module = importlib.util.module_from_spec(spec)
            sys.modules[path.stem] = module
            spec.loader.exec_module(module)
            modules.append(module)
        with torch.device(place):
            modules[1].trace_case(*(getattr(modules[0], entry) for entry in card.entries))


def registers_offline() -> dict:
    from learning.lens import device

    device.open(os.environ.get("LENS_TARGET", "sm_90"))
    return compiled()


def registers_driver() -> dict:
    from learning.lens import device

    device.open("cuda")
    return compiled()


def traced() -> dict:
    """Bytes and sectors of each case by the trace of its small size, scaled to the large one."""
    from learning.lens import device, trace

    device.open("interpreter")
    from lens_kernels import CASES

    found = {}
    for case in CASES:
        launch, tensors = case.make(True, "cpu")
        with trace.recording() as tape:
            launch()
        counted = tape.launches[0].tensors
        # what does not grow with the programs (a weight that each row reads) is distinct once and requested by all
        grows = {name: case.scale if tensors[name].dim() > 1 or name != "weight_ptr" else 1 for name in counted}
        found[case.name] = {
            "requested_read": case.scale * sum(t.loaded * t.itemsize for t in counted.values()),
            "requested_written": case.scale * sum(t.stored * t.itemsize for t in counted.values()),
            "distinct_read": sum(grows[name] * t.distinct_loaded * t.itemsize for name, t in counted.items()),
            "distinct_written": sum(grows[name] * t.distinct_stored * t.itemsize for name, t in counted.items()),
            "sectors_read": case.scale * sum(t.load_sectors for t in counted.values()),
            "sectors_written": case.scale * sum(t.store_sectors for t in counted.values()),
            "passes": {name: [t.load_passes, t.store_passes] for name, t in counted.items()},
            "problems": [problem.sentence() for problem in tape.problems[:3]],
            "traced_programs": tape.launches[0].programs, "scale": case.scale, "note": case.note,
        }  # fmt: skip
    return found


def profiled() -> dict:
    """Launch each large case once under the profiler's eye, after one launch that compiles."""
    from learning.lens import device

    device.open("cuda")
    import torch
    from lens_kernels import CASES

    for case in CASES:
        launch, tensors = case.make(False, "cuda")
        launch()
        torch.cuda.synchronize()
        torch.cuda.profiler.start()
        launch()
        torch.cuda.synchronize()
        torch.cuda.profiler.stop()
        del launch, tensors
        torch.cuda.empty_cache()
    return {"launched": len(CASES)}


CHILDREN: dict[str, Callable[[], dict]] = {
    "machine": machine,
    "timed": timed,
    "ceilings": ceilings,
    "registers-offline": registers_offline,
    "registers-driver": registers_driver,
    "traced": traced,
    "profiled": profiled,
}

if __name__ == "__main__":
    print(MARK + json.dumps(CHILDREN[sys.argv[1]]()))
