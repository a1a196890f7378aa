"""One gate's state, and all of a lesson's: what a proof function finds, and what is shown of it. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

PROVED, CLAIMED, WAITING, OPEN, NONE = "proved", "claimed", "waiting for a GPU", "open", "does not apply"


class Found(NamedTuple):
    """What a proof function found: the ``record`` that proves the gate or None, ``why`` in words, and whether nothing but a
    GPU is missing (``waits``). A plain ``(record, why)`` is read as one that does not wait. ``how`` says how to go on from
    here where the gate's own words would tell to do what is done; ``over``: nothing can prove the gate any more."""

    record: dict | None
    why: str
    waits: bool = False
    how: str = ""
    over: bool = False


@dataclass(frozen=True)
class Gate:
    """One gate of a lesson: ``number`` 1–12, ``id``, whether it ``applies`` and is ``proved``, and ``why`` in words.

    ``record`` is the record that proves it, or None; ``claimed`` says that the learner ticked it by hand, ``tick`` the hash of
    the newest tick's record ("" for none), ``waits`` that all but a GPU is there. ``name``, ``proof`` and ``how`` tell what it
    is called, what proves it and how to get it from here; ``over`` that nothing can prove it any more.
    """

    number: int
    id: str
    applies: bool
    proved: bool
    why: str
    record: dict | None = None
    claimed: bool = False
    waits: bool = False
    tick: str = ""
    name: str = ""
    proof: str = ""
    how: str = ""
    over: bool = False

    @property
    def state(self) -> str:
        """``PROVED``, ``CLAIMED``, ``WAITING``, ``OPEN`` or ``NONE``: proof beats a claim, and a claim beats waiting."""
        if not self.applies:
            return NONE
        if self.proved:
            return PROVED
        return CLAIMED if self.claimed else WAITING if self.waits else OPEN


@dataclass(frozen=True)
class Progress:
    """All twelve gates of a lesson, those that do not apply included."""

    gates: tuple[Gate, ...]

    @property
    def proved(self) -> int:
        return sum(gate.proved for gate in self.gates)

    @property
    def claimed(self) -> int:
        """Gates that were ticked by hand and are not proved."""
        return sum(gate.state == CLAIMED for gate in self.gates)

    @property
    def total(self) -> int:
        return sum(gate.applies for gate in self.gates)

    @property
    def ahead(self) -> Gate | None:
        """The first gate that something can be done about here: open ones before claims, these before those that wait for a
        GPU, and last what nothing can prove any more; None where all are proved."""
        for state, over in ((OPEN, False), (CLAIMED, False), (WAITING, False), (OPEN, True)):
            found = next((gate for gate in self.gates if (gate.state, gate.over) == (state, over)), None)
            if found is not None:
                return found
        return None

    def __str__(self) -> str:
        claimed = f", {self.claimed} claimed" if self.claimed else ""
        return f"progress {self.proved}/{self.total}{claimed}"
