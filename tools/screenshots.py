"""The pictures of docs/pictures/, taken anew: a real JupyterLab in a real Chromium, a course folder of its own.

    python tools/screenshots.py [FOLDER]      writes the five pictures (default: docs/pictures)

The notebook is ``vector_add``, as released, then with the answer typed in; the last picture is nbgrader's feedback on it. The
window is the same on every machine; what differs are versions, times and the fonts that are installed. Look at them afterwards.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
sys.path.insert(0, str(ROOT))

from learning.files import replace  # noqa: E402
from tools import lab  # noqa: E402

NAMES = ("opened", "first-pass", "checklist", "picture", "feedback")
WIDTH, HEIGHT, SCALE = 1120, 700, 1.5
MOST = 200_000
"""Bytes that a picture may have."""
NOTEBOOK = "work/vector_add/vector_add.ipynb"
PREDICTION = """from learning.gates.predictions import predict

predict(
    grid=3, tile=1024, passes={"x": 1, "y": 1, "out": 1}, masked=572, padding=None, output={2499: 4998.0},
    occupancy=(0.9, 1.0), bound="memory", launch_share=(0.0, 0.05), microseconds=(2500, 3200),
)"""
EXPLAINED = "Program 2 computes the offsets 2048 to 3071; its mask keeps the 452 below 2500."


def main(argv: list[str] | None = None) -> int:
    """Take every picture; exit status 1 where one is too large, 3 where JupyterLab or Chromium is missing."""
    folder = Path((argv or sys.argv[1:] or [PICTURES])[0])
    if lab.CHROMIUM is None:
        print("Chromium is not installed: sudo apt-get install chromium")
        return 3
    with tempfile.TemporaryDirectory(prefix="screenshots-") as place, lab.chromium() as browser:
        root, home = lab.copy_course(Path(place, "course")), Path(place, "home")
        home.mkdir()
        env = lab.environment(home, root)
        (root / NOTEBOOK).parent.mkdir(parents=True)
        shutil.copy(root / "release/vector_add/vector_add.ipynb", root / NOTEBOOK)
        context = browser.new_context(
            viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=SCALE, locale="en-GB"
        )
        with lab.served(root, home, env) as running:
            taken = in_the_notebook(context.new_page(), running)
        taken["feedback"] = feedback(context.new_page(), root, env)
    too_large = [name for name in NAMES if len(taken[name]) > MOST]
    folder.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        replace(folder / f"{name}.png", taken[name])
        print(f"{name}.png: {len(taken[name]) / 1000:.0f} kB")
    return 1 if too_large else 0


def in_the_notebook(page: Any, running: lab.Lab) -> dict[str, bytes]:
    """A learner's way: the release opened, a picture on it, the answer typed in, the first pass, the checklist."""
    lab.open_notebook(page, running, NOTEBOOK)
    page.keyboard.press("Control+b")  # folds the file browser away
    lab.run_everything(page)
    taken = {}
    top(page, page.locator(".jp-MarkdownCell").first)
    taken["opened"] = picture(page)
    top(page, page.locator(".jp-CodeCell", has_text="from learning.widgets.pictures import").first)
    taken["picture"] = picture(page)
    lab.type_answer(page, "from learning.gates.predictions import predict", PREDICTION)
    lab.type_answer(page, "def add_kernel(", lab.solution())
    explanation = lab.cell_with(page, "Write here.")
    explanation.dblclick()
    explanation.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(EXPLAINED)
    lab.run_everything(page)
    lab.save(page)
    top(page, page.locator(".jp-CodeCell", has_text="def adds_2500_elements").first)
    taken["first-pass"] = picture(page)
    top(page, page.locator(".jp-CodeCell", has_text="import checklist").last)
    taken["checklist"] = picture(page)
    return taken


def top(page: Any, cell: Any) -> None:
    """Bring a cell's first line to the top of the notebook."""
    cell.evaluate("cell => cell.scrollIntoView({block: 'start', behavior: 'instant'})")
    page.mouse.move(WIDTH - 5, HEIGHT - 5)
    page.wait_for_timeout(1500)


def feedback(page: Any, root: Path, env: dict) -> bytes:
    """The submission graded, and the page that its writer gets back."""
    handed_in = root / "submitted/ada/vector_add"
    handed_in.mkdir(parents=True)
    shutil.copy(root / NOTEBOOK, handed_in)
    for command in (
        ["generate_assignment", "vector_add", "--force"],
        ["autograde", "vector_add"],
        ["generate_feedback", "vector_add"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "nbgrader", *command], cwd=root, env=env, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(f"nbgrader {command[0]} failed:\n{done.stderr[-2000:]}")
    page.goto((root / "feedback/ada/vector_add/vector_add.html").as_uri())
    page.wait_for_timeout(1000)
    return picture(page)


def picture(page: Any) -> bytes:
    """What the window shows, as a PNG of few colours."""
    from PIL import Image

    shot = Image.open(io.BytesIO(page.screenshot(caret="hide", animations="disabled"))).convert("RGB")
    made = io.BytesIO()
    shot.quantize(128, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(made, "PNG", optimize=True)
    return made.getvalue()


if __name__ == "__main__":
    sys.exit(main())
