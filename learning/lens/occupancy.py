"""How many blocks of a kernel a multiprocessor holds at once: NVIDIA's occupancy calculator, for the course's cards.

Standard library only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from learning.lens.cards import Card

REGISTER_UNIT = 256  # registers are given out to a warp in units of 256
WARP_UNIT = 4  # and to a block for a multiple of 4 warps


@dataclass(frozen=True)
class Occupancy:
    """``blocks`` a multiprocessor holds; ``warps`` that makes; ``fraction`` of the warps it could hold; ``limiter`` what
    stops one more block: "threads", "blocks", "registers" or "shared memory"."""

    blocks: int
    warps: int
    fraction: float
    limiter: str

    def waves(self, programs: int, card: Card) -> float:
        """Rounds in which a grid of ``programs`` runs on the whole card; infinite where no block fits."""
        return programs / (self.blocks * card.processors) if self.blocks else math.inf


def occupancy(card: Card, *, warps: int, registers: int, shared: int) -> Occupancy:
    """Occupancy of blocks of ``warps`` warps that use ``registers`` a thread and ``shared`` bytes a block."""
    most = card.threads // card.warp
    limits = {"threads": most // warps, "blocks": card.blocks}
    if registers:
        per_warp = math.ceil(registers * card.warp / REGISTER_UNIT) * REGISTER_UNIT
        fitting = card.registers // per_warp // WARP_UNIT * WARP_UNIT
        limits["registers"] = fitting // warps if registers <= 255 else 0
    wanted = shared + card.shared_reserved
    if wanted:
        limits["shared memory"] = card.shared_processor // wanted if shared <= card.shared_block else 0
    limiter = min(limits, key=lambda name: limits[name])
    blocks = limits[limiter]
    return Occupancy(blocks, blocks * warps, blocks * warps / most, limiter)
