"""A learner's own kernel, drawn from its trace: which program owns which tile of each tensor, and which lanes own nothing.

Tiles stand on the tensor's own axes, coloured and numbered by program; lanes past the edge, and masked lanes within it, are
hatched; a counter says how often each tensor was read and written. Choosing programs dims the others, by check boxes and
CSS alone, so it works from the keyboard (Tab and Space: JupyterLab keeps the arrows for itself), without JavaScript, and prints
as the whole picture.
"""

from __future__ import annotations

import hashlib
import html
from typing import Any

from learning.lens.ownership import Ownership, of
from learning.widgets.bands import Panel, axes, program_name
from learning.widgets.pictures import Picture, _label

MOST_CHOICES = 16
"""Programs offered for choosing; a larger grid offers those that are drawn, up to this many."""


class KernelPicture(Picture):
    """A picture whose programs can be looked at one by one; ``text`` says the same in words."""

    def __init__(self, body: str, height: float, text: str, programs: dict[str, str], name: str):
        super().__init__(body, height, text)
        self.programs = programs
        # the same picture has the same id, and two different ones on a page never share one
        self.id = "k" + hashlib.sha256((name + body + text).encode()).hexdigest()[:10]
        self.svg = self.svg.replace("url(#none)", f"url(#{self.id}-none)").replace('id="none"', f'id="{self.id}-none"')

    def _repr_html_(self) -> str:
        if len(self.programs) < 2:
            return self.svg
        me = self.id
        rules = [
            f"#{me} .say,#{me} .plain{{display:none}}",
            # The label draws the button, so that the two never stand on different lines; the real one is only unseen.
            f"#{me}{{position:relative;padding:4px 2px}}",
            f"#{me} input{{position:absolute;opacity:0;margin:0}}",
            f"#{me} label{{display:inline-block;margin:0 .9em .1em 0;white-space:nowrap;cursor:pointer}}",
            f'#{me} label::before{{content:"\\2610\\A0"}}',
            f'#{me} input:checked+label::before{{content:"\\2611\\A0"}}',
            f"#{me} input:checked+label{{font-weight:bold}}",
            f"#{me} input:focus-visible+label{{outline:2px solid currentColor;outline-offset:2px}}",
            f"#{me} svg{{display:block}}",
            f"#{me} .tile:hover rect{{stroke-width:2.5}}",
            f"@media print{{#{me} input,#{me} label,#{me} .say{{display:none!important}}"
            f"#{me} .tile{{opacity:1!important}}}}",
        ]
        rules.append(f"#{me} input:checked~svg .tile{{opacity:.12}}")
        controls, says = [], []
        for number, (program, sentence) in enumerate(self.programs.items()):
            chosen = f"#{me} #{me}-{number}:checked"
            rules.append(f"{chosen}~svg .tile.{program}{{opacity:1}}")
            rules.append(f"{chosen}~.say-{number}{{display:block}}")
            label = html.escape(program_name(program))
            controls.append(f'<input type="checkbox" id="{me}-{number}"><label for="{me}-{number}">{label}</label>')
            says.append(f'<p class="say say-{number}">{html.escape(sentence)}</p>')
        # Viewers that distrust a notebook drop styles and drawings and keep words: then these lines are what is left to read.
        plain = f'<pre class="plain">{html.escape(self.text)}</pre>'
        return (
            f'<div id="{me}" role="group" aria-label="Programs of the kernel; choose any to see their tiles">'
            f"<style>{''.join(rules)}</style>{plain}{''.join(controls)}{self.svg}{''.join(says)}</div>"
        )


def draw(tensors: list[Ownership], kernel: str = "") -> KernelPicture:
    """The picture of one launch's tensors, in the order given; raises ``ValueError`` where there is none to draw."""
    if not tensors:
        raise ValueError("no tensor to draw: give the launch's tensors by name")
    across = axes(tensors)
    panels = [Panel(tensor, across) for tensor in tensors]
    grid = f"{kernel or 'kernel'}: {tensors[0].programs} program{'s' * (tensors[0].programs != 1)}"
    parts, top = [_HATCH, _label(20, 20, grid, "start")], 30.0
    lines = [grid]
    for panel in panels:
        drawn, height = panel.svg(top)
        parts.append(drawn)
        lines += panel.lines()
        top += height
    if any("url(#none)" in part for part in parts):
        parts.append(_label(20, top + 14, "hatched: lanes that own nothing", "start"))
    shown: dict[str, list[str]] = {}
    for panel in panels:
        for program, sentence in panel.sentences().items():
            shown.setdefault(program, []).append(sentence)
    if len(shown) > MOST_CHOICES:
        drawn_ones = set().union(*(panel.drawn for panel in panels))
        shown = {program: said for program, said in shown.items() if program in drawn_ones}
    first = dict(list(shown.items())[:MOST_CHOICES])
    chosen = {program: f"{program_name(program)}: {'; '.join(said)}" for program, said in first.items()}
    return KernelPicture("".join(parts), top + 26, "\n".join(lines), chosen, kernel)


def traced(tape: Any, launch: int = 0, **tensors: Any) -> KernelPicture:
    """The picture of a recording made with ``trace.recording(keep=…)``: ``tensors`` are the launch's tensors by the name of
    the kernel's parameter. Raises ``ValueError`` where nothing was launched or no accesses were kept, ``KeyError`` for a
    parameter the kernel does not have."""
    if not tape.launches:
        raise ValueError("nothing was launched inside the recording")
    recorded = tape.launches[launch]
    if not recorded.accesses:
        raise ValueError("no accesses were kept: record with trace.recording(keep=1 << 20)")
    made = [of(recorded, name, tensor, name, complete=not tape.truncated) for name, tensor in tensors.items()]
    return draw(made, recorded.kernel)


def my_kernel(launch: int = 0) -> Any:
    """The picture of the open lesson's answer, run on its small case on CPU copies in a process of its own; on a GPU machine
    too. ``launch`` counts the answer's launches from 0. Where the answer cannot run yet, the reason in a sentence."""
    from learning.gates import predictions
    from learning.gates.comparison import Shown
    from learning.lens import rehearsal

    try:
        found = predictions.rehearse(predictions.open_session(), drawn=True)
    except rehearsal.RehearsalFailed as reason:
        return Shown(f"There is no picture yet: {reason}")
    if not found["launches"]:
        return Shown("This lesson launches no kernel, so there are no programs to draw.")
    if not 0 <= launch < len(found["launches"]):
        raise ValueError(f"launch {launch}: your answer makes {len(found['launches'])}, counted from 0")
    mine = [tile for tile in found["tiles"] if tile["launch"] == launch]
    made = [Ownership.from_dict({k: v for k, v in tile.items() if k not in ("kernel", "launch")}) for tile in mine]
    return draw(made, found["launches"][launch]["kernel"])


_HATCH = (
    '<defs><pattern id="none" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<line x1="0" y1="0" x2="0" y2="7" stroke="currentColor" stroke-width="1.5"/></pattern></defs>'
)
