"""The checklist of the open lesson's gates: a widget where there is a kernel to talk to, its static form everywhere else.

    checklist()

A tick travels to the kernel, is appended to ``progress.jsonl`` and acknowledged; until then the browser keeps it and says
that it is not saved. The records are the only state: the widget shows what they prove, and may be thrown away at any time.
"""

from __future__ import annotations

import contextlib
import importlib.util
import uuid
from pathlib import Path
from typing import Any

from learning import host
from learning.gates import claims
from learning.widgets import checklist_view

HERE = Path(__file__).parent
MOST = 4
"""Live checklists of one session; where a cell is run again and again, the oldest become static."""


def checklist() -> Checklist:
    """The twelve gates of the open lesson: what is proved, claimed, open or waits for a GPU, what proves each and how to get
    the next one. Raises ``learning.gates.fields.PredictionError`` where no lesson is open."""
    from learning.gates.predictions import open_session

    return Checklist(open_session())


class Checklist:
    """A checklist of ``session``; ``folded`` shows its progress alone at first."""

    def __init__(self, session: Any, *, folded: bool = False):
        self.session, self.folded = session, folded
        self.name = uuid.uuid4().hex[:12]
        self.live: Any = None

    @property
    def shown(self) -> dict[str, Any]:
        """What it shows now, as ``checklist_view.view`` says."""
        return checklist_view.of(self.session)

    def __repr__(self) -> str:
        return checklist_view.text(self.shown)

    def _repr_markdown_(self) -> str:
        return checklist_view.markdown(self.shown)

    def _repr_html_(self) -> str:
        return checklist_view.page(self.shown, folded=self.folded)

    def _ipython_display_(self) -> None:
        """Show the static form, and where a front end may answer, the widget, which hides it while it lives.

        The two are outputs of their own. So a saved notebook always holds the gates as they last stood, and a page whose
        kernel is gone shows them in place of a widget that cannot be drawn.
        """
        from IPython.display import display

        shown = self.shown
        if self.live is None and alive():
            self.live = make(self, shown)
        if self.live is None:
            display(self._static(shown), raw=True)
            return
        display(self._static(shown), raw=True, display_id=self.name)
        data, metadata = self.live._repr_mimebundle_()
        display(data | {"text/plain": ""}, metadata=metadata, raw=True)

    def refresh(self) -> None:
        """Show the records as they are now, in the widget and in what is saved with the notebook."""
        if self.live is None:
            return
        from IPython.display import update_display

        self.live.state = shown = self.shown
        update_display(self._static(shown), raw=True, display_id=self.name)

    def received(self, content: Any) -> dict[str, Any] | None:
        """Answer a message of the browser; None for what is no message of ours.

        {"kind": "hello"} is answered with {"kind": "alive"}, {"kind": "tick", "gate", "ticked", "seen", "number", "mine"} with {"kind":
        "ack", "gate", "number", "kept", "why"}. Either way the records are read again.
        """
        if not isinstance(content, dict):
            return None
        answer: dict[str, Any] | None = None
        if content.get("kind") == "hello":
            answer = {"kind": "alive"}
        elif content.get("kind") == "tick":
            gate, wanted, seen, number, mine = (content.get(n) for n in ("gate", "ticked", "seen", "number", "mine"))
            done = claims.tick(self.session, gate, wanted, seen, number, mine)
            answer = {"kind": "ack", "gate": gate, "number": number, "kept": done.kept, "why": done.why}
        if answer is not None:
            self.refresh()
        return answer

    def _static(self, shown: dict[str, Any]) -> dict[str, str]:
        return {
            "text/plain": checklist_view.text(shown),
            "text/markdown": checklist_view.markdown(shown),
            "text/html": checklist_view.page(shown, name=self.name, folded=self.folded),
        }


def alive() -> bool:
    """Whether this is a kernel whose front end can draw a widget: not nbgrader's, not a script's, and anywidget is there."""
    with contextlib.suppress(ImportError):
        from IPython import get_ipython

        shell = get_ipython()
        return (
            getattr(shell, "kernel", None) is not None
            and not host.graded()
            and bool(importlib.util.find_spec("anywidget"))
        )
    return False


def make(of: Checklist, shown: dict[str, Any]) -> Any:
    """The widget of a checklist, told of every record from now on; None where ipywidgets cannot make one here."""
    try:
        import anywidget
        import traitlets

        class Live(anywidget.AnyWidget):
            """What the browser draws: ``state`` as ``checklist_view.view`` gives it."""

            _esm = (HERE / "checklist.js").read_text(encoding="utf-8")
            _css = (HERE / "checklist.css").read_text(encoding="utf-8")
            state = traitlets.Dict().tag(sync=True)
            name = traitlets.Unicode().tag(sync=True)
            folded = traitlets.Bool(False).tag(sync=True)

        live = Live(state=shown, name=of.name, folded=of.folded)
    except Exception:  # an old front end, a broken installation: the static form says the same
        return None

    def received(_: Any, content: Any, __: Any) -> None:
        answer = of.received(content)
        if answer is not None:
            live.send(answer)

    live.on_msg(received)
    listening = of.session.changed
    listening.append(of.refresh)
    mine = [tell for tell in listening if isinstance(getattr(tell, "__self__", None), Checklist)]
    for tell in mine[:-MOST]:
        listening.remove(tell)
        tell.__self__.live.close()
    return live
