"""Machine code with the source line of every instruction: what ``nvdisasm -g`` prints, read. Standard library only.

The tool comes with Triton's wheel and needs neither GPU nor driver.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator

_LINE = re.compile(
    r'//## File "(?P<file>[^"]*)", line (?P<line>\d+)(?: inlined at "(?P<outer>[^"]*)", line (?P<called>\d+))?'
)
_CODE = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?P<text>.*?)\s*;")


class NoDisassembler(RuntimeError):
    """``nvdisasm`` cannot be found or does not answer; the message says what it said."""


def disassemble(cubin: bytes) -> str:
    """The listing of a binary's code with its line marks; raises ``NoDisassembler``."""
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "kernel.cubin")
        with open(binary, "wb") as file:
            file.write(cubin)
        try:
            from triton import knobs

            tool = knobs.nvidia.nvdisasm.path
            # inlining first; binaries of some cards know only the plain marks
            for marks in ("-gi", "-g"):
                done = subprocess.run([tool, "-c", marks, binary], capture_output=True, text=True, timeout=60)
                if done.returncode == 0 and "/*0000*/" in done.stdout:
                    return done.stdout
        except (OSError, RuntimeError, subprocess.SubprocessError) as reason:
            raise NoDisassembler(f"Triton's disassembler does not answer: {reason}") from None
    raise NoDisassembler(f"nvdisasm read nothing: {done.stderr.strip()[:200]}")


def by_line(listing: str, file: str = "") -> dict[int, list[str]]:
    """Source line of ``file`` → its instructions, in the order of the code; 0 holds what belongs to no line.

    ``file`` is by default the first that the listing names, and where the listing does not name it, one of the same name in
    another folder: Triton's cache gives what was compiled before, in another checkout or kernel. Code inlined from another file belongs to the line that called
    it; where the listing does not say which, to the line before.
    """
    found: dict[int, list[str]] = {}
    if file and f'"{file}"' not in listing:
        named = dict.fromkeys(mark["file"] for mark in _LINE.finditer(listing))
        file = next((one for one in named if os.path.basename(one) == os.path.basename(file)), "")
    for line, text in _located(listing, file):
        found.setdefault(line, []).append(re.sub(r"\s+", " ", text))
    return found


def _located(listing: str, file: str) -> Iterator[tuple[int, str]]:
    line = 0
    for row in listing.splitlines():
        mark = _LINE.search(row)
        if mark is None:
            code = _CODE.match(row)
            if code is not None:
                yield line, code["text"]
            continue
        file = file or mark["file"]
        if mark["file"] == file:
            line = int(mark["line"])
        elif mark["outer"] == file:
            line = int(mark["called"])
