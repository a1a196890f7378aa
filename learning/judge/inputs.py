"""Seeded inputs: values that tell indices apart, and layouts that keep the values and change the strides.

Every function draws on the CPU from a ``torch.Generator`` and only then moves the result, so that one seed gives
the same bytes on every device.
"""

from __future__ import annotations

import torch

PATTERNS = (
    "constant_rows", "spikes", "ramp", "ties", "alternating", "signed_zeros", "subnormals", "large", "far_below_zero",
)  # fmt: skip
LAYOUTS = (
    "contiguous", "transposed", "padded", "every_other", "broadcast_rows", "broadcast_cols", "offset", "sliced",
)  # fmt: skip
INT_MOAT = 0x5A
"""The byte whose repetition fills the surroundings of integer inputs; floats are surrounded by NaN."""


_WORDS = {
    torch.float64: 0x7FF8000000000000,
    torch.float32: 0x7FC000007FC00000,
    torch.float16: 0x7E007E007E007E00,
    torch.bfloat16: 0x7FC07FC07FC07FC0,
}
"""Eight bytes of quiet NaN for each float dtype."""


def generator(seed: int) -> torch.Generator:
    """A CPU generator at ``seed`` (any 63-bit integer)."""
    return torch.Generator().manual_seed(seed)


def normal(shape, source, *, dtype=torch.float32, scale=1.0, offset=0.0) -> torch.Tensor:
    """Normal values of ``shape``, times ``scale``, plus ``offset``, rounded once to ``dtype`` from float64.

    Values beyond the dtype's range are clamped to its largest finite one: scored inputs are finite.
    """
    values = torch.randn(shape, generator=source, dtype=torch.float64) * scale + offset
    largest = torch.finfo(dtype).max
    return values.clamp_(-largest, largest).to(dtype)


def integers(shape, source, *, low=-8, high=9, dtype=torch.float32) -> torch.Tensor:
    """Whole numbers in ``low`` … ``high`` − 1 held in ``dtype``: sums of them are exact while they stay small."""
    return torch.randint(low, high, shape, generator=source).to(dtype)


def distinct(shape, source, *, dtype=torch.float32) -> torch.Tensor:
    """A shuffle of values no two of which are equal, as far as ``dtype`` has them; magnitudes stay below 4.

    Floats use the 2·2^m + 1 whole numbers that m mantissa bits hold exactly, scaled by a power of two; longer tensors
    repeat shuffles of that odd number of values, so equal values never lie a multiple of a block apart by design.
    Integer dtypes count from 0 and wrap.
    """
    count = 1
    for size in shape:
        count *= size
    if not dtype.is_floating_point:
        return torch.randperm(max(count, 1), generator=source)[:count].to(dtype).reshape(shape)
    mantissa = min(20, round(-torch.tensor(torch.finfo(dtype).eps, dtype=torch.float64).log2().item()))
    period = 2 * 2**mantissa + 1
    if count <= period:
        whole = torch.randperm(max(count, 1), generator=source)[:count] - count // 2
        reach = max(count, 2) / 2
    else:
        rounds = -(-count // period)
        whole = torch.cat([torch.randperm(period, generator=source) for _ in range(rounds)])[:count] - 2**mantissa
        reach = float(2**mantissa)
    exponent = torch.tensor(reach, dtype=torch.float64).log2().ceil().item() - 2
    return (whole.double() * 2.0**-exponent).to(dtype).reshape(shape)


def pattern(kind: str, shape, source, *, dtype=torch.float32) -> torch.Tensor:
    """Values of a named awkward kind, ``shape`` of at least one axis; rows run along the last axis.

    ``constant_rows`` one value a row; ``spikes`` small noise and one large element a row; ``ramp`` rising along the row
    (a running maximum changes at every step); ``ties`` two values only; ``alternating`` signs that cancel;
    ``signed_zeros`` +0 and −0; ``subnormals`` multiples of the dtype's smallest step; ``large`` magnitudes near 65504 (or
    1e4 and below in other dtypes than fp16); ``far_below_zero`` normal around −40.
    """
    shape = tuple(shape)
    if not shape:
        raise ValueError("a pattern needs at least one axis")
    width, noise = shape[-1], torch.randn(shape, generator=source, dtype=torch.float64)
    columns = torch.arange(width, dtype=torch.float64)
    info = torch.finfo(dtype)
    if kind == "constant_rows":
        values = noise[..., :1].expand(shape) * 3
    elif kind == "spikes":
        values = noise * 0.01
        if width:
            places = torch.randint(0, width, (*shape[:-1], 1), generator=source)
            values = values.scatter(-1, places, 12.0)
    elif kind == "ramp":
        values = columns * (8.0 / max(width, 1)) + 0.001 * noise
    elif kind == "ties":
        values = torch.where(noise > 0, 1.5, -0.5)
    elif kind == "alternating":
        values = (1 - 2 * (columns % 2)) * (1 + 0.01 * noise)
    elif kind == "signed_zeros":
        values = torch.copysign(torch.zeros(shape, dtype=torch.float64), noise)
    elif kind == "subnormals":
        step = info.smallest_normal * info.eps
        values = (noise * 50).round() * step
    elif kind == "large":
        top = 65504.0 if dtype == torch.float16 else 1e4
        values = (noise.sign() * top * (1 - 0.1 * torch.rand(shape, generator=source, dtype=torch.float64))).clamp(
            -top, top
        )
    elif kind == "far_below_zero":
        values = noise - 40
    else:
        raise ValueError(f"no pattern is called {kind!r}; there are {', '.join(PATTERNS)}")
    return values.to(dtype)


def ragged(block: int) -> list[int]:
    """Lengths that expose edges of a block of ``block``: 0, 1, B − 1, B, B + 1, a prime and two blocks and a bit."""
    prime = next(n for n in range(block + block // 2 + 1, 4 * block + 8) if _is_prime(n))
    return sorted({0, 1, block - 1, block, block + 1, prime, 2 * block + 3} - {-1})


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % d for d in range(2, int(number**0.5) + 1))


def filled(count: int, dtype: torch.dtype, device) -> torch.Tensor:
    """``count`` elements of moat: NaN for floats, the byte 0x5A repeated for integers, ``True`` for booleans."""
    if dtype == torch.bool:
        return torch.ones(count, dtype=dtype, device=device)
    if dtype.is_complex:
        return torch.full((count,), complex("nan+nanj"), dtype=dtype, device=device)
    # whole words of the pattern, since torch starts threads for a fill of many small elements
    word = _WORDS[dtype] if dtype in _WORDS else int.from_bytes(bytes([INT_MOAT] * 8), "little")
    words = -(-count * dtype.itemsize // 8)
    return torch.full((words,), word, dtype=torch.int64, device=device).view(dtype)[:count]


def layout(x: torch.Tensor, kind: str) -> torch.Tensor:
    """The values of ``x`` with other strides; what lies between them is moat.

    ``transposed`` swaps the last two strides; ``padded`` leaves a gap after each row; ``every_other`` has a last stride of
    2; ``offset`` starts one element into its storage (misaligned); ``sliced`` is a window of a larger matrix;
    ``broadcast_rows`` repeats row 0 and ``broadcast_cols`` column 0 with stride 0 (these two change the values to the
    repeated ones). One-axis tensors take ``every_other``, ``offset``, ``sliced`` and ``broadcast_cols``.
    Raises ``ValueError`` for an unknown kind or one that needs two axes.
    """
    if kind == "contiguous":
        return x.contiguous()
    if kind not in LAYOUTS:
        raise ValueError(f"no layout is called {kind!r}; there are {', '.join(LAYOUTS)}")
    if x.dim() < 2 and kind in ("transposed", "padded", "broadcast_rows"):
        raise ValueError(f"layout {kind!r} needs two axes and x has {x.dim()}")
    if kind == "transposed":
        return x.transpose(-1, -2).contiguous().transpose(-1, -2)
    if kind == "broadcast_rows":
        return x[..., :1, :].contiguous().expand(x.shape) if x.shape[-2] else x
    if kind == "broadcast_cols":
        return x[..., :1].contiguous().expand(x.shape) if x.shape[-1] else x
    width, before, step = x.shape[-1], 0, 1
    row = width
    if kind == "padded":
        row = width + 3
    elif kind == "every_other":
        step, row = 2, 2 * width
    elif kind == "offset":
        before = 1
    elif kind == "sliced":
        before, row = 2, width + 5
    strides = [step] if x.dim() else []
    pitch = row
    for size in reversed(x.shape[:-1]):
        strides.insert(0, pitch)
        pitch *= size
    storage = filled(max(pitch, 0) + before + 1, x.dtype, x.device)
    if x.dim() >= 2 and kind == "sliced":
        before += row
        storage = filled(pitch + before + row + 1, x.dtype, x.device)
    view = storage.as_strided(x.shape, strides, before)
    view.copy_(x)
    return view
