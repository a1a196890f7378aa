"""The checklist: what it says in each of its forms, and what it does with what a browser sends."""

import importlib.metadata
import json
import os
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import nbclient
import nbformat
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from learning import course, session
from learning import lesson as lessons
from learning.gates import records
from learning.gates.gate import Progress
from learning.gates.progress import progress
from learning.judge import setting as settings
from learning.widgets import checklist_view
from learning.widgets.checklist import HERE, Checklist, checklist

ROOT = Path(course.__file__).parents[1]
CARD = lessons.load("vector_add")


@pytest.fixture
def opened(monkeypatch, tmp_path):
    """The CPU lesson, open in this process and outside IPython; undone afterwards."""
    monkeypatch.setattr(session, "_session", None)
    monkeypatch.delenv("NBGRADER_VALIDATING", raising=False)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    before = settings._default
    yield session.begin("online_normalizer", folder=tmp_path)
    settings.install(before)


def tick(gate, ticked=True, **more):
    return {"kind": "tick", "gate": gate, "ticked": ticked, "seen": "", "number": "n1", "mine": []} | more


def test_every_form_says_progress_states_and_the_next_gate(opened):
    records.append(opened.log, "reference", "online_normalizer", payload={"before_launch": True})
    records.append(opened.log, "tick", "online_normalizer", payload={"gate": "log", "ticked": True})
    board = checklist()
    for form in (repr(board), board._repr_markdown_(), board._repr_html_()):
        assert "progress 1/7, 1 claimed" in form and "A1 Online normalizer" in form
        assert "does not apply: CPU lesson" in form and "claimed by hand, not proved" in form
        assert "Next: gate 04, neutral values predicted" in form
    assert re.search(r"01  reference first +proved: the locked reference ran first", repr(board))
    for kept in (board._repr_markdown_(), board._repr_html_()):  # a page may keep it beside a newer one
        assert re.search(r"as of 20\d\d-\d\d-\d\d \d\d:\d\d UTC", kept)


def test_a_week_counts_once_every_gate_that_applies_is_proved():
    def forms(*unproved):
        gates = progress(CARD, []).gates
        state = Progress(tuple(replace(gate, proved=gate.applies and gate.id not in unproved) for gate in gates))
        shown = checklist_view.view(CARD, state, records.Records(), "log", "")
        return [make(shown) for make in (checklist_view.text, checklist_view.markdown, checklist_view.page)]

    assert all("Every gate is proved: this week counts." in form for form in forms())
    assert "Run this cell again" not in forms()[2]  # only a page that a widget stood in says so
    assert not any("this week counts" in form for form in forms("log"))


def test_damage_is_told_and_costs_no_sound_record(opened):
    records.append(opened.log, "reference", "online_normalizer", payload={"before_launch": True})
    with opened.log.open("ab") as log:
        log.write(b'{"half": \n')
    records.append(opened.log, "tick", "online_normalizer", payload={"gate": "log", "ticked": True})
    with opened.log.open("ab") as log:
        log.write(b'{"torn')
    text = repr(checklist())
    assert "progress 1/7, 1 claimed" in text
    assert "progress.jsonl is damaged: line 2: is not a whole JSON record; line 4: " in text
    assert "Nothing was removed" in text


def test_a_log_carried_to_another_folder_proves_what_it_proved(opened, tmp_path):
    records.append(opened.log, "reference", "online_normalizer", payload={"before_launch": True})
    elsewhere = tmp_path / "another machine"
    elsewhere.mkdir()
    (elsewhere / records.FILE).write_bytes(opened.log.read_bytes())
    there = session.begin("online_normalizer", folder=elsewhere)
    assert str(there.progress) == "progress 1/7"
    assert Checklist(there).shown["place"] != Checklist(opened).shown["place"]  # a browser keeps their ticks apart


def test_a_tick_is_recorded_acknowledged_and_shown(opened):
    board = checklist()
    assert board.received(tick("log")) == {"kind": "ack", "gate": "log", "number": "n1", "kept": True, "why": ""}
    gate = board.shown["gates"][11]
    assert (gate["state"], gate["ticked"]) == ("claimed", True)
    assert gate["tick"] == records.read(opened.log).records[-1]["hash"]
    assert board.received(tick("log", False, number="n2", mine=["n1"]))["kept"]
    assert board.shown["progress"] == "progress 0/7"


def test_where_nothing_is_kept_a_tick_is_refused_with_the_reason(opened):
    opened.log, opened.why = None, "this notebook lies in release/"
    board = checklist()
    assert board.received(tick("log"))["why"] == "this notebook lies in release/"
    assert board.shown["unsaved"] == "this notebook lies in release/" and "Nothing is saved here" in repr(board)


@pytest.mark.parametrize("content", [None, 3, "tick", [], {}, {"kind": "tock"}, {"kind": None}])
def test_what_is_no_message_of_ours_gets_no_answer(opened, content):
    assert checklist().received(content) is None


@examples(max_examples=50, deadline=None)
@given(st.dictionaries(st.sampled_from(["kind", "gate", "ticked", "seen", "number", "mine"]),
                       st.sampled_from(["tick", "hello", "log", True, None, 0, [], {}, "x" * 500])))  # fmt: skip
def test_no_message_breaks_the_kernels_side(content):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "append", lambda *a, **k: {})
        quiet = session.Session(CARD, None, session.History(CARD, None), None, "nowhere to keep it")
        json.dumps(Checklist(quiet).received(content))


class Tags(HTMLParser):
    """Raises where a tag is closed that was not opened last; collects text."""

    def __init__(self, page):
        super().__init__()
        self.open, self.text = [], ""
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@examples(max_examples=50, deadline=None)
@given(st.text(), st.text(max_size=20))
def test_no_words_of_a_record_break_out_of_html_or_markdown(why, place):
    kept = records.Records(damage=[records.Damage(1, why)])
    shown = checklist_view.view(CARD, progress(CARD, []), kept, place, "")
    shown["gates"][0]["why"] = why
    page = Tags(checklist_view.page(shown, name="x"))
    assert page.text.count("Next: gate") == 1
    rows = [line for line in checklist_view.markdown(shown).split("\n") if line.startswith("| 0")]
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 4 for row in rows) and "<" not in "".join(rows)


def executed(folder, *sources, **environment):
    """The cells run in a real kernel, as a headless runner runs them."""
    folder.mkdir(exist_ok=True)
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    client = nbclient.NotebookClient(book, timeout=60, resources={"metadata": {"path": str(folder)}})
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("NBGRADER", "JPY_SESSION"))}
    client.execute(env=kept | {"PYTHONDONTWRITEBYTECODE": "1", "IPYTHONDIR": str(folder / ".ipython")} | environment)
    return book.cells


BEGIN = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nimport learning.session\nlearning.session.begin('online_normalizer')"
SHOW = "from learning.widgets.checklist import checklist\nchecklist()"
CLAIM = "from learning.gates import claims\nclaims.tick(learning.session._session, 'log', True)"
WIDGET = "application/vnd.jupyter.widget-view+json"


def test_without_a_front_end_nothing_waits_and_what_is_saved_follows_the_records(tmp_path):
    first, second, _ = executed(tmp_path / "nb", BEGIN, SHOW, CLAIM)
    for cell, outputs in ((first, 3), (second, 2)):
        assert len(cell.outputs) == outputs
        static, widget = (output["data"] for output in cell.outputs[-2:])
        assert set(static) == {"text/plain", "text/markdown", "text/html"} and WIDGET in widget
        assert "progress 0/7, 1 claimed" in static["text/html"]  # written again by the cell below
    assert "<details open>" in second.outputs[0]["data"]["text/html"]
    assert "<details><summary>" in first.outputs[1]["data"]["text/html"]


def test_a_checklist_follows_the_records_after_the_first_cell_was_run_again(tmp_path):
    _, shown, *_ = executed(tmp_path / "nb", BEGIN, SHOW, BEGIN, CLAIM)
    assert "progress 0/7, 1 claimed" in shown.outputs[0]["data"]["text/html"]


def test_under_nbgrader_the_static_form_stands_alone(tmp_path):
    first, second = executed(tmp_path / "nb", BEGIN, SHOW, NBGRADER_EXECUTION="autograde")
    (table,), (static,) = first.outputs, second.outputs
    assert "progress 0/7" in table["data"]["text/plain"]
    assert WIDGET not in static["data"] and "Nothing is saved here: nbgrader" in static["data"]["text/plain"]


@pytest.mark.slow
def test_nbconvert_shows_the_static_form(tmp_path):
    from nbconvert import HTMLExporter, MarkdownExporter

    book = nbformat.v4.new_notebook(cells=executed(tmp_path / "nb", BEGIN, SHOW))
    page, _ = HTMLExporter().from_notebook_node(book)
    assert "neutral values predicted" in page and "Next: gate 01, reference first" in page
    text, _ = MarkdownExporter().from_notebook_node(book)
    assert "progress 0/7 · gates of A1" in text


def test_the_browsers_part_is_plain_and_travels_with_the_package():
    script, style = ((HERE / f"checklist.{kind}").read_text(encoding="utf-8") for kind in ("js", "css"))
    assert "import " not in script.replace("important", "") and script.rstrip().endswith("export default { render };")
    assert "?." not in script and "??" not in script  # read by front ends of 2021 too
    assert "forced-colors" in style and 'html[theme="dark"]' in style
    toml = (ROOT / "pyproject.toml").read_text()
    assert '"*.js"' in toml and '"*.css"' in toml and sys.version_info >= (3, 11)
    assert importlib.metadata.version("anywidget")
