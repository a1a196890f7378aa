"""Record what the ledger's exhibits show under every supported pair of Triton and numpy: learning/ledger/table.json.

    .venv/bin/python tools/ledger_table.py [ENVIRONMENT…]   # tools/matrix.py's environments; all where none is named
    .venv/bin/python tools/ledger_table.py --check          # this environment against the table; writes nothing
    python tools/ledger_table.py --gpu                      # on a GPU: benchmarks/results/ledger-gpu.json
    .venv/bin/python tools/ledger_table.py --page           # docs/gotchas.md and the notebook again, out of both records

Says what changed. Exit status 1 where a case failed, or, with --check, where a row differs; 3 where a run was not possible.
"""

import argparse
import datetime
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "tools"))

from learning.files import replace  # noqa: E402 - the clone is not necessarily installed
from learning.ledger import page, table  # noqa: E402
from learning.ledger.exhibit import COMPILED, FAILED  # noqa: E402
from learning.ledger.run import RunFailed, run  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="ENVIRONMENT", help="environments of tools/matrix.py")
    parser.add_argument(
        "--check", action="store_true", help="compare this environment with the table and write nothing"
    )
    parser.add_argument("--gpu", action="store_true", help="run the compiled cases on this machine's GPU and keep them")
    parser.add_argument(
        "--page", action="store_true", help="write docs/gotchas.md and its notebook from the records as they are"
    )
    chosen = parser.parse_args()
    try:
        if chosen.page:
            return pages()
        if chosen.gpu:
            return on_gpu()
        return check() if chosen.check else record(chosen.names)
    except RunFailed as error:
        print(error, file=sys.stderr)
        return 3


def check() -> int:
    """Run every exhibit here and print the rows that differ from the table's."""
    differing = table.differences(table.read(), run())
    print("\n".join(differing) or "every row is as recorded")
    return int(bool(differing))


def record(names: list[str]) -> int:
    """Run every exhibit in the named environments and write their columns."""
    import matrix

    unknown = [name for name in names if name not in matrix.BY_NAME]
    if unknown:
        print(f"no environment called {unknown[0]}; there are {', '.join(matrix.BY_NAME)}", file=sys.stderr)
        return 64
    failed = False
    for environment in [matrix.BY_NAME[name] for name in names] or matrix.ENVIRONMENTS:
        found = run(python=str(matrix.make(environment)))
        kept = table.read()
        name = table.column(found["environment"])
        print(f"{environment.name}: {name}: {len(found['rows'])} rows", flush=True)
        if name in kept["columns"]:
            print("\n".join(f"    {line}" for line in table.differences(kept, found)) or "    nothing changed")
        bad = {row: shown for row, shown in found["rows"].items() if shown["state"] == FAILED}
        for row, shown in bad.items():
            print(f"    {row} failed:\n{shown['wrong']}", file=sys.stderr)
        failed |= bool(bad)
        if not bad:
            replace(table.FILE, table.written(table.merged(kept, found)))
    return max(int(failed), pages())


def pages() -> int:
    """Write docs/gotchas.md and the ledger's notebook, both made of the records."""
    from learning.build import companions

    print(f"{page.FILE.relative_to(ROOT)}: {'written' if replace(page.FILE, page.text()) else 'up to date'}")
    complaints = companions.write(["gotchas_ledger"])
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return int(bool(complaints))


def on_gpu() -> int:
    """Run the compiled cases on the GPU, and keep what they showed with card and versions."""
    from learning.lens import nvml

    found = run(modes=[COMPILED]) if nvml.first_gpu() is not None else {"environment": {"card": ""}}
    if not found["environment"]["card"]:
        print("kernels run on no NVIDIA GPU here, and --gpu needs one", file=sys.stderr)
        return 3
    kept = {"started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), **found}
    table.GPU.parent.mkdir(parents=True, exist_ok=True)
    replace(table.GPU, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    for name, row in found["rows"].items():
        print(f"{name}: {row['state']}: {row['wrong']}; {row['right']}")
    failed = any(row["state"] == FAILED for row in found["rows"].values())
    print(f"wrote {table.GPU.relative_to(ROOT)}: {len(found['rows'])} rows on {found['environment']['card']}")
    print("then, where the course is built: tools/ledger_table.py --page")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
