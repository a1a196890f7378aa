"""Watch a call's memory: poison what ``torch.empty`` hands out, put guard bands around it, note who shares storage.

Imports torch at module level; ``call.guarded`` imports this module only where torch is already there.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from learning.judge import streams, torch_calls, wire
from learning.judge.call import Output, copy_plain

BAND = 1 << 16
"""Bytes of guard band on either side of an allocation: a store that runs over by a whole 16384-wide fp32 tile shows."""

MOST_WATCHED = 256
"""Allocations of one call that get bands; later ones are plain, so that a loop of a million cannot exhaust memory."""

BAND_BYTES = (0xFF, 0xFE)
"""Band patterns of poison 0 and 1. Read as floats they are NaN, and NaN or a huge number: an over-read shows too."""

_Tensor = torch.Tensor
_UNINITIALISED = (torch.empty, torch.empty_like, torch.empty_strided, torch.empty_permuted,
                  _Tensor.new_empty, _Tensor.new_empty_strided)  # fmt: skip
_INITIALISED = (torch.zeros, torch.zeros_like, torch.ones, torch.ones_like, torch.full, torch.full_like,
                _Tensor.new_zeros, _Tensor.new_ones, _Tensor.new_full)  # fmt: skip
_ALLOCATORS = dict.fromkeys(_UNINITIALISED, True) | dict.fromkeys(_INITIALISED, False)
MOST_NAMES = 1000
"""More than all allowed names together, so that none of them fills the record; who fills it all the same is told."""

# Bound here, before any learner code runs, so that a patched torch.Tensor method is not what the judge reads with.
_storage_of, _shape_of, _stride_of = _Tensor.untyped_storage, _Tensor.size, _Tensor.stride
_offset_of, _pointer_of, _detach, _view = _Tensor.storage_offset, _Tensor.data_ptr, _Tensor.detach, _Tensor.view
_contiguous_format, _clone, _copy_, _fill_ = torch.contiguous_format, _Tensor.clone, _Tensor.copy_, _Tensor.fill_
_as_strided, _set_, _empty, _equal, _nonzero = _Tensor.as_strided, _Tensor.set_, torch.empty, torch.equal, torch.nonzero
_dtype_of, _device_of = _Tensor.dtype.__get__, _Tensor.device.__get__
_grad_of, _layout_of, _slice = _Tensor.requires_grad.__get__, _Tensor.layout.__get__, _Tensor.narrow
_cpu, _numpy, _is_neg, _is_conj = _Tensor.cpu, _Tensor.numpy, _Tensor.is_neg, _Tensor.is_conj
_uint8, _int64, _strided, _finfo, _iinfo = torch.uint8, torch.int64, torch.strided, torch.finfo, torch.iinfo
_raw_functions, _resizable = torch._C.DisableTorchFunction, torch.UntypedStorage.resizable


_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_LENS = _HERE + "lens" + os.sep
_CONTRACT = _HERE + "contract.py"
_TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
_TRITON = os.path.join(os.path.dirname(os.path.dirname(_TORCH)), "triton") + os.sep
_CLOCK = _TRITON + "testing.py"
"""Lies on no launch's way: what it compares, or tells of two tensors that differ, is whose code called it."""

BEYOND = "torch.calls_beyond_counting"
"""Stands in the record for names that found no room: no lesson allows it."""

MOST_TEXT = 12_000
"""Characters that torch may write of tensors in one call: a printed tensor or two, and no way to read all values."""

_handed_out: list[Any] = []
"""Storages of the last call's outputs, kept alive: memory at the same address in the next call is the same memory."""


def _unwritten(tensor: torch.Tensor) -> None:
    """Tell a tracer, where one is at work, that nobody has written this memory yet."""
    trace = sys.modules.get("learning.lens.trace")
    if trace is not None and "learning.lens.interpreter.execute" in sys.modules:
        trace.uninitialised(tensor)


def poison_value(dtype: torch.dtype, poison: int) -> float | int | bool:
    """What uninitialised memory of ``dtype`` is filled with: NaN or a huge finite number, two integers, two bools."""
    if dtype is torch.bool:
        return poison % 2 == 0
    if dtype.is_floating_point or dtype.is_complex:
        return float("nan") if poison % 2 == 0 else _finfo(dtype).max * 0.75
    limits = _iinfo(dtype)
    return limits.max - 6 if poison % 2 == 0 else limits.min + 5 if limits.min else limits.max // 3


def tensors_in(*values: Any) -> list[torch.Tensor]:
    """The tensors in trees of tuples, lists and dicts, in order."""
    found: list[torch.Tensor] = []
    for value in values:
        if isinstance(value, _Tensor):
            found.append(value)
        elif isinstance(value, (tuple, list)):
            found += tensors_in(*value)
        elif isinstance(value, dict):
            found += tensors_in(*value.values())
    return found


def storage_bytes(tensor: torch.Tensor) -> torch.Tensor:
    """All bytes of the storage under ``tensor`` as a uint8 tensor that shares it, on the same device."""
    storage = _storage_of(tensor)
    return _set_(_empty(0, dtype=_uint8, device=_device_of(tensor)), storage, 0, (storage.nbytes(),), (1,))


def resizable(tensor: torch.Tensor) -> bool:
    """Whether torch alone holds the memory of ``tensor``: NumPy and Python's own bytes share none that can be resized."""
    return _resizable(_storage_of(tensor))


def host_bytes(raw: torch.Tensor) -> Any:
    """A uint8 tensor's bytes as an array in host memory."""
    with _raw_functions():
        return _numpy(_cpu(raw))


class Watch(TorchFunctionMode):
    """A call's watch: active inside ``with``; afterwards it tells what the call returned, shared and overran."""

    def __init__(self, args: tuple, kwargs: dict, poison: int):
        super().__init__()
        self._poison = poison
        self._inputs: list[torch.Tensor] = []
        self._bands: list[tuple[torch.Tensor, int, str]] = []
        self._names: dict[str, None] = {}
        self._text = 0
        self._operators = _Operators(self._names)
        seen: set[int] = set()
        with _raw_functions():
            for tensor in tensors_in(args, kwargs):
                if _layout_of(tensor) is _strided and _device_of(tensor).type != "meta":
                    key = _storage_of(tensor)._cdata
                    if key not in seen:
                        seen.add(key)
                        self._inputs.append(storage_bytes(tensor))
        self._order = streams.Order(self._inputs)

    def __enter__(self) -> Watch:
        with _raw_functions():
            self._order.begin()
        self._operators.__enter__()
        return super().__enter__()

    def __exit__(self, *exc: Any) -> None:
        super().__exit__(*exc)
        self._operators.__exit__(*exc)
        self._order.end()

    def __torch_function__(self, function: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        name = _called_by_wrapper(function)
        if name:
            self._names.setdefault(name if len(self._names) < MOST_NAMES else BEYOND)
        if name and function is _fill_ and tensors_in(args[1:], kwargs or {}):  # values of one tensor into another
            self._names.setdefault("Tensor.copy_")
        _note_subclasses(types, self._names)
        result = function(*args, **(kwargs or {}))
        if type(result) is str and name:  # torch writes it with its modes disabled, so no operator shows
            self._text += len(result)
            if self._text > MOST_TEXT:
                self._names.setdefault(f"{name} of thousands of values")
        try:
            uninitialised = _ALLOCATORS.get(function)
        except TypeError:  # an unhashable callable is nobody's allocator
            uninitialised = None
        if uninitialised is None or len(self._bands) >= MOST_WATCHED or (kwargs and kwargs.get("out") is not None):
            return result
        return self._banded(result, uninitialised, name_of(function))

    def _banded(self, tensor: torch.Tensor, uninitialised: bool, name: str) -> torch.Tensor:
        """Move a fresh allocation into a larger one, between bands; same shape, strides, dtype, device, gradient flag."""
        with _raw_functions():
            nbytes = _storage_of(tensor).nbytes() if type(tensor) is _Tensor and _layout_of(tensor) is _strided else 0
            device = _device_of(tensor)
            if not nbytes or device.type not in ("cpu", "cuda") or tensor.is_pinned():
                return tensor
            span = -(-nbytes // 16) * 16
            whole = _empty(span + 2 * BAND, dtype=_uint8, device=device)
            _fill_(
                _view(whole, _int64), int.from_bytes(bytes([BAND_BYTES[self._poison % 2]] * 8), "little", signed=True)
            )
            dtype, needs_grad = _dtype_of(tensor), _grad_of(tensor)
            middle = _view(_slice(whole, 0, BAND, nbytes), dtype)
            size, stride = _shape_of(tensor), _stride_of(tensor)
            moved = _detach(_as_strided(middle, size, stride, _offset_of(middle)))
            if uninitialised:
                _fill_(middle, poison_value(dtype, self._poison))
                _unwritten(moved)
            else:
                _copy_(moved, _detach(tensor))
            self._bands.append((whole, nbytes, f"{_text(dtype)}{list(size)} tensor made by {name}"))
            return moved.requires_grad_(True) if needs_grad else moved

    def take(self, value: Any) -> tuple[Any, list[Output]]:
        """Copy what came back, on the caller's stream, and state the facts about its tensors; then synchronise CUDA."""
        outputs: list[Output] = []
        spans: list[tuple[int, int]] = []

        def tensor(item: Any) -> torch.Tensor | None:
            if not isinstance(item, _Tensor) or _layout_of(item) is not _strided:
                return None
            facts, span = self._facts(item, spans)
            outputs.append(facts)
            spans.append(span)
            held.append(_storage_of(item))
            if _device_of(item).type == "meta":
                return _detach(item)
            return _clone(_detach(item), memory_format=_contiguous_format)

        held: list[Any] = []
        with _raw_functions(), self._order.reading():
            copied = copy_plain(value, tensor)
            synchronise()
        _handed_out[:] = held
        return copied, outputs

    def _facts(self, item: torch.Tensor, earlier: list[tuple[int, int]]) -> tuple[Output, tuple[int, int]]:
        storage = _storage_of(item)
        start = storage.data_ptr()
        span = (start, start + storage.nbytes())
        offset = _offset_of(item)
        for whole, _, _ in self._bands:
            if _storage_of(whole).data_ptr() == start:
                offset -= BAND // item.element_size()
        inputs = [(_pointer_of(raw), _pointer_of(raw) + raw.numel()) for raw in self._inputs]
        facts = Output(
            exact_type=type(item) is _Tensor,
            # a kernel that reads the memory of a view that is negated or conjugated by a mark alone reads other values
            plain=not (object.__getattribute__(item, "__dict__") or _is_neg(item) or _is_conj(item)),
            dtype=_text(_dtype_of(item)),
            shape=tuple(_shape_of(item)),
            strides=tuple(_stride_of(item)),
            offset=offset,
            device=_device_of(item).type,
            requires_grad=_grad_of(item),
            overlaps=[index for index, other in enumerate(inputs) if _meet(span, other)],
            shares_with=[index for index, other in enumerate(earlier) if _meet(span, other)],
            reused=any(_meet(span, (old.data_ptr(), old.data_ptr() + old.nbytes())) for old in _handed_out),
        )
        return facts, span

    def storages(self) -> list[torch.Tensor]:
        """Copies of every distinct input storage's bytes, in order of first appearance; no bytes of a hollow one."""
        with _raw_functions():
            synchronise()
            return [_copied(raw if len(raw) <= wire.HOLLOW else _slice(raw, 0, 0, 0)) for raw in self._inputs]

    def broken_guards(self) -> list[str]:
        """One sentence for each guard band that no longer holds its pattern."""
        sentences = []
        with _raw_functions():
            for whole, nbytes, what in self._bands:
                pattern = BAND_BYTES[self._poison % 2]
                before, after = _slice(whole, 0, 0, BAND), _slice(whole, 0, BAND + nbytes, len(whole) - BAND - nbytes)
                changed = _changed(before, pattern)
                if changed:
                    sentences.append(f"the call wrote {BAND - changed[0]} bytes before the start of the {what}")
                changed = _changed(after, pattern)
                if changed:
                    sentences.append(f"the call wrote {changed[1] + 1} bytes past the end of the {what}")
        return sentences

    def names(self) -> list[str]:
        """Names of the torch functions that code outside torch and Triton called, in order, each once."""
        return list(self._names)


class Calls(TorchFunctionMode):
    """Notes in ``names`` what is called, as ``Watch`` does, and leaves memory as it is where nobody watches: an answer that
    looks for bands before it lets torch compute finds none."""

    def __init__(self, names: dict[str, None]):
        super().__init__()
        self._names, self._operators = names, _Operators(names)

    def __enter__(self) -> Calls:
        self._operators.__enter__()
        return super().__enter__()

    def __exit__(self, *exc: Any) -> None:
        super().__exit__(*exc)
        self._operators.__exit__(*exc)

    def __torch_function__(self, function: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        name = _called_by_wrapper(function)
        if name:
            self._names.setdefault(name if len(self._names) < MOST_NAMES else BEYOND)
        _note_subclasses(types, self._names)
        return function(*args, **(kwargs or {}))


def _copied(raw: torch.Tensor) -> torch.Tensor:
    """A copy of a storage's bytes, made by words where they are whole."""
    return _clone(raw) if len(raw) % 8 else _view(_clone(_view(raw, _int64)), _uint8)


def _changed(band: torch.Tensor, pattern: int) -> tuple[int, int] | None:
    """First and last byte of ``band`` that differ from ``pattern``, or None."""
    key = (pattern, len(band), _device_of(band))
    if key not in _intact:
        if len(_intact) > 64:
            _intact.clear()
        _intact[key] = _fill_(_empty(len(band), dtype=_uint8, device=_device_of(band)), pattern)
    lead = -_offset_of(band) % 8  # compared as words: torch starts threads for a walk over many bytes
    body = (len(band) - lead) // 8 * 8
    parts = ((0, lead), (lead + body, len(band) - lead - body))
    words = _view(_slice(band, 0, lead, body), _int64)
    if _equal(words, _view(_slice(_intact[key], 0, 0, body), _int64)) and all(
        _equal(_slice(band, 0, *part), _slice(_intact[key], 0, *part)) for part in parts
    ):
        return None
    places = _nonzero(band != pattern)
    return int(places[0]), int(places[-1])


_intact: dict[tuple, torch.Tensor] = {}


def synchronise() -> None:
    """Wait for CUDA where this process has used it."""
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _text(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


class _Operators(TorchDispatchMode):
    """Notes the computing operators that run, however they were reached: a traced graph's and a custom operator's too."""

    def __init__(self, names: dict[str, None]):
        super().__init__()
        self._names = names


def _note_subclasses(types: Any, names: dict[str, None]) -> None:
    """Note a tensor subclass among the types whose hooks a call concerns; torch's own parameters have none."""
    if any(kind is not _Tensor for kind in types):
        names.setdefault(torch_calls.SUBCLASS)


def _note(self: _Operators, function: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
    _note_subclasses(types, self._names)
    if not function.is_view:
        name = str(function._schema.name).rpartition("::")[2]
        if name not in torch_calls.MOVES and not _launching(sys._getframe(1)):
            self._names.setdefault(f"aten.{name}" if len(self._names) < MOST_NAMES else BEYOND)
    return function(*args, **(kwargs or {}))


_Operators.__torch_dispatch__ = _note  # in the class's body torch would wrap it, and import its compiler (2 s) to do so


def _launching(frame: Any) -> bool:
    """Whether the first frame outside torch and this watch is the course's device at a launch."""
    while frame is not None and frame.f_code.co_filename.startswith((_TORCH, __file__)):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(_LENS)


def _called_by_wrapper(function: Any) -> str:
    """The name under which code outside torch, Triton and the course reached ``function``; "" where none of it did.

    A function of torch's written in Python counts as itself, not as what it calls. What Triton calls on the way to a
    launch is left out, and only that: a sum of two ``constexpr`` that hold tensors is a sum of tensors. Code is told by
    its file; the module's name is the learner's to set.
    """
    frame, outermost = sys._getframe(2), None
    while frame is not None and frame.f_code.co_filename.startswith(_TORCH):
        outermost, frame = frame, frame.f_back
    file = frame.f_code.co_filename if frame is not None else _HERE
    own = file == _CONTRACT or file.startswith(_LENS)  # run on what a learner hands it, so it may do no sums either
    if file.startswith(_HERE) and not own:
        return ""
    if outermost is None:
        name = name_of(function)
    else:
        module, plain = outermost.f_globals["__name__"], outermost.f_code.co_name
        name = f"Tensor.{plain}" if module == "torch._tensor" else f"{module}.{plain}"
    if (own or (file.startswith(_TRITON) and file != _CLOCK)) and name.rpartition(".")[2] in torch_calls.LAUNCH:
        return ""
    return name


def name_of(function: Any) -> str:
    """The name of a torch function or of a tensor's method in the record: ``torch.empty_like``, ``Tensor.copy_``."""
    name = str(getattr(function, "__name__", function))
    owner = getattr(function, "__self__", None)
    if name == "__get__" and owner is not None:  # the getter of a property such as Tensor.shape
        return f"Tensor.{getattr(owner, '__name__', '')}"
    qualified = str(getattr(function, "__qualname__", name))
    if qualified.startswith(("TensorBase.", "Tensor.", "_TensorBase.")):
        return f"Tensor.{name}"
    module = str(getattr(function, "__module__", None) or "torch")
    return f"{module}.{name}" if module.startswith("torch") and not module.startswith("torch._") else f"torch.{name}"
