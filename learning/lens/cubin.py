"""What a compiled kernel needs, read from the binary itself: registers and stack a thread.

A cubin is an ELF file, and its section ``.nv.info`` holds (symbol, value) pairs by attribute: 0x2f the registers a
thread, 0x11 the frame size and 0x12 the minimal stack size in bytes. Triton makes one kernel a binary. Checked in the
tests against ``cuobjdump --dump-resource-usage``. Standard library only.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

FRAME_SIZE, MIN_STACK_SIZE, REGISTERS = 0x11, 0x12, 0x2F


class NotCubin(ValueError):
    """The bytes are no 64-bit ELF file, or hold no kernel of that name."""


@dataclass(frozen=True)
class Usage:
    """``registers`` 32-bit registers a thread; ``stack`` bytes of local memory a thread, spills among them."""

    registers: int
    stack: int


@dataclass(frozen=True)
class _Section:
    name: str
    data: bytes


def usage(binary: bytes, kernel: str) -> Usage:
    """The ``Usage`` of ``kernel`` in a cubin; raises ``NotCubin``."""
    sections = {section.name: section for section in _sections(binary)}
    if f".text.{kernel}" not in sections or ".nv.info" not in sections:
        raise NotCubin(f"the binary holds no kernel called {kernel}")
    most = {FRAME_SIZE: 0, MIN_STACK_SIZE: 0, REGISTERS: 0}
    for kind, value in _attributes(sections[".nv.info"].data):
        if kind in most:
            most[kind] = max(most[kind], value)
    return Usage(registers=most[REGISTERS], stack=max(most[FRAME_SIZE], most[MIN_STACK_SIZE]))


def code(binary: bytes, kernel: str) -> bytes:
    """The machine code of ``kernel``, without the file names and symbols around it; raises ``NotCubin``."""
    for section in _sections(binary):
        if section.name == f".text.{kernel}":
            return section.data
    raise NotCubin(f"the binary holds no kernel called {kernel}")


def _sections(binary: bytes) -> Iterator[_Section]:
    if binary[:4] != b"\x7fELF" or len(binary) < 64 or binary[4] != 2:
        raise NotCubin("the bytes are no 64-bit ELF file")
    (table,) = struct.unpack_from("<Q", binary, 40)
    size, count, names = struct.unpack_from("<HHH", binary, 58)
    headers = [struct.unpack_from("<IIQQQQII", binary, table + i * size) for i in range(count)]
    strings = headers[names]
    for name, kind, _, _, offset, length, *_ in headers:
        start = strings[4] + name
        data = b"" if kind == 8 else binary[offset : offset + length]  # 8: no bits in the file
        yield _Section(binary[start : binary.index(b"\0", start)].decode(), data)


def _attributes(data: bytes) -> Iterator[tuple[int, int]]:
    """(attribute, value) of every per-symbol pair of an ``.nv.info`` section."""
    at = 0
    while at + 4 <= len(data):
        form, kind, length = struct.unpack_from("<BBH", data, at)
        at += 4
        if form == 4:  # a block of ``length`` bytes follows: (symbol, value)
            if length == 8:
                yield kind, struct.unpack_from("<II", data, at)[1]
            at += length
