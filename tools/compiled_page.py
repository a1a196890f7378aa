"""Write docs/compiled.md: what Triton's compiler makes of every lesson's answer, and of a matrix product's tiles, for three cards.

    .venv/bin/python tools/compiled_page.py [--check]

No GPU is needed or asked. ``--check`` writes nothing and exits with 1 where the page no longer says what the compiler does.
The page names the Triton it was made with, and only that release's figures are compared.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "compiled.md"
RECORD = ROOT / "benchmarks" / "results" / "lens-gpu.json"
sys.path.insert(0, str(ROOT))

from learning import lesson as lessons  # noqa: E402
from learning.attempts import answer  # noqa: E402
from learning.files import replace  # noqa: E402
from learning.lens import cards, device, facts, rehearsal  # noqa: E402

TARGETS = ("sm_75", "sm_80", "sm_90")
TILES = ((64, 64, 32, 4), (64, 64, 16, 8), (32, 32, 32, 4), (128, 64, 32, 8))
SMALL = "its small case"


def larger() -> dict[str, dict[str, Callable]]:
    """Lesson → what its text says of larger cases → the case: (entry) → anything."""
    import torch

    rows = torch.ones(2, 4096)
    weight = torch.ones(4096)
    return {
        "vector_add": {"4096 elements": lambda add: add(weight, weight.clone())},
        "strided_copy": {"a turned 128 × 256": lambda copy: copy(torch.ones(256, 128).t())},
        "softmax": {
            "rows of 4096": lambda softmax: softmax(rows),
            "rows of 4095": lambda softmax: softmax(torch.ones(2, 4095)),
        },
        "rmsnorm_residual": {"rows of 4096": lambda norm: norm(rows, rows.clone(), weight, 0.1)},
        "minmax": {"rows of 4096": lambda minmax: minmax(rows, 1.0)},
        "layernorm": {"rows of 4096": lambda norm: norm(rows, weight, weight.clone(), 0.1)},
        "strided_softmax": {
            "rows of 4096, side by side": lambda softmax: softmax(rows),
            "rows of 4096, two apart": lambda softmax: softmax(torch.ones(4096, 2).t()),
        },
        "softmax_backward": {
            "rows of 4096": lambda backward: backward(rows, rows.clone()),
            "rows of 8192, g one number": lambda backward: backward(
                torch.ones(1, 8192), torch.ones(1, 1).expand(1, 8192)
            ),
        },
        "split_softmax": {
            "rows of 8192, chunks of 1024": lambda softmax: softmax(torch.ones(1, 8192)),
            "rows of 8192, chunks of 4096": lambda softmax: softmax(torch.ones(1, 8192), chunk_size=4096),
        },
    }


def compiled(target: str) -> dict[str, dict[str, dict]]:
    """Lesson → case → figures of its kernel for ``target``, in this process, whose device may be opened for every card."""
    from learning.lens import compile as compiler

    device.open(target)
    made: list[Any] = []
    restore = _collecting(made)
    found: dict[str, dict[str, dict]] = {}
    folder = tempfile.TemporaryDirectory(prefix="compiled-page-")
    try:
        for card in lessons.discover():
            if card.kind != "gpu" or not rehearsal.path(card.folder).is_file():
                continue
            entries = _entries(card, folder.name)
            small = rehearsal._load(f"case_{card.slug}", str(rehearsal.path(card.folder))).trace_case
            for name, case in {SMALL: small, **larger().get(card.slug, {})}.items():
                made.clear()
                case(*entries)
                for kernel in {id(kernel): kernel for kernel in made}.values():
                    figures = compiler.report(kernel, cards.card(target)).as_dict()
                    found.setdefault(card.slug, {})[f"{name}: {figures['kernel']}"] = figures
    finally:
        restore()
        folder.cleanup()
    return found


def tiles(target: str) -> dict[str, dict]:
    """ "64 × 64 × 32, 4 warps, fp16" → figures of a matrix product with that tile."""
    import torch

    from learning.lens import compile as compiler
    from tests.lens.stories.products import matmul_kernel

    found = {}
    for dtype, word in ((torch.float16, "fp16"), (torch.float32, "fp32")):
        square = torch.empty(256, 256, dtype=dtype)
        for bm, bn, bk, warps in TILES:
            report = compiler.kernel(
                matmul_kernel, square, square, square, 256, 256, 256, 256, 1, 256, 1, BM=bm, BN=bn, BK=bk,
                num_warps=warps, target=target,
            )  # fmt: skip
            found[f"{bm} × {bn} × {bk}, {warps} warps, {word}"] = report.as_dict()
    return found


def _entries(card: lessons.Lesson, folder: str) -> list[Any]:
    """The answer's entries, from a module in ``folder``."""
    path = Path(folder, f"{card.slug}.py")
    path.write_text(
        "import torch\nimport triton\nimport triton.language as tl\nDEVICE = 'cpu'\n" + answer(card).source,
        encoding="utf-8",
    )
    module = rehearsal._load(f"answer_{card.slug}", str(path))
    return [getattr(module, entry) for entry in card.entries]


def _collecting(made: list) -> Callable[[], None]:
    from triton.runtime.jit import JITFunction

    run = JITFunction.run
    rehearsal._collect(made)

    def restore() -> None:
        JITFunction.run = run

    return restore


def page() -> str:
    import triton

    figures, products = {t: compiled(t) for t in TARGETS}, {t: tiles(t) for t in TARGETS}
    names = {target: cards.card(target).name for target in TARGETS}
    lines = [
        "# What the compiler makes of the lessons' answers",
        "",
        f"Made by `tools/compiled_page.py` with Triton {triton.__version__}, which compiled ahead of time on a machine without a",
        "GPU. These are figures of the compiler. Nothing here ran on a T4 or an A100, and no time follows from them. For an H200",
        "(sm_90), `benchmarks/lens_gpu.py` holds the registers against the driver's own count.",
        "",
        "Registers are 32-bit and a thread's; spilled is bytes a thread stores to memory for lack of registers; loads and stores",
        "are instructions in the PTX and the bytes one thread moves in each; the smallest cases have one element a thread or less,",
        "or lengths that are no multiple of 16, and so no wide loads.",
        "",
    ]
    for slug, cases in figures[TARGETS[0]].items():
        card = lessons.load(slug)
        lines += [
            f"## {card.id} {slug}",
            "",
            "| case and kernel | card | registers | spilled | shared | loads | stores | occupancy |",
        ]
        lines.append("|---|---|---|---|---|---|---|---|")
        for case in cases:
            for target in TARGETS:
                made = figures[target][slug][case]
                lines.append(
                    f"| {case} | {names[target]} | {made['registers']} | {made['spilled']} | {made['shared']} | "
                    f"{facts.widths(made['loads'])} | {facts.widths(made['stores'])} | {made['occupancy']:.0%} |"
                )
        lines.append("")
    lines += [
        "## A matrix product's tiles: where a T4 falls off",
        "",
        "Since Triton 3.4 `tl.dot` becomes scalar fused multiply-adds on sm_75, for every dtype: no tensor core is used there. The",
        "operands of a tile then stand in each thread's registers, fp16 ones widened first, and the usual tile of 64 × 64 × 32",
        "with 4 warps no longer fits. Newer cards multiply the same fp16 tile with tensor cores and spill nothing; fp32 is",
        "multiplied as IEEE here, which no tensor core does.",
        "",
        "| tile, operands | " + " | ".join(f"{names[target]}" for target in TARGETS) + " |",
        "|---|---|---|---|",
    ]
    for tile in products[TARGETS[0]]:
        cells = []
        for target in TARGETS:
            made = products[target][tile]
            spilled = f", **{made['spilled']} bytes spilled**" if made["spilled"] else ""
            cells.append(f"{made['unit']}, {made['registers']} registers{spilled}, {made['shared'] // 1024} KiB shared")
        lines.append(f"| {tile} | {' | '.join(cells)} |")
    return "\n".join([*lines, *against_a_gpu()]) + "\n"


def against_a_gpu() -> list[str]:
    """What the record of a GPU machine says of these figures and of the trace's; nothing where there is no record."""
    if not RECORD.exists():
        return []
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    parts = record["parts"]
    machine, kernels = parts["machine"], parts["registers"]["kernels"]
    same = sum(row["same"] for row in kernels)
    owners = [name for row in kernels if (name := row["kernel"].split(":")[0]) in lessons.slugs()]
    lines = [
        "",
        f"## Held against an {machine['gpu'].removeprefix('NVIDIA ')}",
        "",
        f"`benchmarks/lens_gpu.py`, {record['when']}, {machine['gpu']}, driver {machine['driver']}, torch {machine['torch']}, Triton",
        f"{machine['triton']}. Registers, stack and shared memory compiled ahead of time equalled the driver's for {same} of {len(kernels)}",
        f"kernels, and {sum(row['same_code'] for row in kernels)} had the same machine code: the answers of {', '.join(owners)},",
        "the five kernels below, and four tiles of a matrix product.",
        "",
        "What the trace counts beside the profiler's counters, caches cold, tensors far larger than the L2 of "
        f"{machine['l2_bytes'] >> 20} MiB. Requested and",
        "distinct are the trace's; sectors are 32 bytes; a kernel may end before its last writes have left the L2.",
        "",
        "| kernel | read: requested | distinct | DRAM | load sectors, profiler ÷ trace | store sectors | by the hook | by do_bench | floor |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in parts["traffic"]["kernels"]:
        time = parts["launches"]["times"][row["kernel"]]
        read = row["counters"]["dram__bytes_read.sum"]
        lines.append(
            f"| {row['kernel']} | {row['requested_read'] / 1e6:.0f} MB | {row['distinct_read'] / 1e6:.0f} MB | {read / 1e6:.0f} MB | "
            f"{row['sectors_over_traced_read']:.4f} | {row['sectors_over_traced_written']:.4f} | {time['hook_us']:.0f} µs | "
            f"{time['bench_us']:.0f} µs | {time['floor_us']:.0f} µs |"
        )
    return [*lines, "", *(f"- `{row['kernel']}`: {row['note']}." for row in parts["traffic"]["kernels"])]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the page is out of date")
    options = parser.parse_args(argv)
    if not options.check:
        replace(PAGE, page())
        print(f"{PAGE.relative_to(ROOT)}: written")
        return 0
    import triton

    kept = PAGE.read_text(encoding="utf-8")
    said = re.search(r"with Triton (\S+),", kept)
    if said is None or said.group(1) != triton.__version__:
        print(f"{PAGE.relative_to(ROOT)} is of another Triton than {triton.__version__}; nothing is compared")
        return 0
    if page() != kept:
        print(f"{PAGE.relative_to(ROOT)} is out of date: .venv/bin/python tools/compiled_page.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
