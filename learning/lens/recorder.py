"""The observer behind ``trace.recording``: wraps the interpreter's memory and arithmetic operations during a launch.

Every load and store, those of block pointers and tensor descriptors included, goes through ``create_masked_load`` and
``create_masked_store``, with the same leading arguments from Triton 3.6 to 3.9.
"""

from __future__ import annotations

import linecache
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter as triton_interpreter

from learning.lens import regions, trace
from learning.lens.interpreter import bfloat16
from learning.lens.interpreter.execute import Launch, Observer, Program
from learning.lens.interpreter.lanes import lanes_of
from learning.lens.interpreter.patches import Patches
from learning.lens.memory import MANY, Memory, Storage, traffic
from learning.lens.regions import Region

MOST_OTHERS = 4  # different values of masked-off lanes that are kept
MOST_PROBLEMS = 200
Handle = triton_interpreter.TensorHandle


class Recorder(Observer):
    """Records launches onto ``tape``; ``arrange`` reorders programs; ``keep`` lanes of accesses are kept in all; after
    ``seconds`` of a processor's time spent on looking closely, only bounds are watched; without ``counts`` no element's loads
    and stores are counted."""

    def __init__(
        self,
        tape: trace.Tape,
        arrange: Callable[[list[Program]], Iterable[Program]],
        keep: int,
        seconds: float = float("inf"),
        counts: bool = True,
    ):
        self.tape, self.arrange, self.keep, self.counts = tape, arrange, keep, counts
        self.left = seconds
        self.memory = tape._memory = Memory()
        self.builder = triton_interpreter.interpreter_builder

    # -- one launch

    def begin(self, launch: Launch, patches: Patches) -> None:
        constexprs = {name: launch.arguments[name] for name in launch.constexprs if name in launch.arguments}
        self.trace = trace.LaunchTrace(launch.kernel, launch.grid, constexprs, launch.options)
        self.regions: list[Region] = []
        self.storages: dict[int, Storage] = {}
        self.seen: set[tuple] = set()
        self.asked: dict[int, int] = {}  # elements that each program loaded
        self.sums: dict[tuple[str, str], trace.Sum] = {}
        self._gather(launch)
        self._arguments(patches)
        self._memory_operations(patches)
        self._arithmetic(patches)
        self.tape.launches.append(self.trace)

    def order(self, programs: list[Program]) -> Iterable[Program]:
        arranged = list(self.arrange(programs))
        self.trace.programs = len(arranged)
        return arranged

    def uninitialised(self, tensor: Any) -> None:
        self.memory.uninitialised(tensor)

    def end(self, launch: Launch) -> None:
        self.trace.loaded, self.trace.busiest = sum(self.asked.values()), max(self.asked.values(), default=0)
        for region in self.regions:
            # The same tensor under two names has two regions, and the later one keeps its own name in the launch.
            self.trace.tensors[region.name] = traffic(region)
        for region in self.regions:
            region.shared = region.fresh = None
            self.memory.add(region)

    def _gather(self, launch: Launch) -> None:
        """Give every tensor argument a region, in the order in which the interpreter will convert them."""
        found: list[tuple[str, Any]] = []
        for name, value in launch.arguments.items():
            if name not in launch.constexprs:
                found += _tensors(name, value)
        for number, (name, value) in enumerate(found):
            self.regions.append(Region.of(number, name, value, self.counts))
        grains: dict[int, int] = {}
        for region in self.regions:
            start = region.tensor.untyped_storage().data_ptr()
            grains[start] = min(grains.get(start, region.itemsize), region.itemsize)
        for region in self.regions:
            storage = region.tensor.untyped_storage()
            start = storage.data_ptr()
            if start not in self.storages:
                self.storages[start] = Storage(start, storage.nbytes(), grains[start])
            region.shared = self.storages[start]
            region.fresh = self.memory.unwritten_bytes(region.tensor)

    def _arguments(self, patches: Patches) -> None:
        upstream = triton_interpreter._implicit_cvt
        waiting = iter(self.regions)

        def implicit_cvt(value: Any) -> Any:
            converted = upstream(value)
            if hasattr(value, "data_ptr"):
                region = next(waiting)
                converted.handle.data = np.array([region.base], dtype=np.uint64)
            return converted

        patches.set(triton_interpreter, "_implicit_cvt", implicit_cvt)

    # -- memory

    def _memory_operations(self, patches: Patches) -> None:
        builder = triton_interpreter.InterpreterBuilder
        load, store = builder.create_masked_load, builder.create_masked_store
        exchange, compare = builder.create_atomic_rmw, builder.create_atomic_cas

        def create_masked_load(this: Any, ptrs: Any, mask: Any, other: Any, *rest: Any, **named: Any) -> Any:
            real, active = self._access(ptrs, lanes_of(mask), other, store=False)
            return load(this, Handle(real, ptrs.dtype), Handle(active, tl.int1), other, *rest, **named)

        def create_masked_store(this: Any, ptrs: Any, value: Any, mask: Any, *rest: Any, **named: Any) -> Any:
            real, active = self._access(ptrs, lanes_of(mask), None, store=True)
            return store(this, Handle(real, ptrs.dtype), value, Handle(active, tl.int1), *rest, **named)

        def create_atomic_rmw(this: Any, op: Any, ptr: Any, value: Any, mask: Any, *rest: Any) -> Any:
            real, active = self._access(ptr, lanes_of(mask), None, store=True, atomic=True)
            if getattr(op, "name", "") == "FADD":
                self._sum("tl.atomic_add", value, int(np.count_nonzero(active)))
            return exchange(this, op, Handle(real, ptr.dtype), value, Handle(active, tl.int1), *rest)

        def create_atomic_cas(this: Any, ptr: Any, *rest: Any) -> Any:
            everything = np.ones(ptr.data.shape, bool)
            real, active = self._access(ptr, everything, None, store=True, atomic=True)
            if not active.all():  # a compare-and-swap has no mask to switch lanes off with
                raise IndexError(self.tape.problems[-1].sentence())
            return compare(this, Handle(real, ptr.dtype), *rest)

        for function in (create_masked_load, create_masked_store, create_atomic_rmw, create_atomic_cas):
            patches.set(builder, function.__name__, function)

    def _access(
        self, ptrs: Any, mask: np.ndarray, other: Any, *, store: bool, atomic: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """Record one operation; returns (real addresses, lanes that may be touched)."""
        closely, began = not self.tape.hurried, time.thread_time()
        try:
            return self._look(ptrs, mask, other, store, atomic, closely)
        finally:
            self.left -= time.thread_time() - began
            self.tape.hurried = self.left < 0.0

    def _look(
        self, ptrs: Any, mask: np.ndarray, other: Any, store: bool, atomic: bool, closely: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        addresses = ptrs.data
        mask = np.broadcast_to(mask, addresses.shape)
        real, active = addresses.copy(), mask.copy()
        which = regions.numbers(addresses)
        first = int(which.flat[0])
        parts = [(first, None)] if (which == first).all() else [(int(n), which == n) for n in np.unique(which)]
        line = None
        for number, lanes in parts:
            if not 0 <= number < len(self.regions):
                continue  # a pointer the kernel made itself, from an address in memory: left alone
            region = self.regions[number]
            mine = np.ones(addresses.shape, bool) if lanes is None else lanes
            offsets = region.offsets(addresses)
            legal = region.may(offsets)
            wanted = mask & mine
            if closely and self.counts:
                self._count(region, mine, wanted, other, store, atomic)
            wrong = wanted & ~legal
            if closely or wrong.any():
                line = line or _line()
            if wrong.any():
                kind = trace.OUT_OF_BOUNDS_STORE if store else trace.OUT_OF_BOUNDS_LOAD
                self._problem(kind, region, offsets[wrong], line)
            right = wanted & legal
            active &= ~wrong
            if region.real:
                real[mine] = region.real_addresses(addresses[mine])
            if not closely:
                continue
            self._touch(region, offsets[right], real[right], line, store, atomic)
            self._keep(region, addresses.shape, offsets, right, line, store)
        return real, active

    def _count(
        self, region: Region, mine: np.ndarray, wanted: np.ndarray, other: Any, store: bool, atomic: bool
    ) -> None:
        lanes, off = int(np.count_nonzero(mine)), int(np.count_nonzero(mine & ~wanted))
        if store:
            region.store_lanes += lanes
            region.masked_stores += off
        if not store or atomic:
            region.load_lanes += lanes
            region.masked_loads += off
            number = self._number()
            self.asked[number] = self.asked.get(number, 0) + lanes - off
        if other is not None and off and len(region.others) < MOST_OTHERS:
            values = np.broadcast_to(bfloat16.widened(other).data, mine.shape)[mine & ~wanted]
            for value in np.unique(values)[:MOST_OTHERS].tolist():
                if value not in region.others:
                    region.others.append(value)

    def _touch(
        self, region: Region, offsets: np.ndarray, real: np.ndarray, line: tuple, store: bool, atomic: bool
    ) -> None:
        if not offsets.size:
            return
        if self.counts:
            counted, touched = offsets[offsets < len(region.loads)], regions.sectors(real)
            if store:
                regions.count(region.stores, counted)
                region.store_sectors += touched
            if not store or atomic:
                regions.count(region.loads, counted)
                region.load_sectors += touched
        self._initialised(region, offsets, real, line, store, atomic)
        storage = region.shared
        entries = storage.at(real)
        if atomic:
            storage.atomic[entries] = True
            return
        program = self._number()
        if not store:
            clash, by = storage.read(entries, program)
            if clash.any():
                self._problem(trace.RACE, region, offsets[: len(clash)][clash], line, int(by[clash][0]))
            return
        wrote, writers, read, readers = storage.write(entries, program)
        if wrote.any():
            self._problem(trace.DOUBLE_WRITE, region, offsets[: len(wrote)][wrote], line, int(writers[wrote][0]))
        if read.any():
            self._problem(trace.RACE, region, offsets[: len(read)][read], line, int(readers[read][0]))

    def _initialised(
        self, region: Region, offsets: np.ndarray, real: np.ndarray, line: tuple, store: bool, atomic: bool
    ) -> None:
        if region.fresh is None:
            return
        start, written = region.fresh
        first = (real - np.uint64(start)).astype(np.int64)
        if not store or atomic:
            empty = ~written[first]
            if empty.any():
                self._problem(trace.UNINITIALISED, region, offsets[empty], line)
        if store:
            written[(first[:, None] + np.arange(region.itemsize)).ravel()] = True

    def _keep(
        self, region: Region, shape: tuple, offsets: np.ndarray, active: np.ndarray, line: tuple, store: bool
    ) -> None:
        if self.keep <= 0:
            return
        self.keep -= offsets.size
        if self.keep < 0:
            self.tape.truncated = True
            return
        program = tuple(self.builder.grid_idx)
        self.trace.accesses.append(trace.Access(program, region.name, store, shape, offsets, active, line[0]))

    # -- arithmetic

    def _arithmetic(self, patches: Patches) -> None:
        builder, mine = triton_interpreter.InterpreterBuilder, self
        dot = builder.create_dot

        def counted(upstream: Callable) -> Callable:
            def operation(this: Any, *args: Any) -> Any:
                result = upstream(this, *args)
                if result.data.dtype.kind == "f" or bfloat16.is_bfloat16(result):
                    mine.trace.flops += result.data.size
                    if args[-1] is np.add:
                        mine._added(result, args[0], args[1])
                return result

            return operation

        for name in ("binary_op", "unary_op", "create_rsqrt", "create_erf", "create_fabs"):
            patches.set(builder, name, counted(getattr(builder, name)))
        fma = builder.create_fma

        def create_fma(this: Any, *args: Any) -> Any:
            result = fma(this, *args)
            mine.trace.flops += 2 * result.data.size
            mine._added(result, args[2])
            return result

        def create_dot(this: Any, a: Any, b: Any, *rest: Any) -> Any:
            result = dot(this, a, b, *rest)
            flops = 2 * result.data.size * a.data.shape[-1]
            mine.trace.dots += 1
            mine.trace.dot_flops += flops
            mine.trace.flops += flops
            if str(a.dtype.scalar) not in mine.trace.dot_dtypes:
                mine.trace.dot_dtypes.append(str(a.dtype.scalar))
            mine._sum("tl.dot", result, flops // 2)
            # The interpreter and a T4 multiply float32 whole whatever was asked for, so only the request tells.
            if str(a.dtype.scalar) == "fp32" and getattr(rest[1], "name", "") == "TF32":
                mine._sum("tl.dot in TF32", result, flops // 2)
            return result

        patches.set(builder, "create_fma", create_fma)
        patches.set(builder, "create_dot", create_dot)
        for kind, how in ((triton_interpreter.ReduceOps, "tl.sum"), (triton_interpreter.ScanOps, "tl.cumsum")):
            patches.set(kind, "apply_impl", self._combined(kind.apply_impl, how))

    def _combined(self, upstream: Callable, how: str) -> Callable:
        """A reduction or scan with its operations counted; sums alone are noted as such, for a maximum is exact in every
        type and what a combine function of the learner's own adds is seen as it adds."""

        def apply_impl(this: Any, input: Any) -> Any:
            handles = [tensor.handle for tensor in input]
            floats = [h for h in handles if h.data.dtype.kind == "f" or bfloat16.is_bfloat16(h)]
            self.trace.flops += sum(h.data.size for h in floats)
            combine = getattr(this.combine_fn, "fn", this.combine_fn)
            if floats and getattr(combine, "__name__", "") == "_sum_combine":
                self._sum(how, floats[0], floats[0].data.size)
            return upstream(this, input)

        return apply_impl

    def _added(self, result: Any, *terms: Any) -> None:
        """Note an addition, and as a running sum where a term is itself the result of one in the same type."""
        before = max(getattr(term, "added", 0) for term in terms if term.dtype.scalar == result.dtype.scalar)
        result.added = before + 1
        self._sum("+=" if before else "+", result, result.data.size)

    def _sum(self, how: str, handle: Any, lanes: int) -> None:
        """Note ``lanes`` additions whose partial sums have the element type of ``handle``."""
        key = (how, str(handle.dtype.scalar))
        known = self.sums.get(key)
        if known is None:
            known = self.sums[key] = trace.Sum(*key, 0, *_line())
            self.trace.sums.append(known)
        known.lanes += lanes

    # -- words

    def _number(self) -> int:
        x, y, z = self.builder.grid_idx
        nx, ny, _ = self.trace.grid
        return 1 + x + nx * (y + ny * z)

    def _program(self, number: int) -> Program | None:
        if number == MANY:
            return None
        nx, ny, _ = self.trace.grid
        number -= 1
        return number % nx, number // nx % ny, number // (nx * ny)

    def _problem(self, kind: str, region: Region, offsets: np.ndarray, line: tuple, other: int = 0) -> None:
        """Add a problem, once for each kind, argument and source line of a launch."""
        key = (kind, region.name, line)
        if key in self.seen or len(self.tape.problems) >= MOST_PROBLEMS:
            return
        self.seen.add(key)
        self.tape.problems.append(
            trace.Problem(
                kind,
                self.trace.kernel,
                region.name,
                tuple(self.builder.grid_idx),
                int(offsets.size),
                int(offsets.min()),
                int(offsets.max()),
                line[0],
                line[1],
                region.length,
                self._program(other) if other else None,
                line[2],
            )
        )


def _tensors(name: str, value: Any) -> list[tuple[str, Any]]:
    """(name, tensor) of every pointer in one argument: a tensor, a tuple of them, or a tensor descriptor's base."""
    if hasattr(value, "data_ptr"):
        return [(name, value)]
    if isinstance(value, tuple):
        return [pair for i, item in enumerate(value) for pair in _tensors(f"{name}[{i}]", item)]
    if isinstance(value, triton_interpreter.TensorDescriptor):
        return [(name, value.base)]
    return []


def _line() -> tuple[int, str, str]:
    """Number, text and file of the innermost line outside Triton and the lens."""
    frame = sys._getframe(2)
    while frame is not None:
        file = frame.f_code.co_filename.replace("\\", "/")
        if "/triton/" not in file and "/learning/lens/" not in file:
            name = frame.f_code.co_filename
            return frame.f_lineno, linecache.getline(name, frame.f_lineno).strip(), name
        frame = frame.f_back
    return 0, "", ""
