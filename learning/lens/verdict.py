"""The judge's way of compiling for a virtual card: it asks for the compiler's verdict, not for machine code.

Every kernel goes through Triton's front end, which is where the compiler refuses what the interpreter lets pass. Where a
block could need more shared memory than the card has, or where Triton's passes may refuse (a scan, an int8 dot), these run
as well and the memory is planned, as for any launch. LLVM and the assembler, which follow, decide how fast a kernel is and
not whether it is one; in a worker nobody reads that, and it takes most of the time (benchmarks/results/lens-overhead.json).
One verdict holds for every alignment of the arguments, and whoever asks for more (registers, PTX) has it compiled whole.
"""

from __future__ import annotations

import math
import os
import re
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from triton import knobs
from triton._C.libtriton import ir, nvidia, passes
from triton.backends.nvidia import compiler
from triton.runtime.errors import OutOfResources
from triton.runtime.jit import JITFunction

from learning.lens import virtual

# Operations that plan shared memory of their own, or that some card's passes refuse for some dtypes.
_DEMANDING = re.compile(r"\btt\.(dot_scaled|scan|gather|histogram|sort|map_elementwise)\b")
_DOT = re.compile(r"\btt\.dot [^\n]*?: tensor<((?:\d+x)+)([a-z]+)(\d*)[^\n]*? \* tensor<((?:\d+x)+)([a-z]+)(\d*)")
_TENSOR = re.compile(r"tensor<((?:\d+x)+)(!tt\.ptr|[a-z]+)(\d*)")
_COPIES = 2  # tiles that other operations hold in shared memory at a time; the tests compare with what is planned

# A jitted function's verdicts by what they hold for.
_known: weakref.WeakKeyDictionary[Any, dict[Any, Verdict]] = weakref.WeakKeyDictionary()


def only() -> None:
    """Compile like this from now on, for the life of the process."""
    if not getattr(JITFunction._do_compile, "verdict", False):
        JITFunction._do_compile = _sparing(JITFunction._do_compile)


class Planned(NamedTuple):
    """What a launch reads of a compiled kernel's metadata; ``shared`` bytes a block, 0 where it was not planned."""

    name: str
    num_warps: int
    num_stages: int
    num_ctas: int
    shared: int


class Verdict:
    """A kernel that the compiler accepts; stands where Triton keeps a ``CompiledKernel`` and becomes one where anybody
    asks for what only that has."""

    function = packed_metadata = None

    def __init__(self, source: Any, metadata: Planned, whole: Callable[[], Any]):
        self.src, self.metadata, self.name = source, metadata, metadata.name
        self._whole, self._run = whole, None

    @property
    def run(self) -> Any:
        """The launcher; raises ``OutOfResources`` where a block asks for more shared memory than the card has."""
        if self._run is None:
            limit = virtual.card().shared_block
            if self.metadata.shared > limit:
                raise OutOfResources(self.metadata.shared, limit, "shared memory")
            self._run = virtual.Launcher(self.src, self.metadata)
        return self._run

    def launch_metadata(self, grid: tuple, stream: int, *args: Any) -> Any:
        """What launch hooks are handed, which is the compiled kernel's to say; None where nobody hooked in."""
        hook = knobs.runtime.launch_enter_hook
        if hook is None or not getattr(hook, "calls", True):
            return None
        return self._made().launch_metadata(grid, stream, *args)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "result":  # Triton 3.6 asks at each launch whether it is a promise
            raise AttributeError(name)
        return getattr(self._made(), name)

    def _made(self) -> Any:
        if callable(self._whole):
            self._whole = self._whole()
        return self._whole


def _sparing(compile_whole: Callable) -> Callable:
    """``JITFunction._do_compile`` that stops at the verdict."""

    def do_compile(self: Any, key: Any, signature: dict, device: Any, constexprs: dict, options: Any, attrs: Any,
                   warmup: Any) -> Any:  # fmt: skip
        asked = (key, signature, device, constexprs, options, attrs, warmup)
        if knobs.runtime.jit_cache_hook is not None or knobs.runtime.jit_post_compile_hook is not None:
            return compile_whole(self, *asked)
        known = _known.setdefault(self, {})
        told = tuple(_told(value) for value in constexprs.values())
        holds_for = (device, tuple(signature.values()), str(options), told)
        if holds_for not in known:
            kernels, _, _, backend, _ = self.device_caches[device]
            source = self.ASTSource(self, signature, constexprs, attrs)

            def whole() -> Any:
                made = compile_whole(self, *asked)
                kernels.pop(key, None)  # it is known by its verdict
                return made

            known[holds_for] = Verdict(source, judge(source, backend, options), whole)
        self.device_caches[device][0][key] = known[holds_for]
        return known[holds_for]

    do_compile.verdict = True
    return do_compile


def _told(value: Any) -> Any:
    """A constexpr by which verdicts are told apart: True is not 1, and objects count by identity."""
    return (type(value), value if isinstance(value, (bool, int, float, str, type(None))) else id(value))


def judge(source: Any, backend: Any, options: Any) -> Planned:
    """Compile an ``ASTSource`` as far as a verdict needs; raises what Triton raises where it refuses."""
    context = _context(backend)
    functions, modules = backend.get_codegen_implementation(options), backend.get_module_map()
    module = source.make_ir(backend.target, options, functions, modules, context)
    shared = 0
    if demanding(str(module), virtual.card().shared_block, options.num_stages):
        stages: dict[str, Callable] = {}
        backend.add_stages(stages, options, source.language)
        metadata: dict[str, Any] = dict(options.__dict__)
        module = stages["ttgir"](stages["ttir"](module, metadata), metadata)
        shared = _plan(module, options, backend.target.arch)
    return Planned(source.name, options.num_warps, options.num_stages, options.num_ctas, shared)


_contexts: dict[int, Any] = {}


def _context(backend: Any) -> Any:
    """One MLIR context a process, as loading the dialects takes a fifth of a verdict; a fork never uses its parent's,
    whose threads it lacks."""
    if os.getpid() not in _contexts:
        _contexts[os.getpid()] = context = ir.context()
        ir.load_dialects(context)
        backend.load_dialects(context)
    return _contexts[os.getpid()]


def demanding(text: str, limit: int, stages: int = 1) -> bool:
    """Whether a kernel, as the front end writes it, must be planned to know that its blocks fit ``limit`` bytes."""
    dots = [found.groups() for found in _DOT.finditer(text)]
    integer = any(kind == "i" for dot in dots for kind in (dot[1], dot[4]))
    if _DEMANDING.search(text) or integer or len(dots) != text.count("tt.dot "):
        return True
    operands = sum(_bytes(*dot[:3]) + _bytes(*dot[3:]) for dot in dots)  # kept in shared memory, once a stage
    largest = max((_bytes(*found.groups()) for found in _TENSOR.finditer(text)), default=0)
    staged = "tt.num_stages" in text
    return largest * _COPIES * (stages if staged else 1) > limit or operands * stages + largest > limit


def _bytes(shape: str, kind: str, bits: str) -> int:
    lanes = math.prod(int(size) for size in shape[:-1].split("x"))
    return lanes * (8 if kind == "!tt.ptr" or not bits else max(1, int(re.match(r"\d+", bits)[0]) // 8))


def _plan(module: Any, options: Any, arch: int) -> int:
    """Bytes of shared memory a block needs."""
    manager = ir.pass_manager(module.context)
    passes.convert.add_scf_to_cf(manager)
    passes.gluon.add_inliner(manager)
    version = compiler.get_ptx_version_from_options(options, arch)
    nvidia.passes.ttgpuir.add_allocate_shared_memory_nv(manager, arch, version)
    manager.run(module, "shared memory")
    return module.get_int_attr("ttg.shared")
