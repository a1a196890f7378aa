"""The checklist's script in a real Chromium, talking to the kernel's side of it without a Jupyter in between.

``tests/browser`` does the same through JupyterLab, slowly; here every state, key and colour scheme is quick to reach.
"""

import json
import shutil

import pytest

from learning import session
from learning.gates import records
from learning.judge import setting as settings
from learning.widgets.checklist import HERE, Checklist

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("script"),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: sudo apt-get install chromium"),
]
PAGE = """<!doctype html><html><head><meta charset="utf-8"><style>%s</style></head><body><div id="static"></div><script type="module">
%s
window.start = (state, name, folded) => {
  const handlers = {}, traits = { state, name, folded };
  const model = {
    get: (trait) => traits[trait],
    on: (event, handler) => { handlers[event] = handler; },
    off: (event) => { delete handlers[event]; },
    send: async (content) => {
      const answer = await window.kernel(JSON.stringify(content));
      if (answer === null) return;
      const [message, shown] = JSON.parse(answer);
      window.show(shown);
      if (message && handlers["msg:custom"]) handlers["msg:custom"](message);
    },
  };
  window.show = (shown) => { traits.state = shown; if (handlers["change:state"]) handlers["change:state"](); };
  const el = document.createElement("div");
  document.body.append(el);
  return render({ model, el });
};
</script></body></html>"""


class Kernel:
    """The kernel's side: a session of the CPU lesson and its checklist; ``connected`` is whether messages arrive."""

    def __init__(self, folder):
        self.session = session.begin("online_normalizer", folder=folder)
        self.board, self.connected = Checklist(self.session), True

    def __call__(self, content):
        if not self.connected:
            return None
        return json.dumps([self.board.received(json.loads(content)), self.board.shown])

    @property
    def log(self):
        return records.read(self.session.log).records


@pytest.fixture
def kernel(monkeypatch, tmp_path):
    monkeypatch.setattr(session, "_session", None)
    before = settings._default
    yield Kernel(tmp_path)
    settings.install(before)


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, headless=True, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium, kernel, tmp_path_factory):
    """``opened(**how)``: a page with the checklist drawn; the page belongs to an origin, so that it may store things."""
    contexts = []

    def go(context=None, **how):
        context = context or chromium.new_context(viewport={"width": 1000, "height": 700}, **how)
        contexts.append(context)
        page = context.new_page()
        script = (HERE / "checklist.js").read_text(encoding="utf-8").replace("export default { render };", "")
        style = (HERE / "checklist.css").read_text(encoding="utf-8")
        page.route(
            "http://course.test/**", lambda route: route.fulfill(body=PAGE % (style, script), content_type="text/html")
        )
        page.expose_function("kernel", kernel)
        page.goto("http://course.test/")
        draw(page, kernel)
        return page

    yield go
    for context in contexts:
        context.close()


def draw(page, kernel, name="view"):
    page.wait_for_function("() => window.start")
    page.evaluate("([state, name]) => { window.end = window.start(state, name, false); }", [kernel.board.shown, name])


def gate(page, number, view=0):
    return page.locator(".learning-checklist").nth(view).locator("li").nth(number - 1)


def status(page, view=0):
    return page.get_by_role("status").nth(view)


def test_a_tick_is_acknowledged_recorded_and_said(opened, kernel):
    from playwright.sync_api import expect

    page = opened()
    page.get_by_role("checkbox", name="12 numbers logged").check()
    expect(status(page)).to_have_text("Gate 12, numbers logged: ticked, saved. progress 0/7, 1 claimed.")
    expect(gate(page, 12).locator(".state")).to_have_text("claimed")
    assert [(one["event"], one["payload"]["ticked"]) for one in kernel.log] == [("tick", True)]
    page.get_by_role("checkbox", name="12 numbers logged").uncheck()
    expect(status(page)).to_have_text("Gate 12, numbers logged: tick taken back, saved. progress 0/7.")
    assert page.evaluate("Object.keys(localStorage).length") == 0
    for number in (2, 3, 7):  # what does not apply is said and cannot be ticked
        expect(gate(page, number).locator("input")).to_be_disabled()
        expect(gate(page, number).locator(".state")).to_have_text("does not apply")


@pytest.mark.slow
def test_a_tick_that_did_not_reach_the_kernel_is_kept_through_a_reload_and_sent_later(opened, kernel):
    from playwright.sync_api import expect

    page = opened()
    kernel.connected = False
    page.get_by_role("checkbox", name="11 written from memory").check()
    expect(gate(page, 11).locator(".state")).to_have_text("not saved yet")
    expect(status(page)).to_contain_text("1 tick is not saved yet: kernel not connected")
    page.reload()
    draw(page, kernel)
    expect(gate(page, 11).locator("input")).to_be_checked()
    expect(gate(page, 11).locator(".state")).to_have_text("not saved yet")
    assert kernel.log == []
    kernel.connected = True
    page.get_by_role("button", name="Refresh").click()
    expect(gate(page, 11).locator(".state")).to_have_text("claimed")
    expect(status(page)).to_contain_text("ticked, saved")
    assert len(kernel.log) == 1 and page.evaluate("Object.keys(localStorage).length") == 0


@pytest.mark.slow
def test_a_view_without_a_kernel_is_served_by_one_that_has_it(opened, kernel):
    """After a restart the checklist further down is dead; the one that the first cell drew anew speaks for it."""
    from playwright.sync_api import expect

    page = opened()
    page.evaluate("() => { window.lost = window.kernel; window.kernel = async () => null; }")
    page.get_by_role("checkbox", name="12 numbers logged").check()
    expect(status(page)).to_contain_text("not saved yet: kernel not connected")
    page.evaluate("() => { window.kernel = window.lost; }")
    draw(page, kernel, "second")
    expect(gate(page, 12).locator(".state")).to_have_text("claimed")
    expect(gate(page, 12, view=1).locator(".state")).to_have_text("claimed")
    assert len(kernel.log) == 1


@pytest.mark.slow
def test_a_late_tick_gives_way_to_a_newer_one_made_elsewhere(opened, kernel):
    from playwright.sync_api import expect

    page = opened()
    kernel.connected = False
    page.get_by_role("checkbox", name="12 numbers logged").check()
    expect(gate(page, 12).locator(".state")).to_have_text("not saved yet")
    for ticked in (True, False):
        kernel.session.note("tick", {"gate": "log", "ticked": ticked})
    kernel.connected = True
    page.get_by_role("button", name="Refresh").click()
    expect(status(page)).to_contain_text("not saved: it was changed elsewhere in the meantime")
    expect(gate(page, 12).locator("input")).not_to_be_checked()


@pytest.mark.slow
def test_proof_arrives_in_place_and_keeps_focus_and_opened_explanations(opened, kernel):
    from playwright.sync_api import expect

    page = opened()
    gate(page, 1).get_by_text("what proves it").click()
    expect(gate(page, 1)).to_contain_text("To get it: Run the cell that calls the reference")
    records.append(kernel.session.log, "reference", "online_normalizer", payload={"before_launch": True})
    refresh = page.get_by_role("button", name="Refresh")
    refresh.focus()
    page.keyboard.press("Enter")
    expect(gate(page, 1).locator(".state")).to_have_text("proved")
    expect(status(page)).to_have_text("The records were read again: progress 1/7.")
    expect(gate(page, 1).locator("details")).to_have_attribute("open", "")
    expect(refresh).to_be_focused()
    expect(page.locator(".all > summary")).to_have_text("progress 1/7 · gates of A1 Online normalizer")
    records.append(kernel.session.log, "tick", "online_normalizer", payload={"gate": "log", "ticked": True})
    page.evaluate("() => { window.dispatchEvent(new Event('focus')); }")  # back from a terminal
    expect(gate(page, 12).locator(".state")).to_have_text("claimed")


def test_with_the_keyboard_alone(opened, kernel):
    from playwright.sync_api import expect

    page = opened()
    box = page.get_by_role("checkbox", name="01 reference first")
    page.locator(".all > summary").focus()
    page.keyboard.press("Tab")
    expect(box).to_be_focused()
    assert box.evaluate("b => getComputedStyle(b).outlineStyle") == "solid"
    page.keyboard.press("Space")
    expect(status(page)).to_contain_text("Gate 01, reference first: ticked, saved")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(gate(page, 1).get_by_text("Proved by:")).to_be_visible()
    assert gate(page, 1).locator("summary").inner_text().startswith("what proves it")
    tree = page.locator(".learning-checklist").aria_snapshot()
    assert 'group "Proof comes from your runs; a tick by hand is a claim"' in tree
    assert 'checkbox "01 reference first" [checked]' in tree and "status" in tree


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark", "forced"])
def test_words_stand_out_from_their_background_in_every_scheme(opened, kernel, scheme):
    page = opened(forced_colors="active") if scheme == "forced" else opened()
    if scheme == "dark":
        page.evaluate(
            "document.documentElement.setAttribute('theme', 'dark'); document.body.style.background = '#111111'"
        )
    kernel.session.note("tick", {"gate": "log", "ticked": True})
    page.get_by_role("button", name="Refresh").click()
    page.wait_for_function("() => document.querySelector('[data-state=claimed]')")
    colours = page.evaluate(
        """() => [...document.querySelectorAll('.state, .number, .ahead, label > span, summary')].map((node) => {
             const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
             const paint = (colour) => { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); };
             const paper = getComputedStyle(document.body).backgroundColor;
             paint(/, 0\\)$/.test(paper) ? 'Canvas' : paper);
             const back = [...canvas.getImageData(0, 0, 1, 1).data];
             paint(getComputedStyle(node).color);
             return [node.textContent, [...canvas.getImageData(0, 0, 1, 1).data], back];
           })"""
    )
    assert len(colours) > 40
    for words, ink, paper in colours:
        assert contrast(ink, paper) >= 4.5, (words, ink, paper)


def contrast(one, other):
    """The contrast ratio of two colours, WCAG 2.2."""

    def luminance(colour):
        parts = [c / 255 for c in colour[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.slow
def test_the_static_form_steps_aside_while_the_widget_lives(opened, kernel):
    page = opened()
    page.evaluate(
        "html => { document.getElementById('static').innerHTML = html; }",
        kernel.board._static(kernel.board.shown)["text/html"].replace(kernel.board.name, "view"),
    )
    assert not page.locator(".learning-checklist-static").is_visible()
    page.evaluate("window.end()")
    assert page.locator(".learning-checklist-static").is_visible()
