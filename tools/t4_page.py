"""Write docs/t4.md, "What a T4 changes": what the compiler makes of every answer for a T4, what is published of the card, and
what is estimated from both. Nothing in it is measured on a T4.

    python tools/t4_page.py [LESSON…]     compile the answers anew (all, or those named) for a T4 and an A100, keep the figures in
                                          benchmarks/results/t4-compiled.json, write the page
    python tools/t4_page.py --page        write the page from what is kept

No GPU is needed. A test fails where the page is not what record, cards and plans give, or an answer is no longer the compiled one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "t4.md"
RECORD = ROOT / "benchmarks" / "results" / "t4-compiled.json"
MEMORY = ROOT / "benchmarks" / "results" / "peak-memory.json"
LEDGER = ROOT / "learning" / "ledger" / "table.json"
COMPILER = ROOT / "tests" / "lessons" / "cross_compile.py"
sys.path.insert(0, str(ROOT))

from learning import lesson as lessons  # noqa: E402
from learning import sources  # noqa: E402
from learning.bench import plan, report  # noqa: E402
from learning.files import replace  # noqa: E402
from learning.lens import cards, roofline  # noqa: E402
from learning.lens.device import Device  # noqa: E402

TARGETS = ("75", "80")
COMPILED, PUBLISHED, ESTIMATED = "compiled", "published", "estimated"
CARDS = [cards.CARDS[arch] for arch in (75, 80, 90)]
T4 = CARDS[0]
SOURCES = {
    "guide": "NVIDIA, CUDA C++ Programming Guide: “Compute Capabilities”, tables of features and technical specifications",
    "sheets": "NVIDIA's data sheets: T4 (70 W, 16 GB GDDR6), A100 40GB (SXM4), H100 (SXM5)",
    "papers": "NVIDIA's architecture papers: Turing (appendix on TU104), A100, H100",
}


def code_hash(lesson: lessons.Lesson) -> str:
    """SHA-256 of the answer's code, which comments and docstrings are no part of: what the compiler sees of it."""
    return sources.code_sha256((lesson.folder / "answer.py").read_text(encoding="utf-8"))


def compiled(lesson: lessons.Lesson) -> dict:
    """The answer's kernels, as the lesson's own checks launch them in every dtype, for a T4 and an A100: the extremes."""
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment |= {"PYTHONPATH": str(ROOT), "TRITON_DEFAULT_FP_FUSION": "1"}
    done = subprocess.run(
        [sys.executable, str(COMPILER), lesson.slug, *TARGETS], env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{lesson.slug} does not compile:\n{done.stderr[-2000:]}")
    return {"answer": code_hash(lesson), "cards": summary(json.loads(done.stdout))}


def summary(kernels: list[dict]) -> dict:
    """Target → the figures kept of what ``cross_compile.py`` prints."""
    found = {}
    for target in TARGETS:
        mine = [kernel for kernel in kernels if kernel["target"].startswith(f"sm_{target}")]
        most = {
            name: max(kernel[name] for kernel in mine) for name in ("registers", "spilled", "shared", "fma", "bf16")
        }
        counts = {name: sum(kernel[name] > 0 for kernel in mine) for name in ("tensor_cores", "async_copies")}
        found[f"sm_{target}"] = {"kernels": len(mine), **most, **counts}
    return found


def row(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def size(count: float) -> str:
    return f"{count / (1 << 20):g} MiB" if count >= 1 << 20 else f"{count / 1024:g} KiB"


def card_rows() -> list[str]:
    """The card beside two newer ones: limits and rates, each with where it comes from."""
    ledger = json.loads(LEDGER.read_text(encoding="utf-8"))["rows"]
    yes = ["no", "yes", "yes"]
    lines = [row("what", *(card.name for card in CARDS), "origin"), "|---|---|---|---|---|"]
    facts = [
        ("shared memory a block may ask for", [size(c.shared_block) for c in CARDS], "guide"),
        ("threads a multiprocessor holds", [c.threads for c in CARDS], "guide"),
        ("blocks a multiprocessor holds", [c.blocks for c in CARDS], "guide"),
        ("arithmetic in bfloat16", yes, "guide"),
        ("copies to shared memory that nobody waits for", yes, "guide"),
        ("multiprocessors", [c.processors for c in CARDS], "papers"),
        ("L2 cache", [size(c.cache) for c in CARDS], "papers"),
        ("memory", [f"{c.memory / 1e9:g} GB" for c in CARDS], "sheets"),
        ("memory moves", [f"{c.bandwidth / 1e9:g} GB/s" for c in CARDS], "sheets"),
        ("fp32 operations", [f"{c.flops / 1e12:g} TFLOP/s" for c in CARDS], "sheets"),
        ("fp16 operations in tensor cores", [f"{c.half_flops / 1e12:g} TFLOP/s" for c in CARDS], "sheets"),
    ]
    lines += [row(what, *values, f"{PUBLISHED} ({where})") for what, values, where in facts]
    newest = list(ledger["16/what_multiplies@compiled"])[-1]
    told = {key: ledger[key][newest] for key in ("16/what_multiplies@compiled", "17/one_to_four_stages@compiled")}
    product, stages = told.values()
    lines += [
        row("what multiplies a fp16 tile", "FMA", product["right"].split(": ")[1], "", f"{COMPILED} ([trap 16](gotchas.md))"),
        row("kernels made of `num_stages` 1 to 4", stages["wrong"].split(": ")[1].split()[0], stages["right"].split(": ")[1],
            "", f"{COMPILED} ([trap 17](gotchas.md))"),
    ]  # fmt: skip
    assert "float16 FMA" in product["wrong"]
    return lines


def answer_rows(kept: dict) -> list[str]:
    """One row a lesson: the extremes over every kernel that its checks launch."""
    lines = [
        row("lesson", "kernels", "registers", "spilled", "shared memory", "most FMA in one", "with tensor cores",
            "with async copies", "with bf16 instructions", "the same on an A100"),
        "|---|" + "---:|" * 8 + "---|",
    ]  # fmt: skip
    for slug, one in kept["lessons"].items():
        mine, newer = (one["cards"][f"sm_{target}"] for target in TARGETS)
        there = f"{newer['tensor_cores']} of {newer['kernels']} with tensor cores, {newer['async_copies']} with async copies"
        lines.append(
            row(f"{lessons.load(slug).id} {slug}", mine["kernels"], mine["registers"], mine["spilled"], mine["shared"], mine["fma"],
                mine["tensor_cores"], mine["async_copies"], mine["bf16"], there)
        )  # fmt: skip
    return lines


def time_rows(kept: dict) -> list[str]:
    """One row a lesson: the roofline's floor of its first shape, and what the cells should take."""
    from learning.bench import notebook

    lines = [
        row("lesson", "timed on", "no faster than", "held by", "benchmark cell", "all cells, compiling included"),
        "|---|---|---:|---|---:|---:|",
    ]
    for lesson in planned():
        found = plan.load(lesson)
        shape = found.shapes[0]
        args, kwargs = found.inputs(plan.Draw(0, "meta"), **shape.sizes)
        roof = roofline.roof(found.work(*args, **kwargs), "t4")
        cell = notebook.estimate(found)
        known = kept["lessons"].get(lesson.slug)
        whole = f"{(cell + known['cards']['sm_75']['kernels']) / 60:.1f} min" if known else "not compiled yet"
        floor = report.time_text(1e6 * roof.floor)
        bound = {"memory": "memory", "compute": "arithmetic"}.get(roof.bound, "launching")
        lines.append(row(f"{lesson.id} {lesson.slug}", shape.about, floor, bound, f"{cell:.0f} s", whole))
    return lines


def memory_rows() -> list[str]:
    """What each lesson's benchmark should hold at most, and what it was measured to take under a cap of 12 GB."""
    from learning.bench import footprint

    record = json.loads(MEMORY.read_text(encoding="utf-8")) if MEMORY.is_file() else {"lessons": {}}
    lines = [
        row("lesson", "inputs", "at its fullest", "measured on another card: taken in all", "in tensors"),
        "|---|---:|---:|---:|---:|",
    ]
    for lesson in planned():
        found = plan.load(lesson)
        made = max((footprint.estimate(found, shape) for shape in found.shapes), key=lambda one: one.total)
        one = record["lessons"].get(lesson.slug)
        if one is None:
            told = ("not measured yet", "")
        elif "failed" in one:
            told = (f"failed: {one['failed']}".replace("|", "\\|"), "")
        else:
            told = (
                f"{one['taken'] / 1e9:.2f} GB",
                f"{max(p['allocated'] for p in one['parts'].values()) / 1e9:.2f} GB",
            )
        lines.append(
            row(f"{lesson.id} {lesson.slug}", f"{made.inputs / 1e9:.2f} GB", f"{made.total / 1e9:.2f} GB", *told)
        )
    if record["lessons"]:
        versions = record["environment"]
        lines += [
            "", f"Measured: `python benchmarks/peak_memory.py`, {record['date']}, {record['card']}, torch {versions['torch']}, Triton "
            f"{versions['triton']}, each lesson in a process that may allocate no more than 12 GB.",
        ]  # fmt: skip
    else:
        lines += [
            "",
            "Nothing is measured yet: `python benchmarks/peak_memory.py` on a machine with a GPU writes the record.",
        ]
    return lines


def planned() -> list[lessons.Lesson]:
    return [lesson for lesson in lessons.discover() if plan.has_plan(lesson)]


def page() -> str:
    """The whole page out of the records, the cards and the lessons' plans."""
    kept = json.loads(RECORD.read_text(encoding="utf-8"))
    mine = [one["cards"]["sm_75"] for one in kept["lessons"].values()]
    refusal = Device("cuda", "cuda", "a T4", T4.capability).refuses("bfloat16")
    balance = T4.flops / T4.bandwidth
    held = f"{sum(one['kernels'] for one in mine)} kernels, {max(one['spilled'] for one in mine)} bytes spilled, at most " \
        f"{max(one['shared'] for one in mine)} of {T4.shared_block} bytes of shared memory"  # fmt: skip
    lines = [
        "# What a T4 changes",
        "",
        "The T4 is the card that Colab lends for nothing, so it is the course's yardstick. **Nothing on this page was measured on a T4:",
        "none was to be had.** Each table says where its figures come from. *Compiled*: Triton made machine code for the card, ahead of",
        "time. *Published*: the maker says so, in the source named. *Estimated*: computed from the other two, and perhaps wrong.",
        "Made by `tools/t4_page.py`; a test fails where the page and what it is made from differ, another where an answer has changed.",
        "",
        "## What is different about the card?",
        "",
        *card_rows(),
        "",
        *(f"- {name}: {text}." for name, text in SOURCES.items()),
        "",
        f"By these rates a T4 does {balance:.0f} fp32 operations in the time in which it moves one byte. Below that a kernel waits for memory;",
        "a product of large matrices lies above it, and there an fp16 kernel of yours computes at the fp32 rate while cuBLAS uses the",
        "tensor cores. That gap cannot be won.",
        "",
        "## What does the compiler make of the answers?",
        "",
        f"Origin: {COMPILED}, Triton {kept['triton']}. The kernels are those that each lesson's own checks launch, in every dtype: of each kernel",
        f"those with the smallest and the largest tile. In all: {held}. A table cell is the most of any kernel, or the number of kernels.",
        "",
        *answer_rows(kept),
        "",
        "No kernel for a T4 holds a tensor-core instruction, an async copy or a bf16 instruction: products become scalar multiply-adds, loads",
        "are waited for, and bf16 is put together from whole-number operations. Per case and kernel: [compiled.md](compiled.md).",
        "",
        "## What do the lessons do about it?",
        "",
        "- **Tiles.** An answer's own configurations fit a T4. Wider ones, for tensor cores, stand beside them and are tried from sm_80 on.",
        f"- **bfloat16.** Skipped, with the reason in the report: “{refusal}”. No points hang on it.",
        "- **fp32 products.** A T4 has no TF32, so a kernel that forgot `input_precision=\"ieee\"` is right there and wrong on newer cards.",
        "  Only a newer card shows that to the checks.",
        "- **Speed.** Points for speed are a ratio to our answer, timed in turn with yours on the same card: at most 1.25 × for all of them, 2 ×",
        "  for half. What slows a T4 slows both. No time in µs is asked for.",
        "- **`num_stages`** is not tuned for a T4: it changes nothing there.",
        "",
        "## How long does it take?",
        "",
        f"Origin: {ESTIMATED}. *No faster than* is the roofline's floor by the published rates. *Benchmark cell* adds `do_bench`'s own warm-up, cache",
        "flushes and launches, each peer counted at three times the floor; *all cells* adds one second a kernel for compiling.",
        "",
        *time_rows(kept),
        "",
        "## Does it fit?",
        "",
        f"Origin of the first two columns: {ESTIMATED}, from shapes: the benchmark cell at its fullest, with the float64 oracle and PyTorch's",
        "temporaries, without the CUDA context and a kernel's scratch. The bar is 12 GB of the card's 16.",
        "",
        *memory_rows(),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def stale(kept: dict) -> list[str]:
    """The lessons whose answer is not the one whose figures are kept."""
    return [one.slug for one in planned() if kept["lessons"].get(one.slug, {}).get("answer") != code_hash(one)]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", nargs="*")
    parser.add_argument("--page", action="store_true", help="compile nothing")
    options = parser.parse_args(argv)
    kept = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {"format": 1, "lessons": {}}
    if not options.page:
        import triton

        chosen = [lessons.find(name) for name in options.lessons] or planned()
        if options.lessons and kept.get("triton") not in (None, triton.__version__):
            raise SystemExit(f"the kept figures are of Triton {kept['triton']}: compile all lessons anew (name none)")
        kept["triton"], order = triton.__version__, [one.slug for one in planned()]
        for lesson in chosen:
            kept["lessons"][lesson.slug] = compiled(lesson)
            kept["lessons"] = {slug: kept["lessons"][slug] for slug in order if slug in kept["lessons"]}
            replace(RECORD, json.dumps(kept, indent=1) + "\n")
            print(f"{lesson.slug}: {kept['lessons'][lesson.slug]['cards']}", flush=True)
    left = stale(kept)
    if left:
        print(f"not compiled as they stand: {', '.join(left)}: python tools/t4_page.py {' '.join(left)}")
        return 1
    replace(PAGE, page())
    print(f"{PAGE.relative_to(ROOT)}: written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
