"""A learner predicts, runs, compares and explains, in a real kernel; a notebook is never in the way of Run All."""

import json
import os
from pathlib import Path

import nbclient
import nbformat
import pytest

from learning import course
from learning.gates import predictions, records
from learning.gates.fields import PredictionError
from learning.gates.predictions import module
from learning.judge import setting as settings

ROOT = Path(course.__file__).parents[1]
IMPORT = "from learning.gates import predictions\nfrom learning.gates.predictions import predict"
RIGHT = "def push(state, x):\n    return merge(state, (x, 1.0))"
MERGE = (
    "def merge(a, b):\n    top = max(a[0], b[0])\n    if top == -math.inf:\n        return EMPTY\n"
    "    return top, a[1] * math.exp(a[0] - top) + b[1] * math.exp(b[0] - top)"
)
RESULT = "def result(state):\n    return state"
LOCK = (
    'predict(output={"total after 1, 3, 2": 1.503, "total after 5": 4.0}, padding={"maximum": -math.inf, "total": 0})'
)


def released(slug, *roles):
    book = json.loads((ROOT / "release" / slug / f"{slug}.ipynb").read_text())
    return [course.text(cell) for cell in book["cells"] if course.role(cell) in roles]


def run(folder, slug, *sources, **environment):
    """Run the lesson's bootstrap and set-up cells and ``sources`` in a real kernel; gives what each source showed."""
    folder.mkdir(exist_ok=True)
    begin = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nimport learning.session\nlearning.session.begin({slug!r})"
    before = [begin, *released(slug, "setup")]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in (*before, *sources)])
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("NBGRADER", "JPY_SESSION"))}
    client = nbclient.NotebookClient(book, timeout=240, resources={"metadata": {"path": str(folder)}})
    client.execute(env=kept | {"PYTHONDONTWRITEBYTECODE": "1", "IPYTHONDIR": str(folder / ".ipython")} | environment)
    return ["".join(o.get("text", "") or o["data"]["text/plain"] for o in c.outputs) for c in book.cells[len(before) :]]


def events(folder):
    return [record["event"] for record in records.read(folder / records.FILE)]


def test_a_lesson_from_prediction_to_explained_misses(tmp_path):
    shown = run(
        tmp_path / "nb", "online_normalizer", *released("online_normalizer", "answer"),
        IMPORT, "predict(output={'total after 5': ...})", "push(EMPTY, 1.0)", LOCK, "predictions.compare()",
        RIGHT, MERGE, RESULT, "predictions.compare()", LOCK, 'predictions.because(output="I forgot to rescale")',
        "predictions.compare()", "print(learning.session._session)",
    )  # fmt: skip
    waiting, _, locked, early, *_, compared, revised, _, explained, session = shown[2:]
    assert waiting.startswith("Nothing is locked yet: output still to be said")
    assert locked.startswith("Locked: padding, output") or locked.startswith("Locked: output, padding")
    assert "Not measured now: " in early  # the starter gives no result, and calling it was no launch
    assert "total after 1, 3, 2" in compared and "write yours: predictions.because(output" in compared
    assert "75% over 2 of 2 fields: 1 of 4 measured values missed" in compared
    assert "Not every public check has passed for this answer" in compared  # no check was run
    assert revised.startswith("Kept as a revision") and "earn nothing" in revised
    assert "your cause: I forgot to rescale" in explained and "1 revision, not scored" in explained
    assert "04 masks, 05 kernel, 09 compare" in session
    assert events(tmp_path / "nb") == ["prediction", "launch", "prediction", "prediction", "launch"]


def test_calling_the_answer_is_the_first_launch_and_a_check_or_show_cell_of_the_course_is_none(tmp_path):
    show = released("online_normalizer", "show")
    counting = next(source for source in show if "count_exponentials" in source)
    answer = released("online_normalizer", "answer")
    shown = run(
        tmp_path / "nb", "online_normalizer", *answer, counting, RIGHT, MERGE, RESULT, counting, "push(EMPTY, 1.0)", IMPORT, LOCK
    )  # fmt: skip
    assert "your code has already run" in shown[-1]
    assert events(tmp_path / "nb") == ["benchmark", "launch", "prediction"]  # what the course's cell counted is kept


def test_vector_add_is_compared_and_drawn_from_its_own_kernel(tmp_path):
    reading, code = (
        next(cell for cell in released("vector_add", "show") if word in cell)
        for word in ("reading.count(", "my_compiled()")
    )
    source = json.loads((ROOT / "source/vector_add/vector_add.ipynb").read_text())
    answer = [course.text(cell) for cell in source["cells"] if course.role(cell) == "answer"]
    picture = next(cell for cell in released("vector_add", "show") if "my_kernel()" in cell)
    lock = 'predict(grid=3, tile=1024, passes={"x": 1, "y": 1, "out": 1}, masked=572, padding=0, occupancy=(0, 1))'
    shown = run(
        tmp_path / "nb",
        "vector_add",
        IMPORT,
        lock,
        *answer,
        "add(torch.ones(5000), torch.ones(5000))",
        "predictions.compare()",
        picture,
        reading,
        "reading.count(loads={16: 4})",
        "print(learning.session._session)",
        "reading.count(loads={4: 16})",
        "print(learning.session._session)",
        code,
        *[text.replace("1024", "512") for text in answer],
        code,
    )
    compared, drawn, asked, wrong, before, right, session, figures = shown[3 + len(answer) : 11 + len(answer)]
    changed = shown[-1]
    assert "over 6 of 6 fields: no measured value missed" in compared
    assert "program 2 stores out[2048:2500], 572 lanes own nothing" in drawn
    assert asked.startswith("Nothing is said yet") and asked.count("ld.global.b32 {") == 16
    hinted, in_view = wrong.split("\n\n", 1)
    assert hinted.startswith("Not that: ") and "16" not in hinted and "09 compare" not in before
    assert in_view.count("ld.global.b32 {") == 16
    assert right.startswith("Right: add_kernel loads with 16 of 4 bytes a thread on a Tesla T4.")
    assert "  8 under " in right and "multiples of 16" in right
    assert "registers" in figures and "what changed" not in figures
    assert "add_kernel: what changed against the attempt before" in changed and "8 of 4 bytes" in changed
    assert "02 grid, 03 tile, 04 masks" in session and "09 compare" in session
    assert events(tmp_path / "nb") == ["prediction", "launch", *["launch", "compile"] * 6]
    first = records.read(tmp_path / "nb" / records.FILE).records[1]["payload"]
    assert first["called"] == ["add"]
    if "virtual" in session:  # a plain interpreter calls no hooks
        (heard,) = first["launches"]
        assert heard["kernel"] == "add_kernel" and heard["grid"] == [5, 1, 1] and heard["constexprs"] == {"BLOCK": 1024}
        assert heard["options"]["num_warps"] == 4 and "microseconds" not in heard  # nobody's time


def test_run_all_of_a_fresh_release_meets_prediction_cells_that_wait(tmp_path):
    cells = [
        s for s in released("online_normalizer", "show") if "predict(" in s or "compare()" in s or "my_kernel()" in s
    ]
    shown = run(tmp_path / "nb", "online_normalizer", *released("online_normalizer", "answer"), *cells)
    assert any("Nothing is locked yet" in text for text in shown) and any("Not measured now" in text for text in shown)
    assert "launch" not in events(tmp_path / "nb")


def test_under_nbgrader_nothing_is_kept_and_nothing_raises(tmp_path):
    shown = run(
        tmp_path / "nb", "online_normalizer", IMPORT, LOCK, 'predictions.because(output="of no account")',
        NBGRADER_VALIDATING="1",
    )  # fmt: skip
    assert "not kept: nbgrader runs this notebook" in shown[1] and "not kept" in shown[2]
    assert not (tmp_path / "nb" / records.FILE).exists()


def test_without_a_lesson_the_first_cell_is_asked_for():
    with settings.use(settings.Setting()), pytest.raises(PredictionError, match="first cell"):
        predictions.predict(grid=3)


class Session:
    def note(self, event, payload):
        raise AssertionError("nothing may be kept")


@pytest.mark.parametrize(
    ("causes", "says"), [({"grid": "no"}, "in words"), ({"speed": "a b"}, "no field"), ({}, "name the field")]
)
def test_a_cause_is_words_about_a_field(causes, says):
    with settings.use(settings.Setting(resources={"session": Session()})), pytest.raises(PredictionError, match=says):
        predictions.because(**causes)


def test_the_module_holds_what_the_entries_reach_and_the_newest_of_it():
    cells = [
        ("In[1]", "import math\nimport os\nLIMIT = 3"),
        ("In[2]", "def helper(x):\n    return math.exp(x)\nprint('plot')"),
        ("In[3]", "def add(x):\n    return x"),
        ("In[4]", "%time 1\ndef add(x):\n    return helper(x) + LIMIT"),
    ]
    text = module(cells, ("add",))
    assert "import math" in text and "helper(x) + LIMIT" in text and "def helper" in text
    assert "os" not in text and "print" not in text and text.count("def add") == 1
    assert module(cells, ("subtract",)) == ""


def test_an_import_typed_again_does_not_take_the_place_of_the_one_that_set_up_needs():
    """ "The only import is math" invites a learner to write it above the answer; EMPTY needs it before that."""
    cells = [
        ("setup", "import functools\nimport math"),
        ("setup", "EMPTY = (-math.inf, 0.0)"),
        ("In[3]", "import math\n\n\ndef push(state, x):\n    return (x, math.exp(0.0)) if state == EMPTY else state"),
    ]
    text = module(cells, ("push",))
    assert text.index("import math") < text.index("EMPTY") and "functools" not in text
    made = {}
    exec(text, made)
    assert made["push"](made["EMPTY"], 2.0) == (2.0, 1.0)
