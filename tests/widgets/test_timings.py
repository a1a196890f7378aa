"""Benchmark records drawn and told: one form for all of them, the picture saved as an image, and what the words claim."""

import base64
import io
import json
import os
import struct
from pathlib import Path

import nbclient
import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning import course
from learning import lesson as lessons
from learning.bench import plan, report
from learning.judge import samples
from learning.widgets import timings, timings_data

ROOT = Path(course.__file__).parents[1]
RECORDED = ROOT / "benchmarks" / "results" / "speed-rows.json"
RUNS = json.loads(RECORDED.read_text(encoding="utf-8"))["runs"]
OPS = sorted({run["op"] for run in RUNS})


def side(*times, how="graph", **more):
    return {"microseconds": {how: sorted(times)[len(times) // 2]}, "samples": {how: list(times)}, **more}


@pytest.fixture
def week():
    """A notebook's record of L1 on a T4, two sizes, the headline last; times as a T4's might be."""
    small = {
        "case": "4096",
        "about": "4096 float32 elements",
        "cold_floor": False,
        "floor": 0.15,
        "bytes": 49152,
        "flops": 4096,
    }
    large = {"case": "64 Mi", "about": "64 Mi float32 elements", "cold_floor": True, "floor": 2516.0, "bytes": 805306368, "flops": 67108864}  # fmt: skip
    common = {"answer": "my add", "card": "Tesla T4", "tensor_cores": False}
    off = {"unavailable": "benchmark(…, compiled=True) adds it"}
    return [
        {
            **common,
            **small,
            **side(2.2, 2.3, 2.4, launch_tax=5.0),
            "peers": {"eager": side(1.8, 1.9, 2.0), "torch.compile": off},
        },
        {**common, **large, **side(3000, 3030, 3060), "peers": {"eager": side(2990, 3010, 3040), "torch.compile": off}},
    ]


@given(st.lists(st.floats(0.01, 1e6), min_size=1, max_size=300))
def test_a_medians_interval_holds_the_median_and_lies_among_the_samples(values):
    middle, low, high, tenth, ninetieth = timings_data.spread(values)
    assert min(values) <= low <= middle <= high <= max(values)
    assert tenth <= middle <= ninetieth


def test_the_interval_is_that_of_the_order_statistics():
    """Of 100 values the ranks 40 and 61: a binomial count of 100 at one half lies between 40 and 60 in 96.5 % of cases."""
    assert timings_data.spread(range(1, 101))[:3] == (50.5, 40, 61)


@pytest.mark.parametrize("op", OPS)
def test_every_recorded_run_is_read_drawn_and_told(op):
    run = [run for run in RUNS if run["op"] == op][-1]
    cases = timings_data.cases(RECORDED, op=op)
    assert len(cases) == len(run["cases"]) >= 1
    recordings = {recorded["case"]: recorded for recorded in run["cases"]}
    for case in cases:
        recorded = recordings.pop(case.label)
        mine = report.result(recorded)
        assert case.answer.median == pytest.approx(mine["median"]["graph"], rel=1e-3)
        assert case.answer.low <= case.answer.median <= case.answer.high
        assert case.floor == recorded["floor"]["microseconds"]
        told = {one["name"]: one["ratio"]["verdict"] for one in recorded["results"] if one["ratio"]}
        assert all(side.verdict == told[side.name] for side in case.sides[1:])
        words = timings_data.sentence(case)
        assert words.startswith(recorded["about"]) and words.endswith(".")
        names = [row[1] for row in timings_data.table([case])]
        assert all(one["name"] in names for one in recorded["results"] if one["kind"] != "ceiling")


def test_the_commands_payload_and_its_file_say_the_same_times():
    run = next(run for run in RUNS if run["op"] == "softmax")
    (filed,) = timings_data.cases(run)
    (kept,) = timings_data.cases({"event": "benchmark", "payload": {"cases": report.payload(run["cases"])}})
    assert kept.answer.median == pytest.approx(filed.answer.median, rel=1e-3)
    assert {side.name for side in kept.sides[1:]} == {side.name for side in filed.sides[1:]}
    assert kept.floor == pytest.approx(filed.floor, rel=0.01)


def test_a_copy_of_the_bytes_is_no_peer_of_a_product():
    run = next(run for run in RUNS if run["op"] == "matmul")
    for form in (run, report.payload(run["cases"])):
        (case,) = timings_data.cases(form)
        assert plan.COPY not in [side.name for side in case.sides]


@pytest.mark.parametrize("form", [3, {"payload": {}}, {"payload": {"autotune": {}}}, {"runs": RUNS}, {"cases": "many"}])
def test_what_is_no_benchmark_or_not_named_is_refused(form):
    with pytest.raises(ValueError, match=r"benchmark|name one of them"):
        timings_data.cases(form)


@pytest.mark.parametrize(
    ("mine", "other", "said"),
    [
        ((100, 101, 102), (200, 201, 202), samples.FASTER),
        ((200, 201, 202), (100, 101, 102), samples.SLOWER),
        ((100, 101, 102), (101, 102, 103), samples.AS_FAST),
        ((100, 101, 102), (104, 106, 108), samples.CANNOT_TELL),
        ((100, 150, 200), (120, 160, 220), samples.CANNOT_TELL),
    ],
)
def test_times_taken_one_after_the_other_are_told_apart_with_care(mine, other, said):
    one, two = (timings_data.Taken("x", *timings_data.spread(times), "graph") for times in (mine, other))
    assert timings_data.verdict(one, two) == said


def test_a_prediction_without_a_label_is_about_the_headline(week):
    small, large = timings_data.cases(week, predicted=[2000, 2900])
    assert small.predicted is None and large.predicted == (2000, 2900)
    assert timings_data.hit(large) == "the measurement lies above: 1.04 × 2900 µs"
    small, large = timings_data.cases(week, predicted={"4096": (2, 3)})
    assert timings_data.hit(small) == "the measurement lies inside" and large.predicted is None
    assert "predicted were 2 to 3 µs, and the measurement lies inside" in timings_data.sentence(small)


def test_the_share_of_the_floor_is_not_told_of_what_a_cache_holds(week):
    small, large = timings_data.cases(week)
    assert small.share(small.answer) is None and large.share(large.answer) == pytest.approx(2516 / 3030)
    assert "stay in the L2 cache" in timings_data.sentence(small)
    assert "83 % of what the floor of 2516 µs allows" in timings_data.sentence(large)


def test_the_words_are_the_same_in_text_and_in_escaped_html(week):
    week[1]["peers"]["<b>odd</b>"] = side(1.0, 2.0, 3.0)
    shown = timings.Timings(timings_data.cases(week))
    assert "<b>" not in shown.markup() and "&lt;b&gt;odd" in shown.markup()
    assert shown.sentences()[0].startswith("64 Mi") and shown.sentences()[0] in shown.text()
    assert timings.Timings([]).text() == "Nothing is measured yet." and timings.Timings([]).png() == b""


def pixels(made):
    """Rows of RGB bytes, by matplotlib's own reader."""
    from matplotlib import image

    return image.imread(io.BytesIO(made), format="png")


def test_the_picture_is_white_with_the_four_colours_and_grows_with_the_sizes(week):
    made = timings.Timings(timings_data.cases(week, predicted=[2000, 2900])).png()
    width, height = struct.unpack(">II", made[16:24])
    one = timings.Timings(timings_data.cases(week[1:])).png()
    assert (
        made.startswith(b"\x89PNG")
        and width == struct.unpack(">II", one[16:24])[0]
        and height > struct.unpack(">II", one[16:24])[1]
    )
    seen = pixels(made)[..., :3]
    assert (seen[0, 0] == 1).all() and (seen == 1).all(axis=2).mean() > 0.8

    def holds(colour):
        wanted = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        return bool((abs(seen - wanted).max(axis=2) < 0.02).any())

    assert holds(timings.STYLES[0][0]) and holds(timings.STYLES[1][0]) and not holds(timings.STYLES[2][0])


def test_styles_differ_in_colour_marker_and_dash():
    for part in zip(*timings.STYLES, strict=True):
        assert len(set(part)) == len(timings.STYLES)


def test_more_sides_than_colours_stand_in_the_table_alone(week):
    for number in range(5):
        week[1]["peers"][f"peer {number}"] = side(3000 + number)
    found = timings_data.cases(week)
    assert timings.sides_of(found) == ["my add", "eager", "peer 0", "peer 1"]
    assert timings.Timings(found).png() and "peer 4" in timings.Timings(found).text()


def test_a_case_without_card_or_operations_is_drawn_as_well():
    alone = [{"case": "mine", "answer": "mine", "card": "", "peers": {}, **side(3.0, 4.0, 5.0)}]
    (case,) = timings_data.cases(alone)
    assert case.floor is None and timings.Timings([case]).png().startswith(b"\x89PNG")


def test_in_a_notebook_one_picture_is_kept_up_to_date_and_saved(tmp_path, week):
    """In a real kernel: three updates leave one image in the notebook, and ``plot`` adds image, table and sentence."""
    sources = [
        f"import sys, json\nsys.path.insert(0, {str(ROOT)!r})\nfrom learning.widgets import timings",
        f"week = json.loads({json.dumps(json.dumps(week))})",
        "live = timings.Live((2000, 2900))\nlive.update([])\nlive.update(week[:1])\nlive.update(week)\nlive.update(week)",
        "timings.plot({'cases': week})",
    ]
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("NBGRADER", "JPY_SESSION"))}
    client = nbclient.NotebookClient(made, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    client.execute(env=kept | {"PYTHONDONTWRITEBYTECODE": "1", "IPYTHONDIR": str(tmp_path / ".ipython")})
    live, drawn = made.cells[2].outputs, made.cells[3].outputs
    assert [output.output_type for output in live] == ["display_data"]
    assert base64.b64decode(live[0].data["image/png"]).startswith(b"\x89PNG")
    assert live[0].data["text/plain"].startswith("64 Mi float32 elements: my add takes")
    assert ["image/png" in output.data for output in drawn] == [True, False]
    assert "<table" in drawn[1].data["text/html"] and "my add takes" in drawn[1].data["text/plain"]


def test_every_lesson_of_the_recorded_runs_exists():
    assert set(OPS) <= {*lessons.slugs(), *lessons.slugs(lessons.CAPSTONES)}
