"""Run every story on one target and print {story: "" or what went wrong} as JSON on the last line.

    python tests/lens/stories/run.py TARGET [WORD] [--uncorrected]

TARGET is interpreter, t4 or cuda; WORD keeps the stories whose "module.name" holds it, or one of several with commas between; ``--uncorrected`` runs them on Triton's
interpreter as it comes, to see what the corrections are worth.
"""

import inspect
import json
import os
import sys
import traceback
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

HELPERS = (
    "refused",
    "a_t4_converts_fp16_to_bf16",
    "snapshot",
    "traced",
    "passes",
    "found",
    "tile",
    "kernels_line",
    "heard",
    "told_of",
)
DTYPES = ("float32", "float16", "bfloat16")


def near(got, expected, condition):
    """Raise where ``got`` is further from ``expected`` than rounding in its dtype explains."""
    import torch

    eps = torch.finfo(got.dtype).eps
    error = (got.double() - expected).abs().max().item()
    # the scale of the result plus what intermediate fp32 sums of the given condition can lose
    allowed = eps * max(expected.abs().max().item(), 1e-6) + condition * (2e-6 if eps < 1e-5 else eps * 0.25)
    assert error <= allowed, f"off by {error:.3g}, allowed {allowed:.3g}"


def stories(target):
    """(name, callable) of every story the device can run."""
    import torch
    import triton

    from tests.lens.stories import corrections, kernels, products

    place = "cuda" if target == "cuda" else "cpu"
    special = [corrections]
    if place == "cpu":
        from tests.lens.stories import tracing

        special.append(tracing)
    if target == "t4":
        from tests.lens.stories import compiling, verdicts, virtual

        special += [compiling, verdicts, virtual]
    if target in ("t4", "cuda"):
        from tests.lens.stories import launching

        special.append(launching)

    version = tuple(int(part) for part in triton.__version__.split(".")[:2])
    for module in (kernels, products):
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if name.startswith("_") or function.__module__ != module.__name__:
                continue
            if name == "matmul_by_block_pointer" and version >= (3, 9):
                continue  # removed from Triton in 3.9
            for dtype in DTYPES:
                yield (
                    f"{module.__name__.rpartition('.')[2]}.{name}[{dtype}]",
                    lambda f=function, d=dtype: near(*f(getattr(torch, d), place)),
                )
    for module in special:
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ != module.__name__ or name.startswith("_") or name in HELPERS:
                continue
            if place == "cuda" and function in corrections.CPU_ONLY:
                continue
            yield f"{module.__name__.rpartition('.')[2]}.{name}", lambda f=function: f(place)


def main(target, word="", corrected=True):
    """Open ``target``, run the stories whose name holds ``word``, print the outcome."""
    if corrected:
        from learning.lens import device

        device.open("" if target == "default" else target)
    else:
        os.environ["TRITON_INTERPRET"] = "1"
    warnings.simplefilter("ignore")
    results = {}
    for name, story in stories(target):
        if any(part in name for part in word.split(",")):
            try:
                story()
                results[name] = ""
            except Exception:
                results[name] = traceback.format_exc(limit=-6)
    print(json.dumps(results))


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--uncorrected"]
    main(*arguments, corrected="--uncorrected" not in sys.argv)
