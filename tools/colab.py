"""Run the course's notebooks on a stand-in for a Colab runtime, and say what came of each.

    .venv/bin/python tools/colab.py [NOTEBOOK…] [--python PYTHON] [--cpu-image] [--minutes N] [--record] [--keep FOLDER]

Makes the student kit's wheel, and for each notebook (the releases with our answers typed in, and the companions; all where
none is named) a fresh runtime with Colab's packages, in which the notebook's first cell installs that wheel. Prints a table and
exits with 1 where a notebook did not come through: a traceback, a check that did not pass, a package that changed. What was not
reached in ``--minutes`` is listed. ``--record`` writes benchmarks/results/colab.json and docs/colab-stand-in.md.
"""

import argparse
import datetime
import json
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from learning.build import kit  # noqa: E402 - the clone is not necessarily installed
from learning.files import replace  # noqa: E402
from tools import colab_notebooks, colab_page, colab_runtime  # noqa: E402
from tools.colab_notebooks import Outcome  # noqa: E402

RECORD = ROOT / "benchmarks" / "results" / "colab.json"
PAGE = ROOT / "docs" / "colab-stand-in.md"


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit status: 0, 1 where a notebook failed, 3 where the stand-in cannot be made."""
    parser = argparse.ArgumentParser("tools/colab.py", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NOTEBOOK", help="lessons and companions; all where none is named")
    parser.add_argument("--python", default="", help="the interpreter under the runtimes, such as python3.13")
    parser.add_argument(
        "--cpu-image", action="store_true", help="runtimes without Triton, as Colab's without a GPU are"
    )
    parser.add_argument("--minutes", type=float, help="begin no notebook after so many minutes")
    parser.add_argument("--limit", type=float, default=300, metavar="SECONDS", help="the most a cell may take (300)")
    parser.add_argument("--record", action="store_true", help="write the results down, and the page that shows them")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the notebooks with their outputs here")
    chosen = parser.parse_args(arguments)
    if chosen.record and (chosen.names or chosen.minutes or chosen.cpu_image):
        parser.error("--record wants every notebook on the GPU's image: leave out the names, --minutes and --cpu-image")
    begun = time.monotonic()
    try:
        pages = colab_notebooks.pages(chosen.names)
        body = colab_runtime.body(chosen.python)
        triton = colab_runtime.wheels(body) if chosen.cpu_image else None
    except (KeyError, colab_runtime.NoBody) as error:
        print(f"colab: {error.args[0]}", file=sys.stderr)
        return 3
    print(f"colab: {body.sentence()}", flush=True)
    outcomes: list[Outcome] = []
    late: list[str] = []
    with tempfile.TemporaryDirectory(prefix="colab-kit-") as scratch:
        wheel = kit.make_wheel(kit.contents(), Path(scratch))
        unmet = colab_runtime.unmet(body, wheel)
        for told in unmet:
            print(f"colab: {wheel.name}: {told}", flush=True)
        for page in pages:
            if chosen.minutes and time.monotonic() - begun > chosen.minutes * 60:
                late.append(page.name)
                continue
            outcome, notebook = colab_notebooks.run(page, body, wheel, chosen.limit, triton)
            outcomes.append(outcome)
            print(f"colab: {page.name}: {outcome.sentence()}, {outcome.seconds:.0f} s", flush=True)
            if chosen.keep:
                replace(chosen.keep / f"{page.name}.ipynb", json.dumps(notebook, indent=1))
    print("\n".join(colab_page.text([colab_page.HEAD, *map(colab_page.row, outcomes)])))
    for outcome in outcomes:
        for told in outcome.faults:
            print(f"colab: {outcome.name}: {told}")
    if late:
        print(f"colab: not reached: {', '.join(late)}")
    good = sum(outcome.good for outcome in outcomes)
    print(f"colab: {good} of {len(outcomes)} notebooks came through in {time.monotonic() - begun:.0f} s")
    if chosen.record:
        record(body, wheel.name, unmet, outcomes)
    return 0 if good == len(outcomes) and not unmet else 1


def record(body: colab_runtime.Body, wheel: str, unmet: list[str], outcomes: list[Outcome]) -> None:
    """Write a whole run into the record, in place of the run before it under the same Python, and the page anew."""
    kept = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {"format": 1, "runs": {}}
    versions = body.sentence()
    kept["runs"][".".join(versions.split(",")[0].split()[1].split(".")[:2])] = {
        "date": datetime.date.today().isoformat(), "machine": colab_runtime.machine(), "versions": versions, "wheel": wheel,
        "unmet": unmet, "pages": [outcome.as_dict() for outcome in outcomes],
    }  # fmt: skip
    replace(RECORD, json.dumps(kept, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    replace(PAGE, colab_page.page(kept))
    print(f"colab: wrote {RECORD.relative_to(ROOT)} and {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.exit(main())
