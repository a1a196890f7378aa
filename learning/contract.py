"""``require(...)``: the argument checks that starters call before they launch anything.

Only metadata is looked at, never a value, so that a tensor of 2³¹ elements that nobody has touched costs nothing.
torch is imported when ``require`` is first called.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

FLOATS = ("float32", "float16", "bfloat16")
"""The element types of the course's kernels, by name."""

HALVES = ("float16", "bfloat16")
"""The 16-bit element types."""

LARGEST = 2**31 - 1
"""The largest element offset and element count that a kernel's 32-bit arithmetic reaches."""


def require(
    *,
    rank: int | Iterable[int] | None = None,
    shape: tuple[int | None, ...] | None = None,
    dtypes: Iterable[Any] | None = FLOATS,
    contiguous: bool | Iterable[str] = False,
    same_shape: bool = False,
    same_dtype: bool = True,
    same: Iterable[str] = (),
    columns: tuple[int, int] | None = None,
    axes: dict[str, str] | None = None,
    sizes: dict[str, tuple[int, ...]] | None = None,
    multiples: dict[str, str] | None = None,
    packed_rows: Iterable[str] = (),
    whole: dict[str, tuple[Any, int | str, int | str | None]] | None = None,
    output: tuple[int, ...] | str | None = None,
    vectors: Iterable[str] = (),
    positive: dict[str, Any] | None = None,
    **tensors: Any,
) -> None:
    """Check the named ``tensors``; returns nothing where all is well.

    ``require(x=x, y=y, rank=1, contiguous=True, same_shape=True)`` raises

    - ``TypeError`` for an argument that is no tensor, or whose dtype is none of ``dtypes`` (names or torch dtypes,
      ``None`` for any), or differs from the first one's (unless ``same_dtype=False``);
    - ``ValueError`` for one that is not on the device in use or not on the first one's device, whose rank is none of
      ``rank``, whose shape is not ``shape`` (``None`` in it stands for any size) or not the first one's
      (``same_shape=True``, or ``"shape"`` in ``same``), whose last axis has fewer or more columns than ``columns`` = (least, most), that is not
      contiguous (``contiguous=True``, or a tuple of the names that must be) or has a negative stride, that requires a gradient while autograd is on, or whose
      largest element offset Σ(size − 1)·stride or element count exceeds 2³¹ − 1; for a tensor named in ``vectors`` that is not
      1-D with one element for each column of the first tensor (``rank``, ``shape``, ``columns`` and ``same_shape`` are then
      asked of the others alone); where ``axes`` names a tensor's axes and it has another number of them, or an axis of that name
      has another size in an earlier tensor, or one that is none of ``sizes[axis]``, or, for ``multiples={"Hq": "Hkv"}``, no multiple of
      the other axis; for a tensor named in ``packed_rows`` whose last stride is not 1; for a whole number in ``whole`` (name → (value, least,
      most), where an axis' name stands for its size and ``None`` for no limit) outside its limits (``TypeError`` for what is no int); for an ``output`` shape (sizes, or names of ``axes``) whose element count exceeds
      2³¹ − 1; and for a number in ``positive`` (name → value) that is not finite and above 0 (``TypeError`` for what is no
      number).

    ``require(x=x, weight=weight, rank=2, columns=(1, 8192), vectors=("weight",), positive={"eps": eps})`` is a norm's, and
    ``require(a=a, b=b, axes={"a": "M K", "b": "K N"}, output="M N", contiguous=True)`` a matrix product's.

    Every message names the argument and the limit.
    """
    import torch

    if not tensors:
        raise TypeError("require(...) was given no tensor to check; pass each one by its name: require(x=x)")
    unknown = set(same) - {"shape", "dtype", "device"}
    vectors = tuple(vectors)
    strays = [name for name in vectors if name not in tensors]
    if strays:
        raise TypeError(f"require(vectors=…) names {', '.join(strays)}, which was not passed as a tensor")
    if unknown:
        raise TypeError(f"require(same=…) takes 'shape', 'dtype' and 'device', not {', '.join(sorted(unknown))}")
    same_shape = same_shape or "shape" in same
    ranks = None if rank is None else (rank,) if isinstance(rank, int) else tuple(rank)
    allowed = None if dtypes is None else [str(d).removeprefix("torch.") for d in dtypes]
    first_name, first = next(iter(tensors.items()))
    packed, packed_rows = () if isinstance(contiguous, bool) else tuple(contiguous), tuple(packed_rows)
    strays = [name for name in (*(axes or {}), *packed, *packed_rows) if name not in tensors]
    if strays:
        raise TypeError(f"require(…) names {', '.join(strays)}, which was not passed as a tensor")
    named: dict[str, tuple[int, str]] = {}
    for name, tensor in tensors.items():
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"{name} must be a torch.Tensor, not {type(tensor).__name__}")
        _placed(name, tensor, first_name, first)
        _typed(name, tensor, first_name, first, allowed, same_dtype)
        if name in vectors:
            _vector(name, tensor, first_name, first)
        else:
            _shaped(name, tensor, ranks, shape, columns)
        if axes and name in axes:
            _axes(name, tensor, axes[name].split(), named)
        if same_shape and name not in vectors and tensor.shape != first.shape:
            raise ValueError(f"{name} must have the shape of {first_name}, {_sizes(first)}, not {_sizes(tensor)}")
        if tensor.requires_grad and torch.is_grad_enabled():
            raise ValueError(
                f"{name} requires a gradient and this kernel has no backward: call it under torch.no_grad() or pass "
                f"{name}.detach()"
            )
        _reachable(name, tensor)
        if name in packed_rows and tensor.numel() and tensor.stride(-1) != 1:
            raise ValueError(f"{name} must have a last stride of 1; its strides are {tuple(tensor.stride())}")
        if (contiguous is True or name in packed) and not tensor.is_contiguous():
            raise ValueError(f"{name} must be contiguous; its strides are {tuple(tensor.stride())}")
    lengths = {axis: size for axis, (size, _) in named.items()}
    for axis, allowed_sizes in (sizes or {}).items():
        if lengths[axis] not in allowed_sizes:
            told = ", ".join(map(str, allowed_sizes))
            raise ValueError(f"{named[axis][1]} has {axis} = {lengths[axis]}; the limit is one of {told}")
    for axis, divisor in (multiples or {}).items():
        if not lengths[divisor] or lengths[axis] % lengths[divisor]:
            raise ValueError(
                f"{named[axis][1]} has {axis} = {lengths[axis]}, which must be a multiple of {divisor} = {lengths[divisor]}, as "
                f"{named[divisor][1]} has it"
            )
    for name, (value, least, most) in (whole or {}).items():
        _whole(name, value, lengths.get(least, least), lengths.get(most, most), least, most)
    if output is not None:
        if isinstance(output, str):
            output = tuple(named[axis][0] for axis in output.split())
        count = 1
        for size in output:
            count *= int(size)
        if count > LARGEST:
            raise ValueError(
                f"the output would have {count} elements, and the limit is 2**31 - 1; it follows from the shapes of "
                f"{' and '.join(tensors)}"
            )
    for name, value in (positive or {}).items():
        _above_zero(name, value)


def _sizes(tensor: Any) -> list[int]:
    return [int(size) for size in tensor.shape]


def _placed(name: str, tensor: Any, first_name: str, first: Any) -> None:
    """The tensor lies where kernels run: on CUDA, or on the CPU where the interpreter runs them."""
    kind = _kernel_device()
    if tensor.device.type != kind:
        where = "a CUDA device" if kind == "cuda" else "the CPU, where the interpreter runs kernels"
        raise ValueError(f"{name} must be on {where}, not on device {tensor.device}")
    if tensor.device != first.device:
        raise ValueError(f"{name} must be on the device of {first_name}, {first.device}, not on {tensor.device}")
    if str(tensor.layout) != "torch.strided":
        raise ValueError(f"{name} must be a strided (dense) tensor, not {tensor.layout}")


def _kernel_device() -> str:
    """ "cuda", or "cpu" where kernels are interpreted: by the device that was opened, else by how Triton was imported."""
    import os
    import sys

    opened = getattr(sys.modules.get("learning.lens.device"), "_opened", None)
    if opened is not None:  # a virtual GPU compiles, and computes on CPU tensors
        return opened.torch_device
    language = sys.modules.get("triton.language")
    if language is not None:
        return "cpu" if type(language.sum).__name__ == "InterpretedFunction" else "cuda"
    return "cpu" if os.environ.get("TRITON_INTERPRET", "").lower() in ("1", "on", "true", "yes", "y") else "cuda"


def _typed(name: str, tensor: Any, first_name: str, first: Any, allowed: list[str] | None, same: bool) -> None:
    told = str(tensor.dtype).removeprefix("torch.")
    if allowed is not None and told not in allowed:
        raise TypeError(f"{name} has dtype {told}; supported dtypes are {', '.join(allowed)}")
    if same and tensor.dtype != first.dtype:
        expected = str(first.dtype).removeprefix("torch.")
        raise TypeError(f"{name} must have the dtype of {first_name}, {expected}, not {told}")


def _shaped(name: str, tensor: Any, ranks: tuple | None, shape: tuple | None, columns: tuple | None) -> None:
    sizes = _sizes(tensor)
    if ranks is not None and len(sizes) not in ranks:
        wanted = " or ".join(str(r) for r in ranks)
        raise ValueError(f"{name} must have rank {wanted}, not rank {len(sizes)} (its shape is {sizes})")
    if shape is not None:
        fits = len(sizes) == len(shape) and all(w is None or int(w) == s for w, s in zip(shape, sizes, strict=True))
        if not fits:
            wanted = ", ".join("any" if w is None else str(int(w)) for w in shape)
            raise ValueError(f"{name} must have shape [{wanted}], not {sizes}")
    if columns is not None and sizes:
        least, most = columns
        if not least <= sizes[-1] <= most:
            raise ValueError(f"{name} has {sizes[-1]} columns; the limit is {least} to {most}")


def _vector(name: str, tensor: Any, first_name: str, first: Any) -> None:
    """``tensor`` holds one element for each column of ``first``, which has passed its own checks."""
    columns = _sizes(first)[-1] if first.ndim else 1
    if _sizes(tensor) != [columns]:
        raise ValueError(
            f"{name} must have shape [{columns}], one element a column of {first_name}, not {_sizes(tensor)}"
        )


def _axes(name: str, tensor: Any, axes: list[str], named: dict[str, tuple[int, str]]) -> None:
    """``tensor`` has the ``axes`` of these names, each of one size wherever it occurs; ``named`` keeps size and first owner."""
    sizes, wanted = _sizes(tensor), ", ".join(axes)
    if len(sizes) != len(axes):
        raise ValueError(f"{name} must have rank {len(axes)}, [{wanted}], not rank {len(sizes)} (its shape is {sizes})")
    for axis, size in zip(axes, sizes, strict=True):
        known, owner = named.setdefault(axis, (size, name))
        if size != known:
            raise ValueError(f"{name} must have shape [{wanted}] with {axis} = {known}, as {owner} has it, not {sizes}")


def _whole(name: str, value: Any, least: int, most: int | None, low: int | str, high: int | str | None) -> None:
    """``value`` is an int from ``least`` to ``most``; ``low`` and ``high`` are the limits as they were written."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be a Python int, not {type(value).__name__}")
    if value < least or (most is not None and value > most):
        limits = [
            str(number) if number == told else f"{told} = {number}" for number, told in ((least, low), (most, high))
        ]
        reach = f"at least {limits[0]}" if most is None else f"{limits[0]} to {limits[1]}"
        raise ValueError(f"{name} is {value}; the limit is {reach}")


def _above_zero(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a Python float, not {type(value).__name__}")
    if not 0.0 < value < float("inf"):
        raise ValueError(f"{name} must be finite and above 0, not {value!r}")


def _reachable(name: str, tensor: Any) -> None:
    """Offsets and counts fit 32 bits, and no stride runs backwards."""
    sizes, strides = _sizes(tensor), tensor.stride()
    if any(stride < 0 for stride in strides):
        raise ValueError(f"{name} must have nonnegative strides, not {tuple(strides)}")
    count, furthest = 1, 0
    for size, stride in zip(sizes, strides, strict=True):
        count *= size
        furthest += (size - 1) * stride
    if count == 0:
        return
    if furthest > LARGEST:
        raise ValueError(
            f"{name} reaches element offset {furthest}, and the limit is 2**31 - 1 (strides {tuple(strides)})"
        )
    if count > LARGEST:
        raise ValueError(f"{name} has {count} elements, and the limit is 2**31 - 1")
