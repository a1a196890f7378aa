"""A learner with a text editor, and a log from anywhere: what it proves is what it proved, and no reader breaks on it."""

import ast
import contextlib
import copy
import io
import json
import os
import random
import zipfile

import nbclient
import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning import attempts, course
from learning import lesson as lessons
from learning.companions import overview, portfolio, worksheet
from learning.gates import carry, log_numbers, predictions, records
from learning.gates.progress import UNREADABLE, progress
from learning.history import History
from learning.widgets import checklist_view
from learning.workshops import command, work

from .test_gates import GPU, LAUNCH, PREDICTION, WEEK, record, states

LARGE = 10**400
ESCAPE, HALF, TURNED = "\x1b]0;pwned\x07", "\ud800", "\u202eabc"
MARKUP = "<script>alert(1)</script>|\n# a heading"
HOSTILE = [
    LARGE,
    [LARGE],
    {"x": -LARGE},
    1e308,
    ESCAPE,
    HALF,
    {HALF: HALF},
    TURNED,
    MARKUP,
    [],
    {},
    None,
    True,
    7,
    [[[[]]]],
    "9" * 5000,
]


def chained(made, start=1, previous="", time="2026-01-01"):
    """Records as lines of a log, each with the hash of the one before it, a second apart."""
    lines = []
    for number, one in enumerate(made, start):
        whole = {name: value for name, value in one.items() if name != "hash"}
        whole |= {"format": 1, "environment": {}, "sequence": number, "previous": previous}
        whole.setdefault("time", f"{time}T10:00:{number:02}.000+00:00")
        whole["hash"] = previous = records.digest(whole)
        lines.append(records.canonical(whole) + b"\n")
    return lines


def proved(data):
    return [gate.id for gate in progress(GPU, records.parse(data).records).gates if gate.proved]


LINES = chained(WEEK)
LATE = chained([LAUNCH, PREDICTION, *WEEK[3:]])


@settings(max_examples=40, deadline=None)
@given(st.permutations(LATE))
def test_lines_that_change_places_prove_what_they_proved_and_the_change_is_told(lines):
    """The launch came first; a prediction moved above it in an editor was not made before it."""
    before, after = records.parse(b"".join(LATE)), records.parse(b"".join(lines))
    assert after.records == before.records
    assert "grid" not in proved(b"".join(lines))
    assert bool(after.damage) == (lines != LATE)


EDITS = {
    "another_device": (b'"device":"interpreter"', b'"device":"cuda"'),
    "evidence_of_tests_relabelled": (b'"device":"test"', b'"device":"cuda"'),
    "an_earlier_date": (b"T10:00:03", b"T09:00:03"),
    "a_date_to_come": (b"2026-01-01", b"2099-01-01"),
    "another_lesson": (b'"lesson":"vector_add"', b'"lesson":"softmax"'),
    "a_failed_check_passes": (b'"failed"', b'"passed"'),
    "faster_samples": (b"2600.0", b"2100.0"),
    "a_sample_that_is_no_number": (b"2600.0", b"NaN"),
    "an_infinite_sample": (b"2600.0", b"Infinity"),
    "a_key_twice": (b'{"device":"cuda",', b'{"device":"cuda","device":"cuda",'),
}


@pytest.mark.parametrize("story", EDITS)
def test_a_record_edited_by_hand_counts_no_more_and_its_line_is_named(story):
    old, new = EDITS[story]
    test = record(
        "parity",
        {"checks": [{"check": "adds", "state": "failed", "device": "test"}], "public": ["adds"]},
        device="test",
    )
    lines = chained([*WEEK[:4], test, WEEK[5]])
    edited = [line.replace(old, new) for line in lines]
    assert edited != lines
    found = records.parse(b"".join(edited))
    assert len(found.damage) == sum(a != b for a, b in zip(lines, edited, strict=True))
    assert set(proved(b"".join(edited))) <= set(proved(b"".join(lines)))


STRANGE = {
    "nested_arrays": b'{"device":' + b"[" * 300_000,
    "nested_objects": b'{"device":' + b'{"a":' * 300_000,
    "no_utf8": b"\xff\xfe\xfa" * 50,
    "zeros_after_a_crash": b"\0" * 100_000,
    "a_number_of_5000_digits": b'{"device":"cuda","sequence":' + b"9" * 5000 + b"}",
    "a_place_no_log_has": chained([record("tick", {}) | {"x": 0}], start=10**4299, previous="a")[0].rstrip(),
    "a_place_before_the_first": chained([record("tick", {})], start=0)[0].rstrip(),
}  # fmt: skip


@pytest.mark.parametrize("story", STRANGE)
def test_a_strange_line_costs_no_record_and_the_log_goes_on_after_it(tmp_path, story):
    log = tmp_path / records.FILE
    log.write_bytes(b"".join(LINES[:3]) + STRANGE[story] + b"\n" + b"".join(LINES[3:]))
    assert records.read(log).records == records.parse(b"".join(LINES)).records
    log.write_bytes(b"".join(LINES) + STRANGE[story] + b"\n")
    added = records.append(log, "tick", GPU.slug)
    assert added["sequence"] == len(LINES) + 1 and records.read(log).records[-1] == added


def test_a_log_of_countless_broken_lines_is_read_in_bounded_memory_and_keeps_its_records():
    found = records.parse(b"".join(LINES[:3]) + b"\n" * 30_000 + b'{"device":\n' * 3000 + b"".join(LINES[3:]))
    assert len(found.records) == len(LINES)
    assert len(found.damage) == records.MOST_DAMAGE + 1
    assert found.damage[-1].sentence() == "line 1003: 32000 damaged lines after it are not listed"


def fork():
    """Predicted at home, launched in Colab two seconds later, on logs of their own."""
    home = b"".join(chained([PREDICTION]))
    colab = b"".join(chained([LAUNCH | {"time": "2026-01-01T10:00:03.000+00:00"}, *WEEK[3:]], time="2026-01-02"))
    return home, colab


@pytest.mark.parametrize("way", [(0, 1), (1, 0)])
def test_a_prediction_made_first_on_another_machine_came_first_whichever_log_is_brought_to_which(tmp_path, way):
    logs = fork()
    log = tmp_path / GPU.slug / records.FILE
    log.parent.mkdir()
    log.write_bytes(logs[way[0]])
    carry.merge(log, logs[way[1]])
    kept = records.read(log)
    assert not kept.damage and [one["event"] for one in kept][:2] == ["prediction", "launch"]
    assert states(kept.records)["grid"] == "proved"


def test_a_prediction_made_after_the_launch_on_another_machine_is_late_whichever_log_is_brought_to_which(tmp_path):
    launched = chained([LAUNCH])
    fresh = chained([PREDICTION | {"time": "2026-01-05T00:00:00.000+00:00"}])
    for number, (here, there) in enumerate([(launched, fresh), (fresh, launched)]):
        log = tmp_path / str(number) / records.FILE
        log.parent.mkdir()
        log.write_bytes(here[0])
        carry.merge(log, there[0])
        assert states(records.read(log).records)["grid"] == "open"


def everything():
    """A record of each kind that a page shows."""
    source = "a" * 64
    planned = {"hypothesis": "2 % less", "variable": "v v", "baseline": "b b", "rounding": "r r", "timing": "graph"}
    tuned = {
        "function": "tuned", "how": "autotuner", "cases": [{"case": name, "agrees": True, "why": ""} for name in "ab"],
        "kernels": [{"kernel": "k", "configs": list("abcd"), "key": ["n"], "grid_is_function": True, "winners": [
            {"case": name, "key": {"n": 1}, "winner": "a", "microseconds": {"a": 1.0}} for name in "ab"]}],
    }  # fmt: skip
    passed = [{"check": "agrees", "state": "passed", "device": "cuda"}]
    made = [
        *WEEK,
        record("prediction", {"causes": {"grid": "rounded down"}}, source=""),
        record("benchmark", {"autotune": tuned, "numbers": {"exponentials rising": 3}}),
        record("attempt", {"page": 1, "variation": "subtract", "state": "passed", "checks": passed, "card": "T4"}),
        record("tick", {"gate": "log", "ticked": True, "number": "n"}, source=""),
        record("worksheet", {"sheet": 1, "stage": "planned", "fields": planned}, source=source),
        record("worksheet", {"sheet": 1, "stage": "concluded", "samples": {"mine": [1.0, 2.0]}, "unit": "µs",
                             "fields": {"conclusion": "c c", "cannot": "c c", "next": "n n"}}, source=source),
    ]  # fmt: skip
    timed = records.parse(b"".join(chained(made))).records[5]["hash"]
    number = {
        "name": "time",
        "said": 2600.0,
        "held": 2600.0,
        "where": "large",
        "unit": "µs",
        "event": "benchmark",
        "record": timed,
    }
    return [*made, record("log", {"numbers": [number], "surprise": "it was at the floor", "text": "t", "missed": []})]


EVERYTHING = everything()


def places(value, before=()):
    yield before
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*before, key))


PLACES = [(n, where) for n, one in enumerate(EVERYTHING) for where in places(one["payload"]) if where]
PLACES += [(n, (None, name)) for n in range(len(EVERYTHING)) for name in ("time", "source", "device")]


def bent(place, value):
    """All records, the one of ``place`` with ``value`` somewhere in it."""
    number, where = place
    made = copy.deepcopy(EVERYTHING)
    here = made[number]
    if where[0] is None:
        here[where[1]] = value if isinstance(value, str) else ESCAPE
        return made
    here = here["payload"]
    for key in where[:-1]:
        here = here[key]
    here[where[-1]] = value
    return made


def shown(log, card=GPU):
    """Everything that anybody reads of a log, as (what, in which form, text)."""
    kept = records.read(log)
    view = checklist_view.view(card, progress(card, kept.records), kept, log, "")
    yield "terminal", checklist_view.text(view)
    yield "page", checklist_view.page(view)
    for sheet in (overview.overview(), overview.gates(), overview.gates(card.slug), overview.plan(), overview.ladder(),
                  overview.skills(), portfolio.portfolio(), worksheet.show()):  # fmt: skip
        yield "terminal", repr(sheet)
        yield "terminal", sheet.markdown
        yield "page", sheet._repr_html_()
    places = work.Places(log.parent, log.parent.parent, log.parent)
    yield "said", command._progress(card, places, work.Work(log.with_name("vector_add.py"), log))
    log_numbers.held(card.slug, kept.records)
    for form, more in (("terminal", []), ("page", ["--markdown"])):
        told = io.StringIO()
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
            predictions.main([str(log), *more])
        yield form, told.getvalue()


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    folder = tmp_path_factory.mktemp("work")
    patch.setenv("LEARNING_WORK", str(folder))
    (folder / GPU.slug).mkdir()
    yield folder / GPU.slug / records.FILE
    patch.undo()


@settings(max_examples=12, deadline=None)
@given(place=st.sampled_from(PLACES), value=st.sampled_from(HOSTILE))
def test_no_value_in_a_sound_record_breaks_a_page_or_speaks_to_a_terminal_or_browser(desk, place, value):
    desk.write_bytes(b"".join(chained(bent(place, value))))
    assert len(records.read(desk)) == len(EVERYTHING)
    for form, text in shown(desk):
        if form != "said":
            text.encode("utf-8")
            assert "\x1b" not in text and TURNED not in text
        if form == "page":
            assert "<script>" not in text


def test_every_gate_of_the_whole_week_is_proved():
    assert len(proved(b"".join(chained(EVERYTHING)))) == 12


@pytest.mark.parametrize(
    ("event", "payload", "gate"),
    [
        ("launch", {"trace": {"output": {"7": LARGE}, "launches": [{"kernel": "k", "grid": [LARGE]}]}}, "log"),
        ("compile", {"kernels": [{"kernel": "k", "registers": LARGE, "loads": {"16": -LARGE}}]}, "log"),
        ("log", {"numbers": [3, {"name": "time", "said": LARGE, "record": ""}], "surprise": 4}, "log"),
        ("benchmark", {"cases": 7, "numbers": {"a b": LARGE}}, "log"),
        (
            "benchmark",
            {"autotune": {"cases": [{"case": [], "agrees": True}, {"case": {}, "agrees": True}]}},
            "autotune",
        ),
        ("attempt", {"page": 2, "variation": "subtract", "state": [], "checks": {"a": 1}}, "blank_page"),
    ],
)
def test_a_record_of_another_form_hides_no_gate_that_others_prove(event, payload, gate):
    found = records.parse(b"".join(chained([*EVERYTHING, record(event, payload)]))).records
    (one,) = [one for one in progress(GPU, found).gates if one.id == gate]
    assert one.proved and UNREADABLE not in one.why


def test_words_that_a_terminal_would_obey_are_spelt_out_wherever_a_command_says_them(capsys):
    from learning.workshops import console

    console.say(f"left {ESCAPE} right {TURNED} half {HALF}, 2 µs\n\tstays")
    assert capsys.readouterr().out == "left \\x1b]0;pwned\\x07 right \\u202eabc half \\ud800, 2 µs\n\tstays\n"


@pytest.fixture(scope="module")
def carried(tmp_path_factory):
    folder = tmp_path_factory.mktemp("carried")
    (folder / "work" / GPU.slug).mkdir(parents=True)
    (folder / "work" / GPU.slug / records.FILE).write_bytes(b"".join(LINES))
    carry.pack(folder / "work", folder / "progress.zip")
    return (folder / "progress.zip").read_bytes()


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 1 << 30), flips=st.integers(1, 4), cut=st.booleans())
def test_a_carried_file_that_was_damaged_on_the_way_is_refused_or_brings_sound_records(
    tmp_path_factory, carried, seed, flips, cut
):
    chance, data = random.Random(seed), bytearray(carried)
    for _ in range(flips):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    folder = tmp_path_factory.mktemp("damaged")
    (folder / "progress.zip").write_bytes(data[: chance.randrange(len(data))] if cut else data)
    try:
        carry.unpack(folder / "progress.zip", folder / "work")
    except carry.CarryError as refusal:
        assert "progress.zip" in str(refusal)
    for log in folder.rglob(records.FILE):
        assert all(one in records.parse(b"".join(LINES)).records for one in records.read(log))


def test_a_table_of_contents_that_points_before_the_file_is_damage_too(tmp_path, carried):
    end = carried.rindex(b"PK\x05\x06") + 16  # where the end of the file says that the table begins
    far = int.from_bytes(carried[end : end + 4], "little") + (1 << 20)
    (tmp_path / "progress.zip").write_bytes(carried[:end] + far.to_bytes(4, "little") + carried[end + 4 :])
    with pytest.raises(carry.CarryError, match=r"progress\.zip is no whole zip file"):
        carry.unpack(tmp_path / "progress.zip", tmp_path / "work")


def test_a_small_file_that_unfolds_without_end_is_refused_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(carry, "MOST_BYTES", 1 << 20)
    source = tmp_path / "bomb.zip"
    with zipfile.ZipFile(source, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(carry.MANIFEST, json.dumps({"format": 1}))
        for number in range(8):
            archive.writestr(f"lesson_{number}/{records.FILE}", b"\n" * (1 << 18))
    with pytest.raises(carry.CarryError, match="unfolds to more than 1 MiB"):
        carry.unpack(source, tmp_path / "work")
    assert not (tmp_path / "work").exists()


def test_another_learners_log_is_taken_for_what_it_is_and_the_page_says_what_that_is_worth():
    """The limit that is written down: a whole log, copied, or made anew with its hashes, proves what it says."""
    assert proved(b"".join(LINES)) == proved(b"".join(chained(WEEK)))
    assert "does not prove honesty" in portfolio.HEAD
    assert lessons.load(GPU.slug).gates


def sitting(folder, *sources):
    """Cells run in a real kernel in ``folder``."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}})
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("NBGRADER", "JPY_SESSION", "LEARNING_WORK"))
    }
    client.execute(env=kept | {"PYTHONDONTWRITEBYTECODE": "1", "IPYTHONDIR": str(folder / ".ipython")})


def released(role):
    return [
        course.text(cell)
        for cell in course.load(course.release("online_normalizer"))["cells"]
        if course.role(cell) == role
    ]


BOOTSTRAP = f"import sys\nsys.path.insert(0, {str(course.ROOT)!r})\nimport learning.session\nlearning.session.begin('online_normalizer')"


def test_a_changed_check_cell_or_reference_proves_nothing_until_the_released_one_runs(tmp_path):
    """Or those of another version of the lesson, which differ as an edited one does."""
    card, checks, setup = lessons.load("online_normalizer"), released("check"), released("setup")
    locked = History(card, course.load(course.release(card.slug))).locked_names
    (reference, *_) = sorted(name for name in locked if name.endswith("_reference"))
    mine = f"def {reference}(*arguments):\n    return 1.0, 1.0"
    *lines, call = checks[0].rstrip().splitlines()
    name = call.partition("(")[0]
    changed = "\n".join([*[line for line in lines if not line.startswith("    ")], "    pass\n\n", call])
    answer = attempts.answer(card).source
    sitting(tmp_path, BOOTSTRAP, *setup, answer, mine, checks[0], *setup, changed, *checks[1:], checks[0])
    kept = [one for one in records.read(tmp_path / records.FILE) if one["event"] == "parity"]
    assert [one["payload"].get("replaced") for one in kept] == [[reference], [name], *[None] * len(checks)]
    assert kept[-1]["payload"]["version"] == card.version
    (before, after) = (next(g for g in progress(card, found).gates if g.id == "parity") for found in (kept[:-1], kept))
    assert not before.proved and f"{name} is not as the lesson has it" in before.why
    assert after.proved


def test_grading_opens_no_evidence():
    """Whatever a log, a checklist or an output in a submission says, a score cannot come from it."""
    for path in sorted((course.ROOT / "learning" / "grading").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        named = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        named |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        assert not [name for name in named if name and name.startswith("learning.gates")], path.name
        assert records.FILE not in path.read_text(encoding="utf-8"), path.name


def test_a_pass_of_an_older_version_of_the_lesson_says_so():
    old = copy.deepcopy(WEEK[4])
    old["payload"]["version"] = GPU.version + 1
    (gate,) = [one for one in progress(GPU, [old]).gates if one.id == "parity"]
    assert gate.proved and f"of version {GPU.version + 1} of the lesson; this is version {GPU.version}" in gate.why


def test_a_worksheet_tells_typed_samples_and_lost_benchmarks_from_recorded_ones(desk):
    desk.write_bytes(b"".join(chained(EVERYTHING)))
    assert "samples (typed in by hand): mine" in repr(worksheet.show())
    read = copy.deepcopy(EVERYTHING)
    read[-2]["payload"]["benchmarks"] = ["f" * 64]
    desk.write_bytes(b"".join(chained(read)))
    assert "no longer among the records" in repr(worksheet.show()) and "typed" not in repr(worksheet.show())
