"""A compiler's or a kernel's error in one sentence: what is wrong and on which line of whose code. Standard library only."""

from __future__ import annotations

import ast
import contextlib
import difflib
import re

_cause_of = BaseException.__cause__.__get__  # past any override
_REPR = re.compile(r"^(\w+)\((.*)\)$", re.DOTALL)
_NODES = {
    "Break": "a kernel cannot leave a loop with `break`; loop over a range that ends where it should, or mask the rest",
    "Continue": "a kernel cannot use `continue`; put the rest of the loop's body under an `if` on a scalar, or mask it",
    "Try": "a kernel cannot use `try`",
    "With": "a kernel cannot use `with`",
    "Lambda": "a kernel cannot use `lambda`; write a function of its own under @triton.jit",
    "DictComp": "a kernel cannot hold a dictionary",
    "Dict": "a kernel cannot hold a dictionary",
}


def explain(error: BaseException) -> str | None:
    """One sentence for an error raised by launching or compiling a kernel; None for any other.

    Triton tells a compiler error with up to twelve lines of source and a stack of some thirty frames of its own; the
    innermost cause holds what matters.
    """
    chain = links(error)
    fault = next((link for link in chain if type(link).__name__ == "KernelFault"), None)
    if fault is not None:
        return str(fault)
    found = told(error)
    if found is None:
        return None
    kind, message = found
    if kind != "CompilationError":
        return message
    refused = [link for link in chain if _refuses(link)]
    return f"the compiler refuses the kernel: {message}{_where(refused[-1]) if refused else ''}"


def told(error: BaseException) -> tuple[str, str] | None:
    """(type, message without the place) of what the compiler, the launcher or the card refused; None for other errors."""
    chain = links(error)
    if any(_refuses(link) for link in chain):
        return "CompilationError", _refusal(chain)
    for link in chain:
        name = type(link).__name__
        if name == "OutOfResources":
            return name, (
                f"the kernel needs {link.required} {_UNITS.get(link.name, '')}of {link.name} and this card has "
                f"{link.limit}: use smaller tiles, or fewer stages where the card pipelines"
            )  # fmt: skip
        if name == "PTXASError":
            found = re.search(r"error\s*:\s*(.+)", str(link))
            return name, f"the assembler refuses the kernel: {found.group(1) if found else link}"
        if name == "RuntimeError" and (
            found := re.search(r"Unsupported function referenced: <function (\w+)", str(link))
        ):
            return "CompilationError", f"{_CALLS}; {found.group(1)} is neither"
        if name == "RuntimeError" and str(link).startswith("PassManager::run failed"):
            return "CompilationError", (
                "Triton's passes fail on it, as they do where a card has no instruction for an operation and its dtypes "
                "(an int8 dot on a T4, say)"
            )  # fmt: skip
        if name == "KeyError" and (
            found := re.search(r"Keyword argument (\w+) was specified but unrecognised", str(link))
        ):
            return "UnknownOption", _unknown(found.group(1))
        if name == "TypeError" and str(link).startswith("dynamic_func() "):
            return name, str(link).replace("dynamic_func() missing", "the launch is missing", 1).replace(
                "dynamic_func()", "the launch", 1
            )
    return None


_CALLS = "a kernel can only call functions under @triton.jit and those of tl"
_UNITS = {"shared memory": "bytes "}


def links(error: BaseException) -> list[BaseException]:
    """``error``, its cause, that one's cause and so on: each once, since a chain may close in a circle."""
    chain, seen = [], set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen and len(chain) < 50:
        chain.append(current)
        seen.add(id(current))
        current = _cause_of(current)  # not __context__: a learner who catches an error raises one of their own
    return chain


def _refuses(link: BaseException) -> bool:
    return hasattr(link, "error_message") and hasattr(link, "node")


def _refusal(chain: list[BaseException]) -> str:
    """What the compiler says last, in plain words."""
    last = [link for link in chain if _refuses(link)][-1]
    root = chain[-1]
    message = (last.error_message or "").strip()
    if not message:
        message = str(root).strip() if root is not last else type(last).__name__
    found = _REPR.match(message)
    if found:  # Triton writes the exception it caught as Python shows it
        with contextlib.suppress(ValueError, SyntaxError):
            message = str(ast.literal_eval(found.group(2)))
    node = re.search(r"unsupported AST node type: (\w+)", message)
    if node:
        return _NODES.get(node.group(1), f"a kernel cannot use Python's {node.group(1)}")
    if message.endswith("object has no attribute 'func'") and type(last.node).__name__ == "For":
        return "a kernel loops over range, tl.range or tl.static_range, not over what it holds in a list"
    if message.startswith("Boolean value of Tensor with more than one value"):
        return "a block has one truth value a lane, which no `if` can follow: use tl.where, or a mask"
    if message.startswith("simultaneous multiple comparison") and "&" in _line(last):
        return "`&` binds closer than `<`: put each comparison of a mask in parentheses, (rows < n) & (cols < m)"
    if "Did you forget to add @triton.jit" in message:
        return f"{_CALLS}: use tl.cdiv in a kernel, triton.cdiv outside" if "triton.cdiv" in _line(last) else _CALLS
    known = re.match(r"Cannot access global variable (\w+) from within @jit'ed function", message)
    if known:
        name = known.group(1)
        return (
            f"a kernel cannot read the global {name}, whose value could change; pass it as a tl.constexpr argument, or "
            f"write {name} = tl.constexpr(...)"
        )
    return message


def _unknown(option: str) -> str:
    near = difflib.get_close_matches(option, ("num_warps", "num_stages", "num_ctas", "maxnreg"), n=1, cutoff=0.5)
    return f"the kernel has no parameter called {option!r}, and no launch option has that name" + (
        f"; did you mean {near[0]}?" if near else ""
    )


def _line(error: BaseException) -> str:
    """The source line an error of the compiler names, "" where it names none."""
    lines = (error.src or "").split("\n")
    number = getattr(error.node, "lineno", 0)
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def _where(error: BaseException) -> str:
    number, text = getattr(error.node, "lineno", 0), _line(error)
    name = re.search(r"def\s+(\w+)", error.src or "")
    return f" (line {number} of {name.group(1)}: {text})" if name and text else ""
