"""What crosses between judge and worker: frames of a JSON header and raw bytes, never pickles.

A frame is ``magic, header length, number of blobs, blob lengths, header, blobs``. Values are trees; finite floats travel as
JSON's shortest digits, which give the same double back, others as their eight bytes, tensors as storages (once each) and
views on them. Standard library only; torch is used where a tensor passes. Whatever arrives is checked before it is used: a
bad frame raises ``WireError`` and nothing else.
"""

from __future__ import annotations

import json
import math
import socket
import struct
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from learning.judge.call import Foreign

_MAGIC = b"LJW1"
_HEAD = struct.Struct("<4sII")
MOST_HEADER, MOST_BLOBS = 32 << 20, 4096
MOST_ANSWER = 4 << 20
"""Bytes of an answer's header. A worker may send anything: 32 MiB of empty lists are seconds of parsing and a gigabyte."""
HOLLOW = 1 << 30
"""Storages of more bytes than this cross by their size alone: a contract's limit is tried with memory nobody wrote."""
_encode = json.JSONEncoder(separators=(",", ":")).encode  # ``json.dumps`` would make this encoder for every frame
_MANY_FLOATS = 16
_DTYPES = frozenset(
    {
        "float32",
        "float64",
        "float16",
        "bfloat16",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "bool",
        "complex64",
        "complex128",
        "float8_e4m3fn",
        "float8_e5m2",
    }
)


class WireError(Exception):
    """What arrived is not a frame, or a frame that says something impossible."""


class Closed(WireError):
    """The other side is gone."""


# --- frames ----------------------------------------------------------------------------------------------------------


def send(sock: socket.socket, header: dict, blobs: Sequence[Any] = (), seconds: float | None = None) -> None:
    """Write one frame. Raises ``TimeoutError`` after ``seconds``, ``Closed`` where the other side is gone."""
    text = _encode(header).encode()
    views = [memoryview(blob).cast("B") if len(blob) else memoryview(b"") for blob in blobs]
    sizes = [len(view) for view in views]
    if len(text) > MOST_HEADER or len(views) > MOST_BLOBS:
        raise WireError("too much for one frame: more than 32 MiB of header or 4096 storages")
    head = _HEAD.pack(_MAGIC, len(text), len(views)) + struct.pack(f"<{len(sizes)}Q", *sizes) + text
    small = [view for view in views if len(view) <= 1 << 16]
    try:
        _patience(sock, seconds)
        if len(small) == len(views) and sum(sizes) <= 1 << 20:
            sock.sendall(b"".join([head, *views]))
        else:
            sock.sendall(head)
            for view in views:
                sock.sendall(view)
    except TimeoutError:
        raise
    except OSError as problem:
        raise Closed(str(problem)) from None


def receive(
    sock: socket.socket,
    seconds: float | None = None,
    *,
    most_bytes: int = 1 << 40,
    most_header: int = MOST_ANSWER,
    allocate: Callable[[int], Any] = bytearray,
) -> tuple[dict, list]:
    """Read one frame: its header and its blobs, each in a buffer from ``allocate(size)``.

    ``seconds`` bounds the whole frame, so one byte a second does not keep it alive; ``most_bytes`` bounds the blobs,
    ``most_header`` the header.
    Raises ``TimeoutError``, ``Closed`` or ``WireError``.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    magic, length, count = _HEAD.unpack(_exactly(sock, bytearray(_HEAD.size), deadline))
    if magic != _MAGIC or length > MOST_HEADER or count > MOST_BLOBS:
        raise WireError("what arrived is not a frame")
    if length > most_header:
        raise WireError(f"{length >> 20} MiB of plain values arrived where at most {most_header >> 20} may")
    sizes = struct.unpack(f"<{count}Q", _exactly(sock, bytearray(8 * count), deadline)) if count else ()
    if sum(sizes) > most_bytes:
        raise WireError(f"{sum(sizes)} bytes arrived where at most {most_bytes} may")
    text = _exactly(sock, bytearray(length), deadline)
    blobs = []
    for size in sizes:
        blob = allocate(size)
        _exactly(sock, blob, deadline)
        blobs.append(blob)
    try:
        header = json.loads(text.decode())
    except (ValueError, RecursionError) as problem:
        raise WireError(f"the header cannot be read: {type(problem).__name__}") from None
    if type(header) is not dict:
        raise WireError("the header is not an object")
    return header, blobs


def _exactly(sock: socket.socket, buffer: Any, deadline: float | None) -> Any:
    view = memoryview(buffer).cast("B") if len(buffer) else memoryview(b"")
    done = 0
    try:
        while done < len(view):
            _patience(sock, None if deadline is None else max(1e-4, deadline - time.monotonic()))
            got = sock.recv_into(view[done:])
            if got == 0:
                raise Closed("the other side closed the line")
            done += got
            if deadline is not None and done < len(view) and time.monotonic() > deadline:
                raise TimeoutError
    except (TimeoutError, WireError):
        raise
    except OSError as problem:
        raise Closed(str(problem)) from None
    return buffer


def _patience(sock: socket.socket, seconds: float | None) -> None:
    """Set the time that the socket's next call may take: a system call, left out where a worker waits without end."""
    if seconds is not None or sock.gettimeout() is not None:
        sock.settimeout(seconds)


def tensor_buffer(size: int) -> Any:
    """A writable buffer of ``size`` bytes that torch allocated (64-byte aligned), where torch is loaded."""
    torch = sys.modules.get("torch")
    if torch is None or size == 0:
        return bytearray(size)
    return torch.empty(size, dtype=torch.uint8).numpy()


# --- values ----------------------------------------------------------------------------------------------------------


class Packer:
    """Turns trees of values into JSON, collecting the bytes they need in ``blobs`` and storages once each."""

    def __init__(self, host: Callable[[Any], Any] | None = None) -> None:
        """``host`` turns a uint8 tensor into its bytes; the worker's was bound before the learner's code ran."""
        self._host = host or (lambda raw: raw.cpu().numpy())
        self.blobs: list[Any] = []
        self.storages: list[dict] = []
        self._known: dict[int, int] = {}
        self._alive: list[Any] = []

    def tree(self, value: Any, depth: int = 0) -> Any:
        """JSON for ``value``. Raises ``TypeError`` for a type that does not cross, ``ValueError`` past 64 levels."""
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is int:
            return {"i": f"{value:x}"}
        if kind is float:
            return value if math.isfinite(value) else {"f": struct.pack("<d", value).hex()}
        if kind is str:
            return {"s": value.encode("utf-8", "surrogatepass").decode("latin-1")}
        if kind is tuple or kind is list:
            if depth > 64:
                raise ValueError("a value nested more than 64 deep does not cross to the worker")
            tag = "t" if kind is tuple else "l"
            if len(value) >= _MANY_FLOATS and all(type(item) is float for item in value):
                self.blobs.append(struct.pack(f"<{len(value)}d", *value))
                return {tag + "f": len(self.blobs) - 1, "n": len(value)}
            return {tag: [self.tree(item, depth + 1) for item in value]}
        if kind is Foreign:
            return {"x": value.type}
        torch = sys.modules.get("torch")
        if torch is not None and kind is torch.dtype:
            return {"d": _dtype_name(value)}
        if torch is not None and isinstance(value, torch.Tensor):
            return {"v": self._tensor(torch, value)}
        raise TypeError(f"a value of type {kind.__qualname__} does not cross between judge and worker")

    def storage(self, raw: Any) -> int:
        """Add a uint8 tensor's bytes as a blob; returns the blob's index."""
        self._alive.append(raw)
        self.blobs.append(self._host(raw))
        return len(self.blobs) - 1

    def _tensor(self, torch: Any, tensor: Any) -> dict:
        if tensor.layout is not torch.strided:
            raise TypeError(f"a tensor of layout {tensor.layout} does not cross between judge and worker")
        device = tensor.device.type
        view = {
            "dtype": _dtype_name(tensor.dtype),
            "shape": list(tensor.shape),
            "strides": list(tensor.stride()),
            "offset": tensor.storage_offset(),
            "grad": tensor.requires_grad,
        }
        if device == "meta":
            return {**view, "device": "meta"}
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key not in self._known:
            self._known[key] = len(self.storages)
            if storage.nbytes() > HOLLOW:
                self.storages.append({"hollow": storage.nbytes(), "device": device})
            else:
                raw = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(
                    storage, 0, (storage.nbytes(),), (1,)
                )
                self.storages.append({"blob": self.storage(raw), "device": device})
            self._alive.append(storage)
        return {**view, "storage": self._known[key]}


class Unpacker:
    """The inverse of ``Packer``; everything it is told is checked, and what is impossible raises ``WireError``."""

    def __init__(self, storages: Any, blobs: list, *, hollow: bool = False):
        """``hollow`` admits storages that only claim their bytes: for the worker, which trusts the judge, alone."""
        self._blobs, self._hollow = blobs, hollow
        self._storages = storages if type(storages) is list else []
        self._built: dict[int, Any] = {}

    def tree(self, value: Any) -> Any:
        """The value that ``value`` describes."""
        try:
            return self._tree(value, 0)
        except WireError:
            raise
        except Exception as problem:
            raise WireError(f"a value cannot be read: {type(problem).__name__}: {problem}") from None

    def raw(self, index: int) -> Any:
        """Blob ``index`` as a uint8 tensor that shares the blob's memory."""
        import torch

        if type(index) is not int or not 0 <= index < len(self._blobs):
            raise WireError("a blob is missing")
        blob = self._blobs[index]
        if len(blob) == 0:
            return torch.empty(0, dtype=torch.uint8)
        return torch.frombuffer(blob, dtype=torch.uint8)

    def _tree(self, value: Any, depth: int) -> Any:
        if value is None or type(value) is bool or type(value) is float:
            return value
        if depth > 70:
            raise WireError("a value is nested too deep")
        tag, body = next(iter(value.items()))
        if tag == "i":
            return int(body, 16)
        if tag == "f":
            return struct.unpack("<d", bytes.fromhex(body))[0]
        if tag == "s":
            return body.encode("latin-1").decode("utf-8", "surrogatepass")
        if tag == "t" or tag == "l":
            return (tuple if tag == "t" else list)([self._tree(item, depth + 1) for item in body])
        if tag == "tf" or tag == "lf":
            blob = self._blobs[body]
            return (tuple if tag == "tf" else list)(struct.unpack(f"<{value['n']}d", blob))
        if tag == "x":
            return Foreign(str(body)[:200])
        if tag == "d":
            return _dtype(body)
        if tag == "v":
            return self._view(body)
        raise WireError(f"a value has the unknown tag {tag!r}")

    def _view(self, view: dict) -> Any:
        import torch

        dtype, shape, strides, offset = _dtype(view["dtype"]), view["shape"], view["strides"], view["offset"]
        if not all(type(n) is int and 0 <= n < 1 << 62 for n in [*shape, *strides, offset]) or len(shape) != len(
            strides
        ):
            raise WireError("a tensor's shape or strides are impossible")
        if view.get("device") == "meta":
            if not self._hollow and len(shape) > 64:
                raise WireError("a tensor of more than 64 axes")
            tensor = torch.empty_strided(tuple(shape), tuple(strides), dtype=dtype, device="meta")
        else:
            base = self._storage(view["storage"])
            last = offset + sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) if all(shape) else offset - 1
            if (last + 1) * dtype.itemsize > base.numel():
                raise WireError("a tensor reaches past its storage")
            if not self._hollow and math.prod(shape) * dtype.itemsize > base.numel():  # a walk over it would never end
                raise WireError("a tensor has more elements than its storage")
            tensor = torch.empty(0, dtype=dtype, device=base.device)
            tensor.set_(base.untyped_storage(), offset, tuple(shape), tuple(strides))
        return tensor.requires_grad_(True) if view.get("grad") is True else tensor

    def _storage(self, index: int) -> Any:
        if index not in self._built:
            entry = self._storages[index]
            device = entry["device"]
            if device not in ("cpu", "cuda"):
                raise WireError(f"a tensor is on the unknown device {device!r}")
            if self._hollow and "hollow" in entry:
                self._built[index] = _hollow(entry["hollow"], device)
            else:
                raw = self.raw(entry["blob"])
                self._built[index] = raw if device == "cpu" else raw.to(device)
        return self._built[index]


def _hollow(nbytes: int, device: str) -> Any:
    """A uint8 tensor that claims ``nbytes`` bytes nobody may read: on the CPU it owns one page, so that a limit of
    address space, and a learner's laptop, can hold it."""
    import torch

    if type(nbytes) is not int or not HOLLOW < nbytes < 1 << 40:
        raise WireError("a hollow storage of an impossible size")
    if device == "cuda":
        return torch.empty(nbytes, dtype=torch.uint8, device=device)
    import numpy as np

    page = np.zeros(4096, dtype=np.uint8)
    return torch.from_numpy(np.lib.stride_tricks.as_strided(page, (nbytes,), (1,)))


def _dtype_name(dtype: Any) -> str:
    name = str(dtype).removeprefix("torch.")
    if name not in _DTYPES:
        raise TypeError(f"a tensor of dtype {name} does not cross between judge and worker")
    return name


def _dtype(name: Any) -> Any:
    import torch

    if name not in _DTYPES:
        raise WireError(f"{name!r} is not a dtype that crosses")
    return getattr(torch, name)
