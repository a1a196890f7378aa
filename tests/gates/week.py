"""A learner's script for one week: what is typed into which cell of an untouched release, and two ways to run it headless.

``filled(slug, cell_id, kept)`` is what the learner has in a cell once they come to it, ``kept`` the records so far: the log's
numbers are read off these, as a learner reads them off the notebook. ``tests/browser/test_week.py`` types the same.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

from learning import course, lesson
from learning.attempts import answer
from learning.gates import log_numbers, records
from learning.workshops import start
from learning.workshops.work import Places

ROOT = Path(course.__file__).parents[1]
FROM_MEMORY = ROOT / "tests" / "lessons" / "blank_pages"
JUPYTER = all(importlib.util.find_spec(name) for name in ("nbclient", "nbformat", "ipykernel"))
SURPRISE = {
    "online_normalizer": "I had not expected the error to shrink when the row is cut into more parts",
    "vector_add": "I had not expected so many of the lanes to own nothing at all",
}
EXPLAINED = {
    "online_normalizer": "The old sum was measured from the old maximum, so one factor, exp(old - new), brings the whole sum over.",
    "vector_add": "Program 2 computes the offsets 2048 to 3071; its mask keeps the 452 below 2500, in the loads and in the store.",
}

PREDICTIONS = {
    "online_normalizer": """\
from learning.gates.predictions import predict

predict(
    output={
        "maximum after 1, 3, 2": 3.0, "total after 1, 3, 2": 1.503, "maximum after 5": 5.0,
        "total after 5": 2.503,  # wrong: the old total is not brought over
        "total after -1000 alone": 1.0,
    },
    padding={"maximum": -math.inf, "total": 0.0},
)""",
    "vector_add": """\
from learning.gates.predictions import predict

predict(
    grid=3, tile=1024, passes={"x": 1, "y": 1, "out": 1}, masked=570, padding=0.0, output={2499: 27489.0},
    occupancy=(0.9, 1.0), bound="memory", launch_share=(0.0, 0.05), microseconds=(150, 3200),
)""",
}
"""One value of each is wrong, as a learner's would be."""
CAUSES = {
    "online_normalizer": 'output="I forgot to bring the old total over"',
    "vector_add": 'masked="I subtracted 2502 from 3072"',
}
TIMED = ("launch_share", "bound", "microseconds")
TUNED = """\
from learning.gates.tuning import read


@triton.autotune(
    configs=[triton.Config({"BLOCK": block}, num_warps=warps) for block, warps in ((256, 2), (512, 4), (1024, 4), (2048, 8))],
    key=["n_elements"],
)
@triton.jit
def tuned_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    y = tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, (x + y).to(out_ptr.dtype.element_ty), mask=mask)


def tuned(x, y):
    out = torch.empty_like(x)
    n_elements = x.numel()
    tuned_kernel[lambda meta: (triton.cdiv(n_elements, meta["BLOCK"]),)](x, y, out, n_elements)
    return out


"""


def lay_out(folder: Path) -> Path:
    """``folder/work`` as ``learning.workshops.start`` leaves it; returns it."""
    assert start.main(Places(ROOT, folder / "work", folder)) == 0
    return folder / "work"


def filled(slug: str, cell_id: str, text: str, kept: list[dict]) -> str:
    """What the learner has in the cell ``cell_id`` of the lesson, which said ``text`` when the notebook was opened."""
    if cell_id == "show-prediction":
        return PREDICTIONS[slug]
    if cell_id.startswith("answer-"):
        return typed(answer(lesson.load(slug)).source)
    if cell_id == "show-ptx":
        made = next(one for one in reversed(kept) if one["event"] == "compile")["payload"]["kernels"][0]
        return text.replace("{...: ...}", "{" + ", ".join(f"{size}: {n}" for size, n in made["loads"].items()) + "}")
    if cell_id == "show-tuned":
        return TUNED + text[text.index("lengths = ") :]
    if cell_id == "show-log":
        return entry(slug, kept)
    if cell_id == "show-blank-page":
        return text.replace('")', '", now=True)')  # this week lasts minutes
    if cell_id.startswith("explain-"):
        return text.replace("*Write here.*", EXPLAINED[slug])
    return text


def then(slug: str, cell_id: str) -> list[str]:
    """Scratch cells that the learner adds below a cell and runs."""
    return [f"predictions.because({CAUSES[slug]})", "predictions.compare()"] if cell_id == "show-comparison" else []


def missed_times(slug: str, kept: list[dict]) -> list[str]:
    """The scratch cell that gives the causes of times that came out otherwise; none where every one was met."""
    from learning.gates.scoring import compare

    missed = sorted({row.field for row in compare(slug, kept).rows if row.missed and row.field in TIMED})
    said = ", ".join(f'{name}="I took the rates of another card"' for name in missed)
    return [f"predictions.because({said})"] if missed else []


def entry(slug: str, kept: list[dict]) -> str:
    """The log's cell: a number of each name that the released cell asks for and a record holds, to four digits."""
    held = log_numbers.held(slug, kept)
    wanted = {
        "online_normalizer": [("exponentials", "rising"), ("exponentials", "falling"), ("error", "1 part"),
                              ("error", "4096 parts"), ("score", "")],
        "vector_add": [("time", "64 Mi"), ("floor", "64 Mi"), ("ratio", "64 Mi"), ("peer", "64 Mi, eager"), ("registers", "")],
    }[slug]  # fmt: skip
    parts: dict[str, dict[str, float]] = {}
    for name, where in wanted:
        found = [one for one in held if one.name == name and where.lower() in one.where.lower()]
        if found:
            parts.setdefault(name, {})[where] = found[-1].value
    lines = []
    for name, said in parts.items():
        numbers = {where: float(f"{value:.4g}") for where, value in said.items()}
        lines.append(f"    {name}={numbers.get('', numbers)!r},")
    return "\n".join(
        ["from learning.gates.log import log", "", "log(", *lines, f"    surprise={SURPRISE[slug]!r},", ")"]
    )


def typed(source: str) -> str:
    """A module's definitions as a learner types them: no docstring of the module, no imports, no markers."""
    lines = [line for line in source.splitlines() if not line.strip().startswith("### ")]
    body = ast.parse("\n".join(lines)).body
    kept = [
        node
        for node in body
        if not isinstance(node, (ast.Import, ast.ImportFrom))
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]
    first = min([kept[0].lineno, *(one.lineno for one in getattr(kept[0], "decorator_list", ()))])
    return "\n".join(lines[first - 1 :])


def blank_answers(slug: str, entry: str) -> tuple[str, str]:
    """The two cells of a blank page that asks for ``entry``: the learner's reference, and the rest."""
    text = typed((FROM_MEMORY / slug / f"{entry}.py").read_text(encoding="utf-8"))
    tree = ast.parse(text)
    place = next(n for n, node in enumerate(tree.body) if getattr(node, "name", "") == "reference")
    after = tree.body[place].end_lineno
    lines = text.splitlines()
    return "\n".join(lines[:after]), "\n".join(lines[after:]).strip("\n")


# ---- run headless


@contextlib.contextmanager
def kernel(folder: Path):
    """``run(source) -> text``: a fresh kernel in ``folder``, of Jupyter where that is installed, else IPython's shell in a
    process of its own. ``run`` raises ``AssertionError`` for a cell that fails."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NBGRADER", "JPY_SESSION"))}
    env = kept | {
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "IPYTHONDIR": str(folder.parent / ".ipython"),
    }
    env.pop("LEARNING_WORK", None)
    with _jupyter(folder, env) if JUPYTER else _shell(folder, env) as run:
        yield run


@contextlib.contextmanager
def _jupyter(folder, env):
    import nbclient
    import nbformat

    book = nbformat.v4.new_notebook()
    client = nbclient.NotebookClient(
        book, timeout=280, allow_errors=True, resources={"metadata": {"path": str(folder)}}
    )
    with client.setup_kernel(env=env):

        def run(source):
            book.cells.append(nbformat.v4.new_code_cell(source))
            done = client.execute_cell(book.cells[-1], len(book.cells) - 1)
            failed = [f"{one.ename}: {one.evalue}" for one in done.outputs if one.output_type == "error"]
            assert not failed, f"{failed[0]} in\n{source}"
            return "".join(one.get("text", "") or one.get("data", {}).get("text/plain", "") for one in done.outputs)

        yield run


_LOOP = """
import base64, contextlib, io, json, sys
from IPython.core.interactiveshell import InteractiveShell
shell, told = InteractiveShell.instance(colors="NoColor"), sys.stdout
for line in sys.stdin:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        done = shell.run_cell(json.loads(line), store_history=True)
    error = done.error_before_exec or done.error_in_exec
    print(json.dumps([said.getvalue(), repr(error) if error else ""]), file=told, flush=True)
"""


@contextlib.contextmanager
def _shell(folder, env):
    with subprocess.Popen(
        [sys.executable, "-c", _LOOP], cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def run(source):
            process.stdin.write(json.dumps(source) + "\n")
            process.stdin.flush()
            text, error = json.loads(process.stdout.readline() or '["", "the shell ended"]')
            assert not error, f"{error} in\n{source}"
            return text

        yield run
        process.stdin.close()


def through(work: Path, slug: str) -> dict[str, str]:
    """Do the week: the lesson's notebook top to bottom, the blank page it names in a kernel of its own, and the lesson's first
    and last cell in a fresh kernel. Returns what each cell showed, by its id; the notebook is saved as it was filled in."""
    folder = work / slug
    path = folder / f"{slug}.ipynb"
    book = course.load(path)
    shown: dict[str, str] = {}
    with kernel(folder) as run:
        for cell in book["cells"]:
            name, text = cell["id"], course.text(cell)
            kept = records.read(folder / records.FILE).records
            if name == "show-log":
                for source in missed_times(slug, kept):
                    run(source)
            source = filled(slug, name, text, kept)
            cell["source"] = source.splitlines(keepends=True)
            if cell["cell_type"] != "code" or (name == "show-sweep" and not importlib.util.find_spec("matplotlib")):
                continue
            shown[name] = run(source)
            for scratch in then(slug, name):
                shown[f"{name}, {scratch}"] = run(scratch)
    path.write_text(json.dumps(book))
    blank(folder, slug, shown)
    ends = [cell for cell in book["cells"] if cell["id"] in ("bootstrap", "show-checklist")]
    with kernel(folder) as run:
        for cell in ends:
            shown[f"again {cell['id']}"] = run(course.text(cell))
    return shown


def blank(folder: Path, slug: str, shown: dict[str, str]) -> None:
    """Fill in and judge the blank page that the lesson laid out."""
    book = course.load(folder / "blank_1.ipynb")
    reference, rest = blank_answers(slug, book["metadata"]["learning"]["blank"]["variation"])
    said = {"blank-answer-reference": reference, "blank-answer-kernel": rest}
    with kernel(folder) as run:
        for cell in book["cells"]:
            if cell["cell_type"] == "code":
                shown[cell["id"]] = run(said.get(cell["id"], course.text(cell)))
