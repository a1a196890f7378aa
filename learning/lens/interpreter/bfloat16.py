"""Correction: bfloat16.

Triton's interpreter keeps a bf16 value as the 16 bits of its pattern and then adds, multiplies, compares, sums and
multiplies matrices of those patterns as if they were integers; fp32 is truncated, not rounded, on the way down. Wrong in
every version tried (3.2 to 3.9).

Here the bits stay the storage, and every operation widens to fp32, computes, and rounds to nearest even, ties to even.
For ``+ - * /`` this is the correctly rounded bf16 result, because fp32 carries more than 2 * 8 + 2 bits. A sum rounds
after each addition of a binary tree, as a compiled reduction does; a dot accumulates in fp32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton._C.libtriton import ir as triton_ir
from triton.runtime import interpreter as triton_interpreter

from learning.lens.interpreter.patches import Patches

NAME = "bfloat16"
SENTENCE = "bf16 arithmetic is computed in fp32 and rounded to nearest even, where the interpreter adds bit patterns"
Handle = triton_interpreter.TensorHandle


def widen(bits: np.ndarray) -> np.ndarray:
    """fp32 values of bf16 bit patterns (uint16), any shape."""
    return (np.asarray(bits).astype(np.uint32) << np.uint32(16)).view(np.float32)


def narrow(values: np.ndarray) -> np.ndarray:
    """bf16 bit patterns (uint16) of fp32 values, rounded to nearest, ties to even; NaN stays a quiet NaN."""
    wide = np.ascontiguousarray(values, dtype=np.float32).reshape(np.shape(values))
    bits = wide.view(np.uint32)
    rounded = (bits + (((bits >> np.uint32(16)) & np.uint32(1)) + np.uint32(0x7FFF))) >> np.uint32(16)
    quiet = (bits >> np.uint32(16)) | np.uint32(0x40)
    return np.where(np.isnan(wide), quiet, rounded).astype(np.uint16)


def is_bfloat16(handle: Any) -> bool:
    """Whether a handle holds bf16 patterns (a comparison's result keeps the operand's type but holds booleans)."""
    return handle.dtype.scalar == tl.bfloat16 and handle.data.dtype == np.uint16


def widened(handle: Any) -> Any:
    """The handle itself, or for bf16 one that holds the same values in fp32."""
    return Handle(widen(handle.data), tl.float32) if is_bfloat16(handle) else handle


def _result(data: np.ndarray) -> Any:
    return Handle(data, tl.int1) if data.dtype == bool else Handle(narrow(data), tl.bfloat16)


def tree_sum(bits: np.ndarray, axis: int | None, keepdims: bool) -> np.ndarray:
    """Sum bf16 patterns over ``axis`` (None: all), halving and rounding level by level; returns bf16 patterns."""
    rank = bits.ndim
    if axis is None:
        bits, axis = bits.reshape(-1), 0
    axis %= bits.ndim
    values = np.moveaxis(bits, axis, 0)
    while len(values) > 1:
        half, odd = len(values) // 2, values[len(values) // 2 * 2 :]
        values = np.concatenate([narrow(widen(values[:half]) + widen(values[half : 2 * half])), odd])
    total = values[0] if len(values) else np.zeros(values.shape[1:], dtype=np.uint16)
    if not keepdims:
        return total
    return total.reshape((1,) * rank) if bits.ndim != rank else np.expand_dims(total, axis)


def running(bits: np.ndarray, axis: int, step: Callable) -> np.ndarray:
    """Inclusive scan of bf16 patterns along ``axis`` with ``step`` on fp32 values, rounded after every step."""
    values = np.moveaxis(bits, axis, 0)
    rows = [values[0]]
    for row in values[1:]:
        rows.append(narrow(step(widen(rows[-1]), widen(row))))
    return np.moveaxis(np.stack(rows), 0, axis)


def right() -> bool:
    """Whether arithmetic, rounding, constants, dots and sums of bf16 are right in the interpreter in force."""
    builder = triton_interpreter.InterpreterBuilder()

    def held(*values: float) -> Any:
        return Handle(narrow(np.array(values, dtype=np.float32)), tl.bfloat16)

    def holds(handle: Any, *values: float) -> bool:
        return bool(np.array_equal(handle.data, narrow(np.array(values, dtype=np.float32))))

    try:
        a, b = held(1.5, -2.0), held(2.25, 3.0)
        halfway = Handle(np.array([1.00390625, 1.01171875], dtype=np.float32), tl.float32)
        matrix = Handle(a.data.reshape(1, 2), tl.bfloat16)
        zero = Handle(np.zeros((1, 1), dtype=np.float32), tl.float32)
        block = tl.core.tensor(b, tl.block_type(tl.bfloat16, [2]))
        total = triton_interpreter.ReduceOps(0, None, False).sum(block)
        return (
            holds(builder.create_fadd(a, b), 3.75, 1.0)
            and holds(builder.create_fmul(a, b), 3.375, -6.0)
            and bool(builder.create_fcmpOLT(a, b).data.tolist() == [True, True])
            and holds(builder.cast_impl(halfway, tl.bfloat16), 1.0, 1.015625)
            and holds(builder.create_fp_to_fp(halfway, tl.bfloat16, triton_ir.ROUNDING_MODE.RTNE), 1.0, 1.015625)
            and holds(builder.get_bf16(2.0), 2.0)
            and builder.create_dot(matrix, Handle(b.data.reshape(2, 1), tl.bfloat16), zero, None, None).data.item()
            == -2.625
            and holds(total.handle, 5.25)
        )
    except Exception:  # any failure is the answer "not right"; the correction is then applied
        return False


def apply(patches: Patches) -> None:
    """Override the builder's arithmetic, casts and constants, and the reductions, wherever bf16 takes part."""
    _arithmetic(patches)
    _casts(patches)
    _padding(patches)
    _reductions(patches)


def _arithmetic(patches: Patches) -> None:
    builder = triton_interpreter.InterpreterBuilder
    binary, unary, ternary = builder.binary_op, builder.unary_op, builder.ternary_op
    fma, dot, show = builder.create_fma, builder.create_dot, builder.create_print

    def binary_op(self: Any, lhs: Any, rhs: Any, op: Callable) -> Any:
        if is_bfloat16(lhs) or is_bfloat16(rhs):
            return _result(op(widened(lhs).data, widened(rhs).data))
        return binary(self, lhs, rhs, op)

    def unary_op(self: Any, arg: Any, op: Callable) -> Any:
        return _result(op(widen(arg.data))) if is_bfloat16(arg) else unary(self, arg, op)

    def ternary_op(self: Any, lhs: Any, rhs: Any, other: Any, op: Callable) -> Any:
        if op is not np.where and is_bfloat16(other):
            return _result(op(widened(lhs).data, widened(rhs).data, widen(other.data)))
        return ternary(self, lhs, rhs, other, op)

    def create_fma(self: Any, x: Any, y: Any, z: Any) -> Any:
        if is_bfloat16(z):  # the product of two 8-bit significands is exact in fp32
            return _result(widen(x.data) * widen(y.data) + widen(z.data))
        return fma(self, x, y, z)

    def create_dot(self: Any, a: Any, b: Any, *rest: Any) -> Any:
        return dot(self, widened(a), widened(b), *rest)

    def create_print(self: Any, prefix: str, hex: bool, values: list, *rest: Any) -> Any:
        return show(self, prefix, hex, [widened(value) for value in values], *rest)

    def get_bf16(self: Any, value: float) -> Any:
        return Handle(narrow(np.array([value], dtype=np.float32)), tl.bfloat16)

    for function in (binary_op, unary_op, ternary_op, create_fma, create_dot, create_print, get_bf16):
        patches.set(builder, function.__name__, function)


def _casts(patches: Patches) -> None:
    builder = triton_interpreter.InterpreterBuilder
    cast, convert = builder.cast_impl, builder.create_fp_to_fp

    def cast_impl(self: Any, src: Any, dst_type: Any) -> Any:
        target = dst_type.scalar
        if is_bfloat16(src):
            if target == tl.bfloat16:
                return Handle(src.data, target)
            return Handle(widen(src.data).astype(triton_interpreter._get_np_dtype(dst_type)), target)
        if target == tl.bfloat16:
            return Handle(narrow(src.data.astype(np.float32)), target)
        return cast(self, src, dst_type)

    def create_fp_to_fp(self: Any, src: Any, dst_type: Any, rounding_mode: Any) -> Any:
        source, target = src.dtype.scalar, dst_type.scalar
        truncating = rounding_mode == triton_ir.ROUNDING_MODE.RTZ
        wide = (tl.bfloat16, tl.float16, tl.float32, tl.float64)
        if tl.bfloat16 in (source, target) and source in wide and target in wide and not truncating:
            return cast_impl(self, src, dst_type)
        return convert(self, src, dst_type, rounding_mode)

    patches.set(builder, "cast_impl", cast_impl)
    patches.set(builder, "create_fp_to_fp", create_fp_to_fp)


def _padding(patches: Patches) -> None:
    """NaN padding of descriptors and block pointers, which ``np.full(nan, uint16)`` turns into zeros."""
    builder = triton_interpreter.InterpreterBuilder
    load = builder.create_masked_load

    def create_masked_load(self: Any, ptrs: Any, mask: Any, other: Any, *rest: Any, **named: Any) -> Any:
        if getattr(self, "_nan_padding", False) and ptrs.get_element_ty() == tl.bfloat16:
            other = Handle(np.full_like(ptrs.data, 0x7FC0, dtype=np.uint16), tl.bfloat16)
        return load(self, ptrs, mask, other, *rest, **named)

    def padded(upstream: Callable, padding: Callable) -> Callable:
        def create_padded_load(self: Any, source: Any, *rest: Any) -> Any:
            self._nan_padding = padding(source, rest) == triton_ir.PADDING_OPTION.PAD_NAN
            try:
                return upstream(self, source, *rest)
            finally:
                self._nan_padding = False

        return create_padded_load

    patches.set(builder, "create_masked_load", create_masked_load)
    patches.set(
        builder, "create_descriptor_load", padded(builder.create_descriptor_load, lambda desc, rest: desc.padding)
    )
    if hasattr(builder, "create_tensor_pointer_load"):
        patches.set(
            builder,
            "create_tensor_pointer_load",
            padded(builder.create_tensor_pointer_load, lambda pointer, rest: rest[1]),
        )


def _reductions(patches: Patches) -> None:
    reduce, scan = triton_interpreter.ReduceOps, triton_interpreter.ScanOps
    total, extreme, cumsum, cumprod = reduce.sum, reduce.min_max, scan.cumsum, scan.cumprod

    def sum(self: Any, input: Any) -> Any:
        if is_bfloat16(input.handle):
            return self.to_tensor(tree_sum(input.handle.data, self.axis, self.keep_dims), tl.bfloat16)
        return total(self, input)

    def min_max(self: Any, input: Any, val_reduce_op: Callable, idx_reduce_op: Callable | None = None) -> Any:
        value = input[0] if isinstance(input, tuple) else input
        if not is_bfloat16(value.handle):
            return extreme(self, input, val_reduce_op, idx_reduce_op)
        result = extreme(self, self.to_tensor(widen(value.handle.data), tl.float32), val_reduce_op, idx_reduce_op)
        best, *index = result if isinstance(result, tuple) else (result,)
        best = self.to_tensor(narrow(best.handle.data), tl.bfloat16)
        return (best, *index) if index else best

    def cumulative(upstream: Callable, step: Callable) -> Callable:
        def scanned(self: Any, input: Any) -> Any:
            if is_bfloat16(input.handle):
                return [self.to_tensor(running(input.handle.data, self.axis, step), tl.bfloat16)]
            return upstream(self, input)

        return scanned

    patches.set(reduce, "sum", sum)
    patches.set(reduce, "min_max", min_max)
    patches.set(scan, "cumsum", cumulative(cumsum, np.add))
    patches.set(scan, "cumprod", cumulative(cumprod, np.multiply))
