"""What the lens costs: a launch traced, and one watched for faults as in a parity call, against the same launch with
nobody watching; and what compiling for the card adds.

    python benchmarks/lens_overhead.py [--target interpreter|t4] [--pairs N]

Processor time, not wall time, in ABBA order, so that a busy machine does not decide; the record is kept in
benchmarks/results/lens-overhead.json under the target and Triton's version.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks" / "results" / "lens-overhead.json"
sys.path.insert(0, str(ROOT))
KINDS = (
    "add",
    "strided_copy",
    "softmax",
    "softmax_online",
    "rmsnorm",
    "matmul",
    "gemv",
    "attention",
    "windowed_decode",
)


def seconds(function) -> float:
    """Processor seconds of one call."""
    started = time.process_time()
    function()
    return time.process_time() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="t4", choices=("interpreter", "t4"))
    parser.add_argument("--pairs", type=int, default=10)
    options = parser.parse_args()

    from learning.lens import device, trace

    device.open(options.target)
    import torch
    import triton

    from learning.files import replace
    from learning.lens.witness import Witness
    from tests.lens.stories import kernels, products
    from tools import hardware

    torch.set_num_threads(1)
    rows = {}
    for kind in KINDS:
        function = getattr(kernels, kind, None) or getattr(products, kind)

        def plain(function=function):
            function(torch.float32, "cpu")

        def traced(plain=plain):
            with trace.recording():
                plain()

        def watched(plain=plain):
            with Witness("faults"):
                plain()

        first = seconds(plain)  # compiles, or finds the kernel in Triton's cache on disk
        traced(), watched()
        ratios, looks, base = [], [], []
        for pair in range(options.pairs):
            order = (plain, traced, watched) if pair % 2 else (watched, traced, plain)
            took = {run: seconds(run) for run in order}
            ratios.append(took[traced] / took[plain])
            looks.append(took[watched] / took[plain])
            base.append(took[plain])
        rows[kind] = {
            "plain_ms": round(statistics.median(base) * 1e3, 2),
            "first_ms": round(first * 1e3, 1),
            "traced_over_plain": round(statistics.median(ratios), 2),
            "range": [round(min(ratios), 2), round(max(ratios), 2)],
            "watched_over_plain": round(statistics.median(looks), 2),
        }
        print(
            f"{kind:16} {rows[kind]['plain_ms']:8.2f} ms  traced x {rows[kind]['traced_over_plain']:.2f}"
            f"  watched x {rows[kind]['watched_over_plain']:.2f}",
            flush=True,
        )
    kept = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    kept[f"{options.target}, triton {triton.__version__}"] = {
        "when": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": hardware.sentence(),
        "versions": hardware.versions(),
        "pairs": options.pairs,
        "median_ratio": round(statistics.median(row["traced_over_plain"] for row in rows.values()), 2),
        "median_watched": round(statistics.median(row["watched_over_plain"] for row in rows.values()), 2),
        "kernels": rows,
    }
    RECORD.parent.mkdir(exist_ok=True)
    replace(RECORD, json.dumps(kept, indent=1, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
