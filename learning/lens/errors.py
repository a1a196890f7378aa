"""A compiler's or a kernel's error in one sentence: what is wrong and on which line of whose code."""

from __future__ import annotations

import re


def explain(error: BaseException) -> str | None:
    """One sentence for an error raised by launching or compiling a kernel; None for any other.

    Triton tells a compiler error with up to twelve lines of source and a stack of some thirty frames of its own; the
    innermost cause holds what matters.
    """
    chain, seen = [], set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        chain.append(current)
        seen.add(id(current))
        current = current.__cause__ or current.__context__
    names = [type(link).__name__ for link in chain]
    if "KernelFault" in names:
        return str(chain[names.index("KernelFault")])
    compiler = [link for link in chain if hasattr(link, "error_message") and hasattr(link, "node")]
    if compiler:
        return _compilation(compiler[-1], chain[-1])
    for link in chain:
        if type(link).__name__ == "OutOfResources":
            return (
                f"the kernel needs {link.required} of {link.name} and this card has {link.limit}: use smaller tiles, or "
                "fewer stages where the card pipelines"
            )
        if type(link).__name__ == "PTXASError":
            found = re.search(r"error\s*:\s*(.+)", str(link))
            return f"the assembler refuses the kernel: {found.group(1) if found else link}"
    return None


def _compilation(error: BaseException, root: BaseException) -> str:
    message = error.error_message or (f"{type(root).__name__}: {root}" if root is not error else type(error).__name__)
    lines = (error.src or "").split("\n")
    number = getattr(error.node, "lineno", 0)
    text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    name = re.search(r"def\s+(\w+)", error.src or "")
    where = f" (line {number} of {name.group(1)}: {text})" if name and text else ""
    return f"the compiler refuses the kernel: {message.strip()}{where}"
