"""One tensor of a kernel's picture: its tiles on its own axes, each axis cut into bands where tiles begin.

A grid too large to draw shows the first bands and the last. Tiles that are no boxes are drawn element by element.
Standard library only.
"""

from __future__ import annotations

import html
from dataclasses import dataclass, field

from learning.lens.ownership import Ownership, Tile
from learning.widgets.pictures import WIDTH, _box, _label

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442")
"""Okabe–Ito without black; programs beyond the seventh begin again, and every tile also bears its program's number."""
SHOWN = 7  # bands drawn on one axis: the first six and the last
MOST_ROWS = 24  # rows drawn where tiles are no boxes
MOST_HOLES = 128
LEFT, RIGHT, HEAD = 64.0, 20.0, 34.0
TALL = 38.0


@dataclass
class _Group:
    """Tiles that begin at one place: the largest of them, and every program that has one there."""

    tile: Tile
    programs: list[str] = field(default_factory=list)


class Panel:
    """The drawing and the words of one tensor."""

    def __init__(self, tensor: Ownership, axes: int = 1):
        self.tensor, self.axes = tensor, axes
        self.drawn: set[str] = set()
        self.stores = any(tile.store for tile in tensor.tiles)
        # what a program stores it owns; a tensor that is only read is shown by its loads
        self.tiles = [tile for tile in tensor.tiles if tile.store == self.stores]
        self.shape = tensor.shape or (1,)
        self.sliced = len(self.shape) > 2
        self.boxes = [t for t in self.tiles if not t.runs and any(t.size) and self._visible(t)]
        self.ragged = [t for t in self.tiles if t.runs]

    @property
    def title(self) -> str:
        name = f"{self.tensor.name} [{', '.join(map(str, self.tensor.shape))}]"
        part = f", slice {[0] * (len(self.shape) - 2)} of the leading axes" if self.sliced else ""
        return name + part

    def svg(self, top: float) -> tuple[str, float]:
        """(drawing, height) of the panel whose upper edge is at ``top``."""
        parts = [_label(20, top + 20, self.title, "start"), self._counters(top + 8)]
        body, height = self._elements(top + HEAD) if self.ragged else self._bands(top + HEAD)
        return "".join(parts) + body, HEAD + height + 14

    def lines(self) -> list[str]:
        """The panel in words: passes, then what each program owns."""
        verb = "stores" if self.stores else "loads"
        lines = [f"{self.title}: read {self.tensor.loads:.2f} times, written {self.tensor.stores:.2f} times"]
        said = list(self.sentences().items())
        for program, sentence in said[:12]:
            lines.append(f"  {program_name(program)} {verb} {sentence.removeprefix(verb + ' ')}")
        if len(said) > 12:
            lines.append(f"  and {len(said) - 12} programs more")
        if not self.tensor.complete:
            lines.append("  (a part of the accesses: there were too many to keep)")
        return lines

    def sentences(self) -> dict[str, str]:
        """Program to what it does with this tensor, in the order programs ran."""
        verb = "stores" if self.stores else "loads"
        found: dict[str, list[Tile]] = {}
        for tile in self.tiles:
            found.setdefault(program_class(tile.program, self.axes), []).append(tile)
        return {program: f"{verb} {self._words(tiles)}" for program, tiles in found.items()}

    def _words(self, tiles: list[Tile]) -> str:
        masked = sum(tile.masked for tile in tiles)
        first = self._range(tiles[0])
        text = first if len(tiles) == 1 else f"{first} to {self._range(tiles[-1])} in {len(tiles)} tiles"
        return text + (f", {masked} lanes own nothing" if masked else "")

    def _range(self, tile: Tile) -> str:
        if not tile.active:
            return f"nothing of {self.tensor.name}"
        if tile.runs:
            return f"{tile.active} elements of {self.tensor.name}"
        ends = [min(s + n, length) for s, n, length in zip(tile.start, tile.size, self.shape, strict=True)]
        spans = ", ".join(f"{s}:{e}" for s, e in zip(tile.start, ends, strict=True))
        return f"{self.tensor.name}[{spans}]"

    def _visible(self, tile: Tile) -> bool:
        """Whether a tile lies in the slice that is drawn."""
        return all(start == 0 for start in tile.start[:-2])

    def _counters(self, top: float) -> str:
        """Passes as small boxes with their number: read, then written, at the panel's right."""
        parts, right = [], WIDTH - RIGHT
        for word, passes in (("written", self.tensor.stores), ("read", self.tensor.loads)):
            text = f"{word} {passes:.2f} ×"
            parts.append(_label(right, top + 12, text, "end"))
            whole = min(int(passes + 0.005), 8)
            left = right - (96 if word == "written" else 76) - 11 * whole
            parts += [_box(left + 11 * n, top + 2, 8, 10, "currentColor") for n in range(whole)]
            right = left - 18
        return "".join(parts)

    # -- tiles that are boxes

    def _bands(self, top: float) -> tuple[str, float]:
        if not self.boxes:
            return _label(WIDTH / 2, top + 24, "no program touches it"), 36.0
        groups: dict[tuple[int, int], _Group] = {}
        for tile in self.boxes:
            row, column = self._ends(tile)
            group = groups.setdefault((row[0], column[0]), _Group(tile))
            program = program_class(tile.program, self.axes)
            if program not in group.programs:
                group.programs.append(program)
        rows = _axis([self._ends(g.tile)[0] for g in groups.values()])
        columns = _axis([self._ends(g.tile)[1] for g in groups.values()])
        shown_rows, gap_row = _few(list(rows))
        shown_columns, gap_column = _few(list(columns))
        width = (WIDTH - LEFT - RIGHT - 24 * bool(gap_column)) / len(shown_columns)
        parts, holes = [], 0
        for y_place, row in enumerate(shown_rows):
            y = top + y_place * TALL + 22 * (bool(gap_row) and y_place == len(shown_rows) - 1)
            if len(rows) > 1 or len(self.shape) > 1:
                parts.append(_label(LEFT - 8, y + TALL / 2 + 4, str(row), "end"))
            for x_place, column in enumerate(shown_columns):
                x = LEFT + x_place * width + 24 * (bool(gap_column) and x_place == len(shown_columns) - 1)
                if y_place == 0:
                    parts.append(
                        _label(x, top + len(shown_rows) * TALL + 22 * bool(gap_row) + 16, str(column), "start")
                    )
                if (row, column) in groups and holes < MOST_HOLES:
                    group = groups[row, column]
                    holes += len(group.tile.holes)
                    parts.append(self._tile(group, x, y, width, TALL))
        height = len(shown_rows) * TALL + 22 * bool(gap_row)
        parts.append(self._edge(columns, width, top + height + 16))
        if gap_row:
            middle = top + (len(shown_rows) - 1) * TALL + 15
            parts.append(_label(WIDTH / 2, middle, f"⋮ {gap_row} more rows of tiles"))
        if gap_column:
            x = LEFT + (len(shown_columns) - 1) * width + 12
            parts.append(_label(x, top + TALL / 2 + 4, "…"))
            parts.append(_label(WIDTH - RIGHT, top + height + 30, f"… {gap_column} more tiles along this axis", "end"))
        return "".join(parts), height + 20 + 14 * bool(gap_column)

    def _edge(self, columns: dict[int, int], width: float, y: float) -> str:
        """Where the last axis ends, under the edge itself, where it does not run into the last band's own number."""
        last, lanes = list(columns.items())[-1]
        inside = max(0.0, min(1.0, (self.shape[-1] - last) / lanes))
        right, text = WIDTH - RIGHT - width * (1 - inside), str(self.shape[-1])
        if width * inside >= 9 * (len(text) + len(str(last))):
            return _label(right, y, text, "end")
        return _label(right + 4, y, text, "start") if width * (1 - inside) >= 9 * len(text) else ""

    def _ends(self, tile: Tile) -> tuple[tuple[int, int], tuple[int, int]]:
        """((row, rows), (column, columns)) of a tile on the axes that are drawn."""
        if len(self.shape) == 1:
            return (0, 1), (tile.start[0], tile.size[0])
        return (tile.start[-2], tile.size[-2]), (tile.start[-1], tile.size[-1])

    def _tile(self, group: _Group, x: float, y: float, width: float, height: float) -> str:
        """One tile: what exists in the colour of its first program, what does not hatched."""
        tile, inner = group.tile, width - 3
        (row, rows), (column, columns) = self._ends(tile)
        tall = 1 if len(self.shape) == 1 else self.shape[-2]
        across = max(0.0, min(1.0, (self.shape[-1] - column) / columns))
        down = max(0.0, min(1.0, (tall - row) / rows))
        colour = COLOURS[_number(group.programs[0]) % len(COLOURS)]
        box = height - 3
        parts = []
        if across and down:
            parts.append(_box(x, y, inner * across, box * down, colour))
        if across < 1:
            parts.append(_box(x + inner * across, y, inner * (1 - across), box, _NONE))
        if down < 1:
            parts.append(_box(x, y + box * down, inner * across, box * (1 - down), _NONE))
        for lead, first, last in tile.holes[:MOST_HOLES]:
            if row <= lead < row + rows:
                left, top = x + inner * (first - column) / columns, y + box * (lead - row) / rows
                parts.append(_hole(left, top, inner * (last - first) / columns, box / rows))
        names = [program_name(program) for program in group.programs]
        self.drawn |= set(group.programs)
        label = names[0] if len(names) == 1 else f"{len(names)} programs"
        if len(label) * 7.4 > inner * max(across, 0.3):
            label = label.removeprefix("program ") if len(names) == 1 else f"{len(names)} ×"
        middle = down if down >= 0.5 else 1.0  # a sliver of a row is labelled across its tile
        parts.append(_label(x + max(inner * across, 40) / 2, y + box * middle / 2 + 5, label))
        said = f"{', '.join(names[:8])}{' …' if len(names) > 8 else ''}: {self._words([tile])}"
        classes = " ".join(["tile", *group.programs])
        return f'<g class="{classes}"><title>{html.escape(said)}</title>{"".join(parts)}</g>'

    # -- tiles that are not

    def _elements(self, top: float) -> tuple[str, float]:
        rows = 1
        for length in self.shape[:-1]:
            rows *= length
        shown, wide = min(rows, MOST_ROWS), max(self.shape[-1], 1)
        tall = TALL if shown == 1 else max(10.0, min(TALL, 260 / shown))
        scale = (WIDTH - LEFT - RIGHT) / wide
        parts = [_box(LEFT, top, WIDTH - LEFT - RIGHT, shown * tall, "none")]
        for tile in self.tiles:
            program = program_class(tile.program, self.axes)
            colour = COLOURS[_number(program) % len(COLOURS)]
            marks = [
                _box(LEFT + first * scale, top + lead * tall, (last - first) * scale, tall - 1, colour)
                for lead, first, last in tile.runs or self._as_runs(tile)
                if lead < shown
            ]
            if marks:
                self.drawn.add(program)
                said = f"{program_name(program)}: {self._words([tile])}"
                parts.append(f'<g class="tile {program}"><title>{html.escape(said)}</title>{"".join(marks)}</g>')
        note = (
            f"the first {shown} of {rows} rows" if shown < rows else "drawn element by element: its tiles are no boxes"
        )
        parts.append(_label(WIDTH - RIGHT, top + shown * tall + 16, note, "end"))
        return "".join(parts), shown * tall + 20

    def _as_runs(self, tile: Tile) -> list[tuple[int, int, int]]:
        if not tile.active or not any(tile.size):
            return []
        (row, rows), (column, columns) = self._ends(tile)
        return [(lead, column, min(column + columns, self.shape[-1])) for lead in range(row, row + rows)]


_NONE = "url(#none)"


def _hole(x: float, y: float, width: float, height: float) -> str:
    """Masked lanes within a tile: hatched over the page's own background, without an edge, because many lie side by side."""
    place = f'x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:.2f}"'
    return f'<rect {place} fill="{_PAGE}"/><rect {place} fill="{_NONE}"/>'


_PAGE = "var(--jp-layout-color0, var(--vscode-editor-background, Canvas))"


def axes(tensors: list[Ownership]) -> int:
    """How many axes of the grid the programs differ on: 1 to 3."""
    last = [tile.program for tensor in tensors for tile in tensor.tiles]
    return max((n for n in (2, 3) if any(program[n - 1] for program in last)), default=1)


def program_class(program: tuple[int, int, int], axes: int) -> str:
    """A program as a CSS class, by the axes its grid has: "p3", "p3-1"."""
    return "p" + "-".join(str(number) for number in program[:axes])


def program_name(program: str) -> str:
    """A program's class in words: "program 3", "program (3, 1)"."""
    numbers = program.removeprefix("p").split("-")
    return f"program {numbers[0]}" if len(numbers) == 1 else f"program ({', '.join(numbers)})"


def _number(program: str) -> int:
    """A number by which neighbouring programs get different colours on every axis."""
    return sum(int(part) * step for part, step in zip(program.removeprefix("p").split("-"), (1, 3, 5), strict=False))


def _axis(ends: list[tuple[int, int]]) -> dict[int, int]:
    """Where bands begin, in order, and how long each is at most."""
    found: dict[int, int] = {}
    for start, size in sorted(ends):
        found[start] = max(size, found.get(start, 0))
    return found


def _few(bands: list[int]) -> tuple[list[int], int]:
    """(bands to draw, how many are left out between the last two)."""
    if len(bands) <= SHOWN + 1:
        return bands, 0
    return [*bands[: SHOWN - 1], bands[-1]], len(bands) - SHOWN
