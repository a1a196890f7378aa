"""What a compiled kernel needs, read from the binary itself: registers and stack a thread.

A cubin is an ELF file. The upper byte of ``sh_info`` of the section ``.text.<kernel>`` holds the registers a thread; the
attribute 0x11 (frame size) or 0x12 (minimal stack size) of ``.nv.info`` holds the bytes of stack. Checked in the tests
against ``cuobjdump --dump-resource-usage``. Standard library only.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

FRAME_SIZE, MIN_STACK_SIZE = 0x11, 0x12


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
    info: int
    data: bytes


def usage(binary: bytes, kernel: str) -> Usage:
    """The ``Usage`` of ``kernel`` in a cubin; raises ``NotCubin``."""
    sections = list(_sections(binary))
    text = next((section for section in sections if section.name == f".text.{kernel}"), None)
    if text is None:
        raise NotCubin(f"the binary holds no kernel called {kernel}")
    stack = 0
    for section in sections:
        if section.name == ".nv.info":
            stack = max(
                [size for kind, size in _attributes(section.data) if kind in (FRAME_SIZE, MIN_STACK_SIZE)] or [0]
            )
    return Usage(registers=text.info >> 24, stack=stack)


def _sections(binary: bytes) -> Iterator[_Section]:
    if binary[:4] != b"\x7fELF" or len(binary) < 64 or binary[4] != 2:
        raise NotCubin("the bytes are no 64-bit ELF file")
    (table,) = struct.unpack_from("<Q", binary, 40)
    size, count, names = struct.unpack_from("<HHH", binary, 58)
    headers = [struct.unpack_from("<IIQQQQII", binary, table + i * size) for i in range(count)]
    strings = headers[names]
    for name, kind, _, _, offset, length, _, info in headers:
        start = strings[4] + name
        data = b"" if kind == 8 else binary[offset : offset + length]  # 8: no bits in the file
        yield _Section(binary[start : binary.index(b"\0", start)].decode(), info, data)


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
