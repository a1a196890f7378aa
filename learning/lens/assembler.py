"""NVIDIA's assembler as Triton's wheel brings it: PTX in, a binary and what the assembler says about it out.

It needs neither GPU nor driver.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile

from learning.lens import ptx


class AssemblerFailed(RuntimeError):
    """The assembler refuses the text or does not answer; the message is its own."""


def assemble(text: str, target: str, *flags: str) -> tuple[bytes, str]:
    """(binary, messages) of ``ptxas -v`` for PTX of ``target`` ("sm_75", "sm_90a"); raises ``AssemblerFailed``."""
    from triton.backends.nvidia.compiler import get_ptxas  # some releases bundle a second one for newer cards

    with tempfile.TemporaryDirectory() as folder:
        source, made = os.path.join(folder, "kernel.ptx"), os.path.join(folder, "kernel.cubin")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        tool = get_ptxas(int(re.sub(r"\D", "", target))).path
        command = [tool, "-v", *flags, f"--gpu-name={target}", source, "-o", made]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode or not os.path.exists(made):
            raise AssemblerFailed((done.stderr or done.stdout).strip()[:400] or f"ptxas ended with {done.returncode}")
        with open(made, "rb") as file:
            return file.read(), done.stderr + done.stdout


def with_lines(text: str, target: str, *, fused: bool = True) -> bytes:
    """The binary of PTX whose inline assembly is attributed to the statement it stands in.

    LLVM numbers the rows of inline assembly on from the statement's line, so that a load would seem to stand some lines
    further down; without those marks the assembler keeps the statement's. ``fused`` as the kernel was compiled. Raises
    ``AssemblerFailed``.
    """
    rows = [row for row, inline in ptx.rows(text) if not (inline and re.match(r"\s*\.loc\s", row))]
    flags = ["-lineinfo"] + ([] if fused else ["--fmad=false"])
    return assemble("\n".join(rows) + "\n", target, *flags)[0]
