"""Read the PTX: count the global loads of your own kernel, compiled for a T4, and have the count checked.

    reading.count(loads={...: ...})       # shows the kernel, line by line, with its PTX; nothing is said yet
    reading.count(loads={16: 4})          # 4 instructions that move 16 bytes for each thread: right, or what to look at

Each attempt is kept as a ``compile`` record that holds what was said beside what the compiler made; one right reading is part
of gate 09 (``learning.gates.counted``).
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from learning.gates import predictions
from learning.gates.comparison import Shown
from learning.gates.counted import canonical, hint
from learning.gates.fields import PredictionError
from learning.lens import facts, rehearsal
from learning.lens.listing import Listing


def count(*, loads: Mapping[Any, Any], kernel: str = "") -> Shown:
    """Say how many global loads the kernel has for a T4: ``loads`` is {bytes one thread moves in one instruction: how many
    such instructions stand in the PTX}; ``kernel`` names one where the answer launches several (the first, unless said).

    With ``...`` in it nothing is said yet, and the PTX is shown. Raises ``PredictionError`` for what cannot be a count, for
    the name of a kernel that is not launched, and where no lesson is open.
    """
    session = predictions.open_session()
    said = None if _unsaid(loads) else canonical(loads)
    try:
        found = predictions.rehearse(session, listing="ptx", keep=said is None)
    except rehearsal.RehearsalFailed as reason:
        return Shown(f"There is no PTX to read yet: {reason}")
    if not found["compiled"]:
        return Shown("There is no PTX here: this machine's Triton cannot compile. Open the notebook where it can.")
    names = [made["kernel"] for made in found["compiled"]]
    if kernel and kernel not in names:
        raise PredictionError(f"your answer launches no kernel {kernel!r}; it launches {', '.join(names)}")
    place = names.index(kernel) if kernel else 0
    made, listing = found["compiled"][place], Listing.from_dict(found["listings"][place])
    if said is None:
        return _asked(listing)
    kept = session.note(
        "compile",
        {"case": found["case"], "kernels": found["compiled"], "reading": {"kernel": made["kernel"], "loads": said}},
        device=found["device"],
    )
    right = said == made["loads"]
    text = _right(made, listing) if right else f"Not that: {hint(said, made)}"
    text += "" if kept else f" (Not kept: {session.why}.)"
    markup = f'<p style="white-space:pre-line">{html.escape(text)}</p>'
    if right:
        return Shown(text, markup=markup)
    return Shown(f"{text}\n\n{listing}", markup=markup + listing._repr_html_())  # what is to be counted stays in view


def _unsaid(loads: Any) -> bool:
    if loads is ...:
        return True
    return isinstance(loads, Mapping) and any(item is ... for pair in loads.items() for item in pair)


def _asked(listing: Listing) -> Shown:
    ask = (
        "Nothing is said yet. Count the rows with ld.global below, and read their width: ld.global.v4.b32 moves four values of "
        "32 bits, 16 bytes for each thread. Then write {bytes: how many}."
    )
    return Shown(f"{ask}\n\n{listing}", markup=f"<p>{html.escape(ask)}</p>{listing._repr_html_()}")


def _right(made: Mapping[str, Any], listing: Listing) -> str:
    lines = [f"Right: {made['kernel']} loads with {facts.widths(made['loads'])} a thread on a {made['card']}."]
    for line in listing.lines:
        number = sum("ld.global" in code for code in line.code)
        if number:
            lines.append(f"  {number} under {line.text.strip()}")
    if set(made["loads"]) <= {"1", "2", "4"} and made["warps"]:
        lines.append(
            "None is wide. A thread loads 16 bytes at once where it owns neighbours that fill them, all on or all off, and "
            "where length, stride and address are multiples of 16."
        )
    return "\n".join(lines)
