"""What the tracer says of every lesson's answer, variants and mutants on the lesson's small case: docs/trace-verdicts.md.

    .venv/bin/python tools/trace_verdicts.py [LESSON…]      write the sections of these lessons anew (all: every section)
    .venv/bin/python tools/trace_verdicts.py --check        say which sections are of other sources; exit status 1 if any

A section carries a hash of the sources it was made from. Kernels run in Triton's plain interpreter, whatever this machine has.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import re
import sys
import tempfile
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "trace-verdicts.md"
COMMAND = ".venv/bin/python tools/trace_verdicts.py"
sys.path.insert(0, str(ROOT))

from learning import attempts, lesson  # noqa: E402 - the clone is not necessarily installed
from learning.files import replace  # noqa: E402

INTRODUCTION = f"""# What the tracer says of every attempt

Made by `{COMMAND}`; a test fails where a section is of other sources than the lesson's. Each answer, variant and mutant runs once on its
lesson's small case (`trace_case.py`) with every load and store watched, in Triton's interpreter. *Passes* are bytes requested by loads and
stores over the tensor's bytes; *padding* what stood in lanes that a load's mask switched off. The last column is all a tracer can say: a mutant
without a word there asks memory for the same as an answer, and it is its values that the check named beside it refuses.
"""
_SECTION = re.compile(r"^## .*?\(`(?P<slug>\w+)`\)\n\n<!-- sources (?P<hash>[0-9a-f]{16}) -->\n", re.MULTILINE)


def gpu_lessons() -> list[lesson.Lesson]:
    """The lessons whose kernels can be traced."""
    return [card for card in lesson.discover() if card.kind == "gpu" and (card.folder / "trace_case.py").is_file()]


def sources(card: lesson.Lesson) -> str:
    """16 hex digits over the files a section is made from."""
    paths = [card.folder / "trace_case.py", *(attempt.path for attempt in attempts.attempts(card))]
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.relative_to(card.folder)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def stale(text: str) -> list[str]:
    """The lessons whose section is missing or made from other sources, and sections of lessons that are gone."""
    found = {match["slug"]: match["hash"] for match in _SECTION.finditer(text)}
    wanted = {card.slug: sources(card) for card in gpu_lessons()}
    return [slug for slug in {**wanted, **found} if found.get(slug) != wanted.get(slug)]


def section(card: lesson.Lesson) -> str:
    """One lesson's table."""
    rows = [traced(card, attempt) for attempt in attempts.attempts(card)]
    usual = rows[0]
    lines = [f"## {card.id} {card.title} (`{card.slug}`)", "", f"<!-- sources {sources(card)} -->", ""]
    case = (card.folder / "trace_case.py").read_text(encoding="utf-8").split('"""')[1].split("\n")[0].strip()
    lines += [
        f"{case}",
        "",
        "| attempt | refused by | grid | passes | padding | what the tracer says |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        words = row["says"] + beside(row, usual)
        says = "; ".join(words) or ("clean" if row["kind"] != "mutant" else "")
        cells = [row["name"], row["refused"], row["grid"], row["passes"], row["padding"], says]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def beside(row: dict, usual: dict) -> list[str]:
    """Tensors that cross memory more often than with the taught answer, and those that no kernel touches."""
    says = []
    for name, count in row["counts"].items():
        before = usual["counts"].get(name, 0.0)
        if count > before * 1.05:
            says.append(f"{name} crosses memory {count:.2f} times, with the answer {before:.2f}")
        elif before and not count:
            says.append(f"no kernel touches {name}")
    return says


def traced(card: lesson.Lesson, attempt: attempts.Attempt) -> dict:
    """One attempt's row."""
    from learning.lens.witness import Witness

    name = {"answer": "**the answer**", "variant": f"variant {attempt.name}", "mutant": attempt.name}[attempt.kind]
    row = {"kind": attempt.kind, "name": name, "refused": attempt.caught_by.replace("_", " "), "grid": "", "passes": "",
           "padding": "", "says": [], "counts": {}}  # fmt: skip
    tensors: dict = {}
    with tempfile.TemporaryDirectory() as folder:
        witness = Witness("traffic")
        try:
            entries, case = loaded(card, attempt, Path(folder))
            with witness:
                tensors = case(*entries)
        except Exception as error:
            cause = error
            while cause.__cause__ is not None:
                cause = cause.__cause__
            row["says"] = [f"raises {type(cause).__name__}: {str(cause).splitlines()[0][:120]}"]
    values = [tensor for tensor in tensors.values() if hasattr(tensor, "untyped_storage")]
    told = witness.told(values, values)
    if told is None or not told["launches"]:
        row["says"] = row["says"] or ["no kernel was launched"]
        return row
    row["grid"] = ", ".join(grid_text(launch["grid"]) for launch in told["launches"])
    if row["says"]:
        return row
    counts = dict(zip([n for n, t in tensors.items() if hasattr(t, "untyped_storage")], told["outputs"], strict=True))
    row["counts"] = {n: (c["loaded"] + c["stored"]) / c["elements"] for n, c in counts.items() if c["elements"]}
    row["passes"] = ", ".join(f"{n} {passes:.2f}" for n, passes in row["counts"].items())
    row["padding"] = ", ".join(
        f"{n} {' and '.join(number_text(value) for value in c['others'])}" for n, c in counts.items() if c["others"]
    )
    row["says"] += verdicts(told, counts)
    return row


def verdicts(told: dict, counts: dict) -> list[str]:
    """What is wrong with a call's traffic, in words."""
    from learning.judge.seen import Trace

    says, kinds = [], set()
    for problem in Trace.of(told).problems:
        if (problem.kind, problem.argument) not in kinds:
            kinds.add((problem.kind, problem.argument))
            says.append(problem.sentence)
    for name, c in counts.items():
        if c["stored"] > 0 and c["written"] < c["elements"]:
            says.append(f"{c['elements'] - c['written']} of {c['elements']} elements of {name} are never stored")
        if c["most_stored"] > 1 and not any("written already" in words for words in says):
            says.append(f"an element of {name} is stored {c['most_stored']} times")
    if told["scratch"]:
        says.append(f"{told['scratch']} bytes to and from other memory")
    narrow = sorted(
        {f"{s['how']} in {s['dtype']}" for s in told["sums"] if s["dtype"] in ("fp16", "bf16") and s["how"] != "+"}
    )
    cut = any(s["how"] == "tl.dot in TF32" for s in told["sums"])
    return says + [f"sums by {', '.join(narrow)}"] * bool(narrow) + ["tl.dot of float32 left to TF32"] * cut


def grid_text(grid: list[int]) -> str:
    while len(grid) > 1 and grid[-1] == 1:
        grid = grid[:-1]
    return " × ".join(map(str, grid))


def number_text(value: float | str) -> str:
    value = float(value)
    return {float("inf"): "+∞", -float("inf"): "−∞"}.get(value, f"{value:.6g}".replace("-", "−"))


def loaded(card: lesson.Lesson, attempt: attempts.Attempt, folder: Path) -> tuple[list, object]:
    """The attempt's entries, run behind the lesson's set-up cells as a worker does, and the lesson's case."""
    from learning.judge import engine

    path = folder / f"{attempt.name}.py"
    path.write_text(attempt.source, encoding="utf-8")
    module = types.ModuleType("attempt")
    sys.modules["attempt"] = module
    module.__file__ = str(path)
    for name, source in engine.Plan.of(engine.instructor_notebook(card), card).setups:
        exec(compile(source, f"<{name}>", "exec", dont_inherit=True), module.__dict__)
    exec(compile(attempt.source, str(path), "exec", dont_inherit=True), module.__dict__)
    spec = importlib.util.spec_from_file_location("case", card.folder / "trace_case.py")
    case = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(case)
    return [module.__dict__[name] for name in card.entries], case.trace_case


def write(slugs: list[str]) -> None:
    """Make the sections of ``slugs`` anew and keep the others; a page is renamed into place."""
    from learning.lens import device

    device.open("interpreter")
    old = PAGE.read_text(encoding="utf-8") if PAGE.is_file() else ""
    starts = [(match["slug"], match.start()) for match in _SECTION.finditer(old)]
    ends = [*(start for _, start in starts[1:]), len(old)]
    kept = {slug: old[start:end].rstrip("\n") + "\n" for (slug, start), end in zip(starts, ends, strict=False)}
    parts = [INTRODUCTION]
    for card in gpu_lessons():
        parts.append(section(card) if card.slug in slugs or card.slug not in kept else kept[card.slug])
        print(f"{card.slug}: {'written' if card.slug in slugs else 'kept'}", flush=True)
    replace(PAGE, "\n".join(parts))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "lessons", nargs="*", metavar="LESSON", help="lessons whose sections are made anew; all where none is named"
    )
    parser.add_argument("--check", action="store_true", help="only say which sections are out of date")
    chosen = parser.parse_args()
    known = [card.slug for card in gpu_lessons()]
    unknown = [slug for slug in chosen.lessons if slug not in known]
    if unknown:
        parser.error(f"no lesson with kernels is called {', '.join(unknown)}; there are {', '.join(known)}")
    if chosen.check:
        old = stale(PAGE.read_text(encoding="utf-8") if PAGE.is_file() else "")
        for slug in old:
            print(f"{PAGE.relative_to(ROOT)}: {slug} is of other sources: run {COMMAND} {slug}")
        return int(bool(old))
    write(chosen.lessons or known)
    return 0


if __name__ == "__main__":
    sys.exit(main())
