"""Why a prediction usually misses, field by field: sentences a learner can test, never a verdict on the learner.

Standard library only.
"""

from __future__ import annotations

import math
from typing import Any

from learning.gates.fields import real


def sizes(shape: list[int]) -> str:
    """A grid or tile in words: "3", "4 × 64"; trailing ones of a grid left out."""
    kept = list(shape)
    while len(kept) > 1 and kept[-1] == 1:
        kept.pop()
    return " × ".join(str(size) for size in kept)


def value(kept: Any) -> str:
    """A recorded number in words, infinities as −∞ and ∞."""
    if kept == "none":
        return "none"
    number = real(kept)
    return {math.inf: "∞", -math.inf: "−∞"}.get(number, f"{number:.6g}")


def shape(field: str, predicted: list[int], got: list[int], launch: dict) -> tuple[str, ...]:
    """Of a grid or a tile."""
    said, found = math.prod(predicted), math.prod(got)
    if sorted(predicted) == sorted(got):
        if field == "grid":
            return ("The number is right and the axes are not: axis 0 of the grid is what program_id(0) counts.",)
        return ("The number of lanes is right, and its axes stand in another order.",)
    if field == "tile":
        power = said & (said - 1) == 0
        return (
            "A tile is what one program stores at once: the block of tl.arange, a power of two, "
            + ("so it may be larger than what exists." if power else "and your number is not one."),
        )
    if abs(said - found) == 1:
        return (
            "One program more or less: a grid is rounded up, so that the ragged rest gets a program too, and a length that "
            "fits exactly gets none for a rest of nothing.",
        )
    tile = launch.get("tile") or []
    return (
        f"Count again with the tile of this kernel, {sizes(tile)}: programs are what exists ÷ what one owns, rounded up."
        if tile
        else "Programs are what exists ÷ what one owns, rounded up.",
    )


def untraced(name: str, trace: dict) -> str:
    """What is missing where no launch was given the tensor."""
    names = ", ".join(trace.get("tensors", {})) or "none"
    return f"a tensor called {name} in this case: it has {names}"


def passes(predicted: float, got: float, tensor: dict) -> tuple[str, ...]:
    """Of the passes of one tensor."""
    found = []
    if got > predicted:
        most = max(tensor.get("most_loaded", 0), tensor.get("most_stored", 0))
        found.append(
            f"An element is asked for up to {most} times: in a second loop, or by several programs that each read it."
            if most > 1
            else "Loads and stores both count: a tensor read once and written once crosses memory twice."
        )
    elif got < predicted:
        found.append("A value that was loaded stays in registers: using it again is no second pass.")
        if got < 1 and tensor.get("elements"):
            found.append("Part of the tensor is never touched in this case.")
    found.append("These are passes requested; on a GPU a cache may absorb repeated ones.")
    return tuple(found)


def masked(predicted: int, got: int, launch: dict, tensor: dict) -> tuple[str, ...]:
    """Of the lanes that own nothing."""
    programs = launch.get("programs") or 1
    if got and predicted in (2 * got, 3 * got, 4 * got):
        return (
            f"The masks were counted {predicted // got} times: the same lanes are off in every load and in the store, and they "
            "count once.",
        )
    if predicted and got == predicted * programs and programs > 1:
        return (f"That is one program's: each of the {programs} programs has as many, and all are counted together.",)
    if predicted and tensor.get("elements") == predicted:
        return ("That is how many elements exist; masked lanes are those of the last tile that find none.",)
    return ("Lanes that own nothing = programs × lanes of a tile − elements that exist.",)


def padding(predicted: Any, found: list) -> tuple[str, ...]:
    """Of what masked lanes hold."""
    if not found:
        return ("The load states no other=, so nothing is promised about what its masked lanes hold.",)
    if predicted != "none" and real(predicted) == 0 and any(real(v) == -math.inf for v in found):
        return ("Zero is neutral in a sum, −∞ in a maximum: the first operation that sees the lanes decides (trap 3).",)
    if predicted != "none" and real(predicted) == -math.inf and any(real(v) == 0 for v in found):
        return ("−∞ is for a maximum; where lanes are summed or never used, 0 serves, or any value if none is stored.",)
    return ("The right value is neutral: it does nothing to the first operation that it takes part in.",)


def registers(low: float, high: float, got: float) -> tuple[str, ...]:
    """Of registers a thread."""
    if got > high:
        return (
            "A thread holds elements of every live block, and addresses and masks besides: lanes ÷ threads, for each.",
        )
    return ("More warps share a tile, so each thread holds fewer elements of it.",)


def occupancy(low: float, high: float, got: float, kernel: dict) -> tuple[str, ...]:
    """Of the share of warps a multiprocessor holds."""
    limiter = str(kernel.get("limiter", ""))
    reason = f"What stops one more block there is {limiter}" if limiter else "Something else is the limit"
    return (
        f"{reason}: {kernel.get('registers', '?')} registers a thread, {kernel.get('shared', '?')} bytes of shared memory "
        f"and {kernel.get('warps', '?')} warps a block.",
    )


def bound(predicted: str, got: str, work: Any) -> tuple[str, ...]:
    """Of the bound class."""
    if got == "launch":
        return ("The work is smaller than what it costs to start it: at this size only fewer launches help.",)
    if predicted == "launch":
        return ("The work outlasts its launch at this size: count its bytes and divide by the bandwidth.",)
    return (
        f"The kernel does {work.intensity:.3g} operations a byte; compare that with what the card computes in the time of a "
        "byte (its ridge).",
    )


def launch_share(low: float, high: float, got: float) -> tuple[str, ...]:
    """Of the share of time that goes into starting kernels."""
    if got > high:
        return (
            "Launch: Python, the argument checks and the driver take microseconds that do not shrink with the data.",
        )
    return ("The kernel runs long enough to hide its launch; each launch is paid once, not once a program.",)


def microseconds(low: float, high: float, got: float, case: dict) -> tuple[str, ...]:
    """Of a time."""
    if got < low:
        return (
            "Cache: data that an earlier run left in L2 does not cross memory again; compare the bytes with the L2's size.",
            "Masks and bytes counted twice make the estimate too long: each tensor counts once for each pass.",
        )
    found = []
    if got < 30:
        found.append("Launch: below some 30 µs most of what is timed between events can be the way to the GPU.")
    found += [
        "Passes and sectors: neighbouring lanes that do not own neighbouring elements move 32 bytes for each of theirs.",
        "Occupancy: too few programs, or too many registers in each, leave memory idle.",
    ]
    return tuple(found)
