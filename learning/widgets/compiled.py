"""What the compiler made of the open lesson's answer, in one call: its figures, what changed since the last attempt, its code.

my_compiled()                   # for a T4
my_compiled("sm_90")            # for a newer card, beside the T4
my_compiled(listing="sass")     # with the machine code under each line of the source
"""

from __future__ import annotations

import html
from typing import Any

from learning.lens import facts
from learning.lens.cards import TARGETS
from learning.lens.listing import KINDS, Listing


def my_compiled(target: str = "t4", *, listing: str = "") -> Any:
    """Figures of every kernel the answer launches on the lesson's small case, compiled for ``target`` ("t4", "sm_75",
    "sm_80", "sm_90") in a process of its own, with or without a GPU; ``listing`` "ptx" or "sass" adds the code.

    For a T4 they stand beside those of the attempt before, for another card beside the T4's. Where there is nothing to
    compile, or a tile that this card cannot launch, the reason in a sentence. ``ValueError`` for a target or listing that
    does not exist.
    """
    from learning.gates import predictions
    from learning.gates.comparison import Shown
    from learning.lens import rehearsal

    if target not in TARGETS:
        raise ValueError(f"there is no target {target!r}; the targets are {', '.join(TARGETS)}")
    if listing and listing not in KINDS:
        raise ValueError(f"listing is {listing!r}; it is 'ptx' or 'sass'")
    session, own = predictions.open_session(), TARGETS[target] == TARGETS[rehearsal.TARGET]
    try:
        found = predictions.rehearse(session, listing=listing, target=rehearsal.TARGET if own else target)
    except rehearsal.RehearsalFailed as reason:
        return Shown(f"There is nothing to show yet: {reason}")
    if not found["compiled"]:
        why = "it launches no kernel" if not found["launches"] else "this machine's Triton cannot compile"
        return Shown(f"Nothing was compiled: {why}.")
    before = earlier(session.evidence(), session.lesson.slug, same=not own)
    parts: list[Any] = []
    for place, made in enumerate(found["compiled"]):
        parts.append(facts.table(made))
        old = next((kernel for kernel in before if kernel.get("kernel") == made["kernel"]), None)
        if old is not None:
            parts.append(compared(old, made, "the attempt before" if own else "the T4"))
        if listing:
            parts.append(Listing.from_dict(found["listings"][place]))
    return together(parts)


def earlier(records: list[dict], slug: str, *, same: bool) -> list[dict]:
    """The kernels of the newest ``compile`` record whose source is that of the last one of the lesson (``same``), or of the
    newest whose source is another; empty where there is none."""
    own = [
        r
        for r in records
        if r.get("lesson") == slug and r["event"] == "compile" and isinstance(r["payload"].get("kernels"), list)
    ]
    if not own:
        return []
    newest = own[-1]
    if same:
        chosen = newest
    else:
        chosen = next((record for record in reversed(own) if record["source"] != newest["source"]), None)
    return [kernel for kernel in chosen["payload"]["kernels"] if isinstance(kernel, dict)] if chosen else []


def compared(old: dict, new: dict, beside: str) -> facts.Table:
    """What differs between two compiled kernels, ``old`` being ``beside``."""
    changes = facts.Changes(old, new)
    if not changes.rows:
        return facts.Table(f"{new['kernel']}: the same figures as {beside}", ("", ""), [])
    return facts.Table(f"{new['kernel']}: what changed against {beside}", ("", "before", "now"), changes.rows)


def together(parts: list[Any]) -> Any:
    """Tables and listings one under the other, in each of their forms."""
    from learning.gates.comparison import Shown

    text = "\n\n".join(str(part) for part in parts)
    pages = [part._repr_markdown_() if hasattr(part, "_repr_markdown_") else f"```text\n{part}\n```" for part in parts]
    return Shown(text, "\n\n".join(pages), "".join(part._repr_html_() for part in parts) or html.escape(text))
