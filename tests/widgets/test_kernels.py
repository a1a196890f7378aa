"""The picture of a kernel says in words what it shows, and works without scripts."""

import html
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning.lens.ownership import Ownership, Tile
from learning.lens.trace import Access, LaunchTrace, Tape, Traffic
from learning.widgets.kernels import draw, traced


def boxes(name, shape, tile, programs, *, store=True, loads=0.0, stores=1.0, holes=()):
    """A tensor whose tiles stand in rows and columns; ``programs(row, column)`` names who touches each."""
    pair, size = (shape if len(shape) > 1 else (1, *shape)), (tile if len(tile) > 1 else (1, *tile))
    made = []
    for i in range(0, pair[0], size[0]):
        for j in range(0, pair[1], size[1]):
            active = min(size[0], pair[0] - i) * min(size[1], pair[1] - j)
            start = (i, j)[-len(shape) :]
            for program in programs(i // size[0], j // size[1]):
                made.append(Tile(program, store, start, tile, active, size[0] * size[1] - active, [], list(holes)))
    return Ownership(name, shape, loads, stores, len({t.program for t in made}), made)


ADD = [boxes(n, (2500,), (1024,), lambda i, j: [(j, 0, 0)], store=n == "out", loads=float(n != "out"), stores=float(n == "out"))
       for n in ("x", "y", "out")]  # fmt: skip
MATMUL = [
    boxes("a", (130, 96), (32, 32), lambda i, j: [(i, k, 0) for k in range(3)], store=False, loads=3.0, stores=0.0),
    boxes("c", (130, 72), (32, 32), lambda i, j: [(i, j, 0)]),
]


def parsed(picture):
    return ET.fromstring(picture.svg)


def tiles(picture):
    return [g for g in parsed(picture).iter("{http://www.w3.org/2000/svg}g") if "tile" in g.get("class", "")]


def test_vector_add_shows_three_programs_and_the_lanes_that_own_nothing():
    picture = draw(ADD, "add_kernel")
    assert picture.text.startswith("add_kernel: 3 programs")
    assert "out [2500]: read 0.00 times, written 1.00 times" in picture.text
    assert "program 2 stores out[2048:2500], 572 lanes own nothing" in picture.text
    assert len(tiles(picture)) == 9 and picture.svg.count("url(#" + picture.id + "-none)") == 3
    assert repr(picture) == picture.text


def test_every_tile_has_a_tooltip_and_no_picture_a_script():
    picture = draw(MATMUL, "matmul_kernel")
    for tile in tiles(picture):
        assert tile[0].tag.endswith("title") and "program" in tile[0].text
    markup = picture._repr_html_()
    assert "<script" not in markup and "onclick" not in markup and "http" not in markup.replace("http://www.w3.org", "")
    assert set(re.findall(r'fill="(#\w+)"', picture.svg)) <= {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00",
                                                              "#56B4E9", "#F0E442"}  # fmt: skip


def test_programs_of_a_grid_with_two_axes_are_named_by_both_and_chosen_by_check_boxes():
    picture = draw(MATMUL, "matmul_kernel")
    assert "program (0, 0) loads a[0:32, 0:32] to a[0:32, 64:96] in 3 tiles" in picture.text
    markup = picture._repr_html_()
    assert markup.count('type="checkbox"') == 15 and ">program (4, 2)</label>" in markup
    first = re.search(r'id="(\w+)-0"', markup).group(1)
    assert f"#{first} #{first}-0:checked~svg .tile.p0-0{{opacity:1}}" in markup


def test_a_tile_read_by_several_programs_says_how_many():
    labels = [text.text for text in parsed(draw(MATMUL)).iter("{http://www.w3.org/2000/svg}text")]
    assert labels.count("3 programs") == 15 and "read 3.00 ×" in labels


def test_a_large_grid_is_summarised_in_picture_choices_and_words():
    picture = draw([boxes("out", (1 << 20,), (1024,), lambda i, j: [(j, 0, 0)])], "add_kernel")
    assert len(tiles(picture)) == 7 and "1017 more tiles" in picture.svg
    assert "and 1012 programs more" in picture.text and picture._repr_html_().count('type="checkbox"') == 7
    rows = draw([boxes("out", (4096, 64), (1, 64), lambda i, j: [(i, 0, 0)])])
    assert len(tiles(rows)) == 7 and "4089 more rows of tiles" in rows.svg


def test_masked_lanes_inside_a_tile_are_hatched_too():
    triangle = [(row, row + 1, 32) for row in range(31)]
    picture = draw([boxes("p", (32, 32), (32, 32), lambda i, j: [(0, 0, 0)], holes=triangle)])
    assert picture.svg.count("-none)") == 31


def test_tiles_that_are_no_boxes_are_drawn_element_by_element():
    mine = [Tile((p, 0, 0), False, (0,), (0,), 5, 3, [(0, i, i + 1) for i in range(p, 20, 4)]) for p in range(4)]
    picture = draw([Ownership("x", (20,), 1.0, 0.0, 4, mine)])
    assert "program 1 loads 5 elements of x, 3 lanes own nothing" in picture.text
    assert "element by element" in picture.svg and len(tiles(picture)) == 4


def test_two_pictures_on_a_page_share_no_id_and_the_same_picture_keeps_its_own():
    one, again, other = draw(ADD), draw(ADD), draw(MATMUL)
    assert one.id == again.id != other.id


def test_a_viewer_that_drops_styles_and_drawings_still_reads_the_words():
    markup = draw(MATMUL, "matmul_kernel")._repr_html_()
    kept = re.sub(r"<style>.*?</style>|<svg.*</svg>", "", markup, flags=re.S)
    assert html.unescape(kept.split('<pre class="plain">')[1].split("</pre>")[0]) == draw(MATMUL, "matmul_kernel").text


def test_nothing_to_draw_is_an_error_and_an_untouched_tensor_is_not():
    with pytest.raises(ValueError, match="no tensor"):
        draw([])
    assert "no program touches it" in draw([Ownership("w", (4,), 0.0, 0.0, 1)]).svg


class Matrix:
    shape = (2, 40)

    def stride(self):
        return (40, 1)


def test_any_recording_can_be_drawn_by_the_kernels_own_names():
    columns = np.arange(64)
    launch = LaunchTrace("rows", (2, 1, 1), {}, {}, {"x_ptr": Traffic("x_ptr", 80, 4, loaded=80)}, programs=2)
    for row in (0, 1):
        inside = columns < 40
        launch.accesses.append(Access((row, 0, 0), "x_ptr", False, (64,), 40 * row + columns, inside, 9))
    picture = traced(Tape([launch]), x_ptr=Matrix())
    assert "program 1 loads x_ptr[1:2, 0:40], 24 lanes own nothing" in picture.text
    with pytest.raises(KeyError, match="no tensor argument 'x'"):
        traced(Tape([launch]), x=Matrix())
    launch.accesses.clear()
    with pytest.raises(ValueError, match="keep="):
        traced(Tape([launch]), x_ptr=Matrix())


def test_a_recording_without_launches_is_told():
    with pytest.raises(ValueError, match="nothing was launched"):
        traced(Tape())


@settings(deadline=None)  # other work shares the cores
@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 4), st.integers(0, 4))
def test_any_grid_of_boxes_is_sound_xml_within_its_frame(rows, columns, tall, wide):
    picture = draw([boxes("x<y>", (rows, columns), (1 << tall, 1 << wide), lambda i, j: [(i, j, 0)])], "k<1>")
    frame = [float(n) for n in parsed(picture).get("viewBox").split()]
    for box in parsed(picture).iter("{http://www.w3.org/2000/svg}rect"):
        right, bottom = (float(box.get(a)) + float(box.get(b)) for a, b in (("x", "width"), ("y", "height")))
        assert float(box.get("x")) >= -0.1 and right <= frame[2] + 0.2 and bottom <= frame[3] + 0.2


def test_choosing_a_program_in_a_browser_dims_the_others_by_keyboard_alone(tmp_path):
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = Path("/usr/bin/chromium")
    if not chromium.exists():
        pytest.skip("no chromium here")
    page_file = tmp_path / "picture.html"
    page_file.write_text(f"<body>{draw(ADD, 'add_kernel')._repr_html_()}</body>", encoding="utf-8")
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(chromium), args=["--no-sandbox"])
        page = browser.new_context(java_script_enabled=True).new_page()
        page.goto(page_file.as_uri())
        opacity = "() => [...document.querySelectorAll('.tile')].map(t => getComputedStyle(t).opacity)"
        assert set(page.evaluate(opacity)) == {"1"}
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        assert page.evaluate(opacity) == ["0.12", "1", "0.12"] * 3
        assert page.locator(".say-1").is_visible() and not page.locator(".say-0").is_visible()
        assert "program 1: loads x[1024:2048]" in page.locator(".say-1").inner_text()
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        assert page.evaluate(opacity) == ["0.12", "1", "1"] * 3  # two at once
        page.emulate_media(media="print")
        assert not page.locator("label").first.is_visible() and set(page.evaluate(opacity)) == {"1"}
        browser.close()
