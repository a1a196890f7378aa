"""The cards the course compiles for: their limits, and their ceilings with where each number comes from.

Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Card:
    """``arch`` is 10 × major + minor of the compute capability; sizes are in bytes, ``registers`` in 32-bit words a
    multiprocessor; ``threads`` and ``blocks`` are the most a multiprocessor holds at once; ``shared_block`` is what one
    block may ask for, ``shared_processor`` what all blocks of a multiprocessor share, of which each block costs
    ``shared_reserved`` more than it asks for. ``bandwidth`` is bytes a second and ``flops`` fp32 (no tensor cores)
    operations a second, both from the data sheet; ``half_flops`` the same for fp16 with fp32 accumulation where tensor
    cores do it, without sparsity. ``lanes`` fp32 units a multiprocessor, each of which multiplies and adds once a cycle at
    ``boost`` hertz at most: ``processors`` × ``lanes`` × 2 × ``boost`` is where a data sheet's fp32 rate comes from.
    ``cache`` is the L2's and ``memory`` the card's own, in bytes."""

    name: str
    arch: int
    processors: int
    shared_block: int
    shared_processor: int
    shared_reserved: int
    threads: int
    blocks: int
    bandwidth: float
    flops: float
    half_flops: float
    lanes: int
    boost: float
    source: str
    cache: int
    memory: float
    registers: int = 65536
    warp: int = 32

    @property
    def capability(self) -> tuple[int, int]:
        return divmod(self.arch, 10)


# Limits: CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability". Rates: data sheets; sparsity
# doubles what they print of an H100's tensor cores (1979), and is left out here. Lanes, clocks and L2: the architectures' papers.
CARDS = {
    75: Card(
        "Tesla T4", 75, 40, 65536, 65536, 0, 1024, 16, 320e9, 8.1e12, 65e12, 64, 1.59e9,
        "NVIDIA T4 data sheet (256 bits of GDDR6 at 10 Gbit/s); Triton >= 3.4 emits no tensor-core instruction for it",
        4 << 20, 16e9,
    ),
    80: Card(
        "A100 40GB", 80, 108, 166912, 167936, 1024, 2048, 32, 1555e9, 19.5e12, 312e12, 64, 1.41e9,
        "NVIDIA A100 data sheet (SXM4, 40 GB of HBM2)",
        40 << 20, 40e9,
    ),
    90: Card(
        "H100 SXM", 90, 132, 232448, 233472, 1024, 2048, 32, 3350e9, 67e12, 989e12, 128, 1.98e9,
        "NVIDIA H100 data sheet (SXM5, 80 GB of HBM3)",
        50 << 20, 80e9,
    ),
}  # fmt: skip
TARGETS = {"t4": 75, "sm_75": 75, "sm_80": 80, "sm_90": 90}


def place(target: str) -> str:
    """``target`` by the one name its card goes by ("sm_75" for "t4"); what names no card is given back."""
    return f"sm_{TARGETS[target]}" if target in TARGETS else target


def card(target: str | int) -> Card:
    """The card of a target name ("t4", "sm_75", "sm_80", "sm_90") or architecture number; ``KeyError`` names them."""
    arch = TARGETS.get(target.lower()) if isinstance(target, str) else target
    if arch not in CARDS:
        raise KeyError(f"no card for target {target!r}; the targets are {', '.join(TARGETS)}")
    return CARDS[arch]
