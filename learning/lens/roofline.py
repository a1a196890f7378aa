"""How fast a kernel could possibly be, and what holds it there: memory, arithmetic, or the launch.

    roof = roofline.roof(roofline.tensors(x, y, out, flops=x.numel()), "t4")
    roof.floor, roof.bound, roof.launch_share      # seconds, "memory", 0.002

A roofline (Williams, Waterman, Patterson 2009) with a third ceiling, the cost of starting a kernel at all. Rates are
quoted from data sheets with their source, or measured where a GPU is present (``measure``). Standard library only until
``measure`` is called.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from learning.lens import cards

MEMORY, COMPUTE, LAUNCH = "memory", "compute", "launch"
LAUNCH_SECONDS = 5e-6
"""What starting a kernel is commonly quoted to cost at least (ledger, trap 12); used where nothing was measured."""
IMPOSSIBLE = 0.9
"""A time under this fraction of the floor is no measurement of this work (RIGOR's bar)."""


@dataclass(frozen=True)
class Ceiling:
    """A card's rates: ``bandwidth`` bytes a second, ``flops`` fp32 operations a second outside tensor cores, ``tensor``
    fp16 operations a second in tensor cores (0.0 where Triton uses none there), ``launch`` seconds to start a kernel;
    ``source`` says where they come from, ``measured`` whether a run on this machine gave them. ``peak`` is what no kernel
    can exceed in tensor cores by the data sheet, where ``tensor`` is what one was measured to reach (0.0: the same)."""

    name: str
    bandwidth: float
    flops: float
    tensor: float
    launch: float
    source: str
    measured: bool = False
    peak: float = 0.0

    def rate(self, tensor_cores: bool) -> float:
        """Operations a second a kernel may reach, given whether it multiplies in tensor cores."""
        return self.tensor if tensor_cores and self.tensor else self.flops


def _quoted(arch: int) -> Ceiling:
    card = cards.CARDS[arch]
    # Triton >= 3.4 emits no tensor-core instruction for sm_75, so a T4's tensor rate is out of a kernel's reach.
    tensor = 0.0 if arch < 80 else card.half_flops
    return Ceiling(card.name, card.bandwidth, card.flops, tensor, LAUNCH_SECONDS, f"{card.source}, not measured by us")


CEILINGS: dict[str, Ceiling] = {
    "t4": _quoted(75),
    "a100": _quoted(80),
    "h100": _quoted(90),
    "h200": Ceiling(
        "H200",
        4.24e12,
        67e12,
        663e12,
        LAUNCH_SECONDS,
        "copy and fp16 matmul measured on an H200 (torch 2.11, Triton 3.6; the data sheet says 4.8 TB/s and 989 TFLOP/s); "
        "fp32 rate from NVIDIA's H200 data sheet (a cuBLAS product reached 51 TFLOP/s: benchmarks/results/lens-gpu.json)",
        peak=989e12,
    ),
}
_ALIASES = {"sm_75": "t4", "sm_80": "a100", "sm_90": "h100"}


def ceiling(name: str) -> Ceiling:
    """The quoted ceiling of a card: "t4", "a100", "h100", "h200", a target ("sm_75") or a device's full name.

    Raises ``KeyError`` naming the cards.
    """
    key = name.strip().lower()
    key = _ALIASES.get(key, key)
    found = next(
        (c for word, c in sorted(CEILINGS.items(), reverse=True) if word in key.replace("-", " ").split()), None
    )
    found = CEILINGS.get(key, found)
    if found is None:
        raise KeyError(f"no ceilings are known for {name!r}; the cards are {', '.join(CEILINGS)}")
    return found


@dataclass(frozen=True)
class Work:
    """What has to be done: ``bytes`` that must cross memory at least, ``requested`` bytes the kernel asked for (caches
    may absorb the difference), ``flops`` operations, ``launches``, and whether ``tensor_cores`` do the multiplying."""

    bytes: float
    flops: float = 0.0
    launches: int = 1
    requested: float = 0.0
    tensor_cores: bool = False

    @property
    def intensity(self) -> float:
        """Operations a byte; 0.0 where no byte moves."""
        return self.flops / self.bytes if self.bytes else 0.0


def tensors(*moved: Any, flops: float = 0.0, launches: int = 1, tensor_cores: bool = False) -> Work:
    """Work by the contract: every tensor of ``moved`` crosses memory once. A tensor is anything with ``numel()`` and
    ``element_size()``, or its bytes as a number; ``TypeError`` for anything else."""
    total = 0.0
    for item in moved:
        if isinstance(item, (int, float)) and not isinstance(item, bool):
            total += item
        elif hasattr(item, "numel") and hasattr(item, "element_size"):
            total += item.numel() * item.element_size()
        else:
            raise TypeError(f"{type(item).__name__} is neither a tensor nor a number of bytes")
    return Work(total, flops, launches, total, tensor_cores)


def traced(*launches: Any, tensor_cores: bool = False) -> Work:
    """Work by a trace: the ``LaunchTrace``s of ``trace.recording``.

    ``bytes`` counts each distinct element once a launch, the least a launch with an empty cache must move; ``requested``
    counts every request; ``flops`` are element operations, dots included.
    """
    least = sum(
        (t.distinct_loaded + t.distinct_stored) * t.itemsize for launch in launches for t in launch.tensors.values()
    )
    requested = sum(launch.bytes for launch in launches)
    return Work(least, sum(launch.flops for launch in launches), len(launches), requested, tensor_cores)


@dataclass(frozen=True)
class Roof:
    """Where the floor lies on one card, in seconds: ``memory`` to move the bytes, ``compute`` to do the operations,
    ``launch`` to start the kernels."""

    work: Work
    ceiling: Ceiling
    memory: float
    compute: float
    launch: float

    @property
    def floor(self) -> float:
        """Seconds no kernel can beat while it runs: the longer of moving and computing, launches not counted."""
        return max(self.memory, self.compute)

    @property
    def elapsed(self) -> float:
        """Seconds a caller waits at least: the floor and the launches."""
        return self.floor + self.launch

    @property
    def bound(self) -> str:
        """What takes most of ``elapsed``: "launch" where starting takes at least as long as the work."""
        if self.launch >= self.floor:
            return LAUNCH
        return MEMORY if self.memory >= self.compute else COMPUTE

    @property
    def launch_share(self) -> float:
        """The launches' part of ``elapsed``, 0 to 1."""
        return self.launch / self.elapsed if self.elapsed else 0.0

    @property
    def ridge(self) -> float:
        """Operations a byte above which this card computes longer than it moves."""
        return self.ceiling.rate(self.work.tensor_cores) / self.ceiling.bandwidth

    def impossible(self, seconds: float) -> bool:
        """Whether a measured time is so far under the floor that it cannot have been this work.

        Arithmetic counts by the data sheet's rate where that is known: a clock may run faster than on the day a matmul was
        measured."""
        fastest = max(self.ceiling.rate(self.work.tensor_cores), self.ceiling.peak if self.work.tensor_cores else 0.0)
        return seconds < IMPOSSIBLE * max(self.memory, self.work.flops / fastest)

    def sentence(self) -> str:
        """The floor, what sets it, and the rates it rests on."""
        origin = "measured here" if self.ceiling.measured else self.ceiling.source
        return (
            f"{self.ceiling.name}: {_bytes(self.work.bytes)} and {self.work.flops:.3g} operations take at least "
            f"{self.floor * 1e6:.3g} µs ({self.memory * 1e6:.3g} µs memory, {self.compute * 1e6:.3g} µs arithmetic), "
            f"starting takes about {self.launch * 1e6:.3g} µs: {self.bound}-bound ({origin})"
        )

    __str__ = sentence


def roof(work: Work, card: str | Ceiling) -> Roof:
    """The roof of ``work`` on a card (its name, or a ``Ceiling``); ``KeyError`` for an unknown name."""
    top = card if isinstance(card, Ceiling) else ceiling(card)
    return Roof(
        work, top, work.bytes / top.bandwidth, work.flops / top.rate(work.tensor_cores), work.launches * top.launch
    )


def share(graph: float, events: float) -> float:
    """Launch share measured: the part of the time between events that a captured graph does without, 0 to 1.

    ``graph`` and ``events`` are times of the same work in one unit; ``ValueError`` unless both are positive.
    """
    if not (graph > 0 and events > 0 and math.isfinite(graph) and math.isfinite(events)):
        raise ValueError(f"both times must be positive and finite, not {graph!r} and {events!r}")
    return max(0.0, 1.0 - graph / events)


def classify(work: Work, card: str | Ceiling, launch_share: float | None = None) -> str:
    """The bound class of a measurement: "launch" where at least half the time went into starting, else what the roof says
    of the work itself. Without a measured ``launch_share`` the quoted launch cost decides."""
    found = roof(work, card)
    if launch_share is None:
        return found.bound
    if launch_share >= 0.5:
        return LAUNCH
    return MEMORY if found.memory >= found.compute else COMPUTE


def measure() -> Ceiling:
    """This GPU's own rates: a 1 GiB copy (read and write counted), an fp16 matmul of 8192³, an fp32 one of 4096³ without
    TF32, and the cost of a launch, each the median of 20 times between events. Raises ``RuntimeError`` where there is no GPU."""
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError("no GPU to measure: use roofline.ceiling(name), which quotes a named card")
    name = torch.cuda.get_device_name()
    free = torch.cuda.mem_get_info()[0]
    count = min(1 << 30, free // 4)
    bandwidth = _copy_rate(count)
    allowed = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = False
    rates = []
    try:
        for dtype, size in ((torch.float16, 8192), (torch.float32, 4096)):
            a = torch.randn(size, size, dtype=dtype, device="cuda")
            rates.append(2 * size**3 / _median(lambda a=a: a @ a))
    finally:
        torch.backends.cuda.matmul.allow_tf32 = allowed
    tiny = torch.zeros(1, device="cuda")
    launch = _median(lambda: [tiny.add_(1.0) for _ in range(100)]) / 100
    quoted = Ceiling(
        name, bandwidth, rates[1], rates[0], launch, f"measured on {name}, torch {torch.__version__}", True
    )
    # Triton reaches no tensor core on sm_75, whatever torch's own library does there.
    return quoted if torch.cuda.get_device_capability() >= (8, 0) else replace(quoted, tensor=0.0)


def _copy_rate(count: int) -> float:
    """Bytes a second of copying ``count`` bytes, read and write counted."""
    import torch

    source = torch.empty(count, dtype=torch.uint8, device="cuda").zero_()
    target = torch.empty_like(source)
    return 2 * count / _median(lambda: target.copy_(source))


def _median(call: Any, times: int = 20) -> float:
    """Median seconds of ``call`` between CUDA events, after five warm-up calls."""
    for _ in range(5):
        call()
    return sorted(between_events(call, times))[times // 2] / 1e3


def between_events(call: Any, times: int) -> list[float]:
    """Milliseconds of each of ``times`` calls, one after the other on the current stream, each between CUDA events of its own."""
    import torch

    pairs = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(times)]
    for start, end in pairs:
        start.record()
        call()
        end.record()
    torch.cuda.synchronize()
    return [start.elapsed_time(end) for start, end in pairs]


def _bytes(count: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} bytes"
