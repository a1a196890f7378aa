"""Words for calls and values: what a finding says was called and came back.

Standard library only; tensors are told by their attributes.
"""

from __future__ import annotations

from typing import Any

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
LONGEST = 2000
"""Characters of any one text in a finding: more is nobody's to read, and a record must stay small."""
MOST_SIZES = 24
"""Sizes that are told of a tensor."""


def cut(text: object, most: int = LONGEST) -> str:
    """``text`` as it is, or its first ``most`` characters, the last of them "…": for every text a learner may have made."""
    text = text if isinstance(text, str) else str(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def quoted(value: object, most: int = 60) -> str:
    """A value that a learner's file holds where a word or a number belongs, as a message may quote it: short, on one line."""
    if isinstance(value, str):
        return repr(cut(value, most))
    if isinstance(value, int | float | None):
        return cut(value, most)
    return f"a {type(value).__name__}"


def is_tensor(value: Any) -> bool:
    """True for a judge-owned torch tensor (told by type name, so that torch need not be installed)."""
    return type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "untyped_storage")


def dtype_name(dtype: Any) -> str:
    """``float32`` for ``torch.float32`` or ``"torch.float32"``."""
    return str(dtype).removeprefix("torch.")


def shape_text(dtype: Any, shape: Any) -> str:
    """``float32[4, 7]``."""
    told = [str(int(size)) for size in shape[:MOST_SIZES]] + ["…"] * (len(shape) > MOST_SIZES)
    return f"{dtype_name(dtype)}[{', '.join(told)}]"


def tensor_text(tensor: Any) -> str:
    """``float32[4, 7] strides (1, 4)``: dtype and shape, and the layout where it is not the plain one."""
    text = shape_text(tensor.dtype, tensor.shape)
    if not tensor.is_contiguous():
        text += f" strides {tuple(tensor.stride())}"
    if tensor.storage_offset():
        text += f" from element {tensor.storage_offset()} of its storage"
    return text


LONGEST_INT = 1000
"""Bits of an integer that is told by its digits; Python refuses to write very long ones."""


def value_text(value: Any, limit: int = 120) -> str:
    """What came back, in a few words: a tensor by dtype and shape, anything else by its literal, cut at ``limit``."""
    if is_tensor(value):
        return f"a tensor {tensor_text(value)}"
    if type(value).__name__ == "Foreign":
        return f"an object of type {value.type}"
    if isinstance(value, (list, tuple)):
        inner = ", ".join(value_text(item, limit) for item in value[: limit // 2])  # an item takes three characters
        text = f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(value) == 1 else ''})"
    elif isinstance(value, int) and value.bit_length() > LONGEST_INT:
        text = f"an integer of {value.bit_length()} bits"
    else:
        text = repr(value[:limit] if isinstance(value, str) else value)
    return cut(text, limit)


def missing_result(value: Any, worked: bool) -> str:
    """What to do about None, or what a launch gives, where a result was to come back; "" for anything else. None of a function that
    has not ``worked`` yet is no forgotten return: it is still to be written."""
    if value is None and worked:
        return "a function that ends without return gives None: its last line returns the result"
    if type(value).__name__ == "Foreign" and value.type.startswith(("triton.", "learning.lens.")):
        return "a launch gives back the compiled kernel and no result: return the tensor that the kernel wrote into"
    return ""


def entry_name(entry: Any) -> str:
    """The name a learner gave the entry point."""
    return getattr(entry, "name", None) or getattr(entry, "__name__", None) or "answer"


def parameter_names(function: Any) -> list[str]:
    """Positional parameter names of a function or an ``Entry``; empty where they cannot be told."""
    told = getattr(function, "parameters", None)
    if isinstance(told, (list, tuple)):
        return [str(name) for name in told]
    code = getattr(function, "__code__", None)
    return list(code.co_varnames[: code.co_argcount]) if code is not None else []


def call_text(name: str, args: tuple, kwargs: dict, names: list[str] | tuple[str, ...] = ()) -> str:
    """The call as the learner could type it: ``add(x, y)  # x, y: float32[2500]``.

    ``names`` label the positional tensors; the same tensor passed twice keeps one label.
    """
    labels: dict[int, str] = {}
    groups: dict[str, list[str]] = {}
    typed = []
    for position, (key, value) in enumerate([*((None, a) for a in args), *kwargs.items()]):
        if is_tensor(value):
            label = labels.get(id(value))
            if label is None:
                fallback = _LETTERS[position % len(_LETTERS)]
                label = key or (names[position] if position < len(names) else fallback)
                labels[id(value)] = label
                groups.setdefault(tensor_text(value), []).append(label)
            text = label
        else:
            text = value_text(value, 60)
        typed.append(text if key is None else f"{key}={text}")
    comment = "; ".join(f"{', '.join(members)}: {text}" for text, members in groups.items())
    return f"{name}({', '.join(typed)})" + (f"  # {comment}" if comment else "")


def index_text(index: tuple[int, ...], tile: int | tuple[int, ...] | None = None) -> str:
    """Where an element lies: ``row 3, column 17``, and the tile of ``tile`` extents that owns it.

    ``tile`` counts from the last axis: one number for the last axis, two for the last two.
    """
    if len(index) == 0:
        text = "the only value"
    elif len(index) == 1:
        text = f"element {index[0]}"
    elif len(index) == 2:
        text = f"row {index[0]}, column {index[1]}"
    else:
        text = f"index [{', '.join(map(str, index))}]"
    if tile is None or not index:
        return text
    extents = (tile,) if isinstance(tile, int) else tuple(tile)
    owner = [i // e for i, e in zip(index[-len(extents) :], extents, strict=False)]
    return f"{text} (tile {owner[0] if len(owner) == 1 else tuple(owner)})"


def number_text(value: float) -> str:
    """A number with the digits that matter: six significant ones."""
    return f"{value:.6g}"
