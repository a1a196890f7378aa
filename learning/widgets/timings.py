"""Times drawn: each size beside its peers and its floor, the share of the floor, the roofline, the prediction.

    plot(record)                                        # any benchmark record, or a benchmark file
    plot("benchmarks/results/speed-rows.json", op="softmax")

The picture is saved in the notebook as an image, with the table and one sentence below it; ``Live`` keeps one picture up to
date while something is measured. White background, four colours of Okabe & Ito, each with a marker and a dash of its own.
"""

from __future__ import annotations

import base64
import html
import io
import sys
from collections.abc import Sequence
from typing import Any

from learning import tables
from learning.bench.report import percent, time_text
from learning.widgets import timings_data as data
from learning.widgets.timings_data import Taken, Timed

STYLES = (("#0072B2", "o", "-"), ("#D55E00", "s", "--"), ("#009E73", "^", "-."), ("#CC79A7", "D", ":"))
DRAWN = len(STYLES)
"""Sides drawn at most, the answer first; the others stand in the table."""
_PREDICTED, _FLOOR = "#F0E442", "#000000"


def plot(record: Any, *, op: str = "", predicted: Any = None) -> Timings:
    """Draw a benchmark record; see ``timings_data.cases`` for what may be given. Without ``predicted`` the open lesson's
    locked prediction is drawn in, where there is one. Raises ``ValueError`` for what is no benchmark."""
    return Timings(data.cases(record, op=op, predicted=predicted if predicted is not None else locked()))


def locked() -> Any:
    """The ``microseconds`` of the open lesson's prediction, None where there is none."""
    from learning.gates.scoring import predictions
    from learning.judge import setting

    session = setting.current().resources.get("session")
    record = predictions(session.evidence())[0] if session is not None else None
    return record["payload"]["fields"].get("microseconds") if record is not None else None


class Timings:
    """Benchmark ``cases`` as a picture (``png()``), a table and sentences; shown in a notebook as all three."""

    def __init__(self, cases: Sequence[Timed]):
        self.cases = list(cases)

    def png(self, dpi: int = 110) -> bytes:
        """The picture's bytes; none where there is no case, or no matplotlib."""
        return drawn(self.cases, dpi) if self.cases else b""

    def text(self) -> str:
        """Table and sentences."""
        if not self.cases:
            return "Nothing is measured yet."
        return "\n".join([*tables.text(data.table(self.cases)), "", *self.sentences()])

    __repr__ = text

    def sentences(self) -> list[str]:
        """One on each case, the largest first."""
        return [data.sentence(case) for case in reversed(self.cases)]

    def markup(self) -> str:
        """The same as HTML."""
        if not self.cases:
            return "<p>Nothing is measured yet.</p>"
        head, *rows = data.table(self.cases)
        return tables.html(rows, head) + "".join(f"<p>{html.escape(line)}</p>" for line in self.sentences())

    def _ipython_display_(self) -> None:
        from IPython.display import display

        image = bundle(self)
        if image:
            display(image, raw=True)
        display({"text/html": self.markup(), "text/plain": self.text()}, raw=True)


class Live:
    """One picture on the page, redrawn while measuring; quiet outside a notebook and without matplotlib. Main thread only."""

    def __init__(self, predicted: Any = None):
        self.predicted, self.name = predicted, ""

    def update(self, cases: list[dict]) -> None:
        """Show ``cases``, as a ``benchmark`` record keeps them, in the same place as before."""
        ipython = sys.modules.get("IPython")
        if ipython is None or ipython.get_ipython() is None or not cases:
            return
        from IPython.display import display

        try:
            image = bundle(Timings(data.cases(cases, predicted=self.predicted)))
        except Exception:  # a picture that cannot be drawn ends no measurement; the table comes at the end
            return
        if not image:
            return
        if not self.name:
            self.name = display(image, raw=True, display_id=True).display_id
        else:
            display(image, raw=True, display_id=self.name, update=True)


def bundle(timings: Timings) -> dict[str, str]:
    """The picture as a notebook keeps it, its sentences for whoever cannot see it; empty where nothing can be drawn."""
    try:
        made = timings.png()
    except ImportError:  # no matplotlib: the table says it all
        return {}
    return {"image/png": base64.b64encode(made).decode(), "text/plain": "\n".join(timings.sentences())} if made else {}


# --- drawing -----------------------------------------------------------------------------------------------------------


def drawn(cases: Sequence[Timed], dpi: int = 110) -> bytes:
    """The PNG of the cases: a strip of times for each size, the largest on top; beside them the roofline, where operations are
    counted and the card is known."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    top = _ceiling(cases)
    placed = [case for case in cases if case.flops and case.bytes] if top is not None else []
    names = sides_of(cases)
    heights = [1.0 + sum(side.name in names for side in case.sides) for case in reversed(cases)]
    figure = Figure(
        figsize=(10.2 if placed else 6.2, max(2.6, 0.8 + 0.36 * sum(heights))), facecolor="white", layout="constrained"
    )
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(
        len(cases), 2 if placed else 1, height_ratios=heights, width_ratios=[1.45, 1] if placed else [1]
    )
    for row, case in enumerate(reversed(cases)):
        _strip(_axis(figure, grid[row, 0]), case, names)
    if placed:
        _roofline(_axis(figure, grid[:, 1]), placed, names, top)
    card = next((case.card for case in cases if case.card), "")
    figure.suptitle(f"{cases[-1].answer.name}{f' on {card}' if card else ''}", fontsize=10.5)
    told = [
        *(["dotted: the floor"] if any(case.floor for case in cases) else []),
        *(["yellow: what you predicted"] if any(case.predicted for case in cases) else []),
        "caps: 95 % interval of the median",
        "pale: the middle 80 % of the samples",
    ]
    figure.supxlabel("   ".join(told), fontsize=7.5, x=0.01, ha="left")
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=dpi, facecolor="white")
    return out.getvalue()


def sides_of(cases: Sequence[Timed]) -> list[str]:
    """Names of the sides that are drawn: the answer, then the peers as they come."""
    names = dict.fromkeys(side.name for case in reversed(cases) for side in case.sides[1:])
    return [cases[-1].answer.name, *list(names)[: DRAWN - 1]]


def _axis(figure: Any, place: Any) -> Any:
    axis = figure.add_subplot(place)
    axis.set_facecolor("white")
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(labelsize=8.5)
    return axis


def _side(case: Timed, name: str, place: int) -> Taken | None:
    return case.answer if not place else next((side for side in case.sides[1:] if side.name == name), None)


def _strip(axis: Any, case: Timed, names: list[str]) -> None:
    """One size: a row a side, its median on a stem from 0 with the dash of its own, a pale bar for the middle of its samples,
    caps for the median's interval; a dotted line for the floor, a band for what was predicted."""
    shown = [(place, side) for place, name in enumerate(names) if (side := _side(case, name, place)) is not None]
    edge = max([side.most for _, side in shown] + ([case.predicted[1]] if case.predicted else []))
    if case.predicted is not None:
        axis.axvspan(*case.predicted, color=_PREDICTED, alpha=0.45, linewidth=0)
        axis.annotate("predicted", (sum(case.predicted) / 2, 0), xycoords=("data", "axes fraction"), xytext=(0, 3),
                      textcoords="offset points", fontsize=7.5, ha="center", va="bottom", color="#6b6200")  # fmt: skip
    if case.floor:
        axis.axvline(case.floor, color=_FLOOR, linewidth=1.6, linestyle=(0, (1, 1)))
        axis.annotate("floor", (case.floor, 1), xycoords=("data", "axes fraction"), xytext=(3, -1), textcoords="offset points",
                      fontsize=7.5, va="top")  # fmt: skip
    for row, (place, side) in enumerate(shown):
        colour, marker, dash = STYLES[place]
        axis.hlines(row, 0, side.median, color=colour, linestyle=dash, linewidth=1.2)
        axis.hlines(row, side.least, side.most, color=colour, alpha=0.3, linewidth=7)
        axis.errorbar([side.median], [row], xerr=[[side.median - side.low], [side.high - side.median]], color=colour,
                      marker=marker, markersize=6, capsize=3.5, linestyle="")  # fmt: skip
        share = case.share(side)
        told = f"{time_text(side.median)}{f', {percent(share)} of the floor' if share is not None else ''}"
        axis.annotate(told, (max(side.most, side.high), row), xytext=(8, 0), textcoords="offset points", fontsize=8,
                      va="center")  # fmt: skip
    axis.set_yticks(range(len(shown)), [side.name for _, side in shown], fontsize=8.5)
    axis.set_ylim(len(shown) - 0.35, -0.85)
    axis.set_xlim(0, 1.42 * edge)
    axis.set_title(f"{case.about}, µs", fontsize=9, loc="left")


def _roofline(axis: Any, placed: Sequence[Timed], names: list[str], top: Any) -> None:
    dots = any(case.tensor_cores for case in placed)
    rates = {"fp32": top.rate(False), **({"tensor cores": top.rate(True)} if dots else {})}
    intensities = [case.flops / case.bytes for case in placed]
    ridges = [rate / top.bandwidth for rate in rates.values()]
    low, high = min([*intensities, *ridges]) / 6, max([*intensities, *ridges]) * 6
    edge = max(rates.values()) / top.bandwidth
    axis.plot([low, edge], [low * top.bandwidth / 1e12, edge * top.bandwidth / 1e12], color=_FLOOR, linewidth=1.3)
    axis.annotate(f"memory {top.bandwidth / 1e12:.3g} TB/s", (edge / 5, edge * top.bandwidth / 5e12), xytext=(7, -9),
                  textcoords="offset points", fontsize=7.5)  # fmt: skip
    for (what, rate), ridge in zip(rates.items(), ridges, strict=True):
        axis.plot([ridge, high], [rate / 1e12] * 2, color=_FLOOR, linewidth=1.3)
        axis.annotate(f"{what} {rate / 1e12:.3g} TFLOP/s", (high, rate / 1e12), textcoords="offset points",
                      xytext=(0, 4), fontsize=7.5, ha="right")  # fmt: skip
    for place, name in reversed(list(enumerate(names))):
        colour, marker, _ = STYLES[place]
        for at, case in enumerate(placed):
            side = _side(case, name, place)
            if side is not None:
                axis.plot(case.flops / case.bytes, case.flops / side.median / 1e6, marker=marker, color=colour,
                          markersize=5 + 2.5 * at, linestyle="", markeredgecolor="white", markeredgewidth=0.7)  # fmt: skip
    axis.set(xscale="log", yscale="log", xlim=(low, high))
    for one in (axis.xaxis, axis.yaxis):
        _plain_log(one)
    axis.set_xlabel("operations a byte", fontsize=8.5)
    more = "; the larger size has the larger marker" if len(placed) > 1 else ""
    axis.set_title(f"roofline, TFLOP/s{more}", fontsize=9, loc="left")


def _ceiling(cases: Sequence[Timed]) -> Any:
    from learning.lens import roofline

    try:
        return roofline.ceiling(next(case.card for case in cases if case.card))
    except (KeyError, StopIteration):
        return None


def _plain_log(axis: Any) -> None:
    """Ticks of one logarithmic axis as plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(numticks=6))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.10g}"))
    axis.set_minor_formatter(NullFormatter())
