"""Which of torch a wrapper may use: allocation, views, questions about metadata, copies, and CUDA's graphs and streams.

One table for the syntax tree and for the calls recorded at run time. Standard library only.
"""

# ruff: noqa: SIM905 (word lists read better as words)

from __future__ import annotations

ALLOCATE = frozenset(
    """empty zeros ones full empty_like zeros_like ones_like full_like new_empty new_zeros new_ones new_full
    empty_strided new_empty_strided zero_ fill_ record_stream""".split()
)
VIEW = frozenset(
    """view view_as reshape flatten ravel unflatten as_strided t transpose permute movedim moveaxis swapaxes swapdims
    squeeze unsqueeze expand expand_as broadcast_to narrow select unbind split chunk tensor_split unfold diagonal T H mT
    mH detach __getitem__ squeeze_ unsqueeze_ atleast_2d""".split()
)
ASK = frozenset(
    """shape stride size numel nelement ndim dim ndimension dtype device layout is_contiguous is_cuda is_floating_point
    is_complex is_tensor element_size itemsize nbytes storage_offset data_ptr untyped_storage requires_grad is_leaf
    get_device is_grad_enabled grad_fn is_cpu is_meta is_sparse is_inference is_conj is_neg finfo iinfo
    broadcast_shapes result_type promote_types can_cast has_names names is_quantized is_nested grad dim_order
    device dtype Size memory_format __len__ __repr__ __str__ __format__ __hash__""".split()
)
CAST = frozenset("to float half bfloat16 type type_as cuda".split())
COPY = frozenset("contiguous clone copy_ __setitem__".split())
MODE = frozenset("no_grad inference_mode enable_grad set_grad_enabled".split())
VALUES = frozenset(
    """Tensor float32 float16 bfloat16 float64 float half double int8 int16 int32 int64 uint8 bool int long short
    uint16 uint32 uint64 float8_e4m3fn float8_e5m2 strided contiguous_format preserve_format inf nan pi e version
    __version__ layout""".split()
)
CUDA = frozenset(
    """cuda cuda.CUDAGraph cuda.graph cuda.graph_pool_handle cuda.Stream cuda.ExternalStream cuda.Event cuda.stream
    cuda.current_stream cuda.default_stream cuda.set_stream cuda.synchronize cuda.device cuda.device_of
    cuda.current_device cuda.set_device cuda.device_count cuda.is_available cuda.get_device_properties
    cuda.get_device_capability cuda.get_device_name cuda.is_current_stream_capturing cuda.graphs cuda.streams
    cuda.graphs.CUDAGraph cuda.graphs.graph cuda.streams.Stream cuda.streams.Event cuda.is_initialized""".split()
)

METHODS = ALLOCATE | VIEW | ASK | CAST | COPY
"""Names that may follow a tensor's dot, and that the run-time record may hold after ``Tensor.`` or ``torch.``."""

TEXT = frozenset("__repr__ __str__ __format__".split())
"""By which values become text."""

LAUNCH = METHODS - TEXT | frozenset("cpu numpy set_ is_pinned pin_memory __get__ data tensor".split())
"""What Triton itself may be seen to call on the way to a launch."""

MOVES = frozenset(
    """empty empty_like empty_strided empty_permuted new_empty new_empty_strided zeros zeros_like ones ones_like full
    full_like new_zeros new_ones new_full scalar_tensor zero_ fill_ copy_ _to_copy clone contiguous _reshape_alias
    _reshape_copy detach detach_ set_ resize_ lift lift_fresh alias _unsafe_view is_pinned _pin_memory pin_memory
    record_stream is_same_size""".split()
)
"""Operators of torch's dispatcher that hold, move or cast values, besides its views: any other one computes."""

FUNCTIONS = METHODS | MODE | VALUES | CUDA
"""Names that may follow ``torch.``, dotted."""

COPYING = frozenset("contiguous reshape flatten ravel".split()) | CAST
"""Also refused where a lesson refuses ``contiguous``: each may hand back a copy of a strided tensor."""

GRAPH_COPIES = frozenset("clone copy_ __setitem__".split())
"""Refused with them too, unless the answer replays a CUDA graph, whose static inputs must be filled by copies."""

COMPUTES = frozenset(
    """softmax log_softmax matmul mm bmm mv dot addmm addmv addbmm baddbmm einsum tensordot outer inner linear conv1d
    conv2d exp exp2 exp_ expm1 log log2 log10 log1p logsumexp logcumsumexp sigmoid sigmoid_ silu relu relu_ gelu tanh
    sqrt rsqrt rsqrt_ sqrt_ square reciprocal mean var std norm amax amin aminmax argmax argmin cumsum cumprod
    masked_fill masked_fill_ index_select index_copy_ index_add_ index_put_ gather scatter scatter_ scatter_add_ topk
    sub sub_ mul mul_ div div_ add_ addcmul addcdiv lerp clamp clamp_ clip where nonzero item tolist numpy cpu
    backward sum_to_size repeat repeat_interleave tile roll flip rot90 tril triu maximum minimum fmax fmin sub_
    true_divide floor_divide remainder fmod neg abs_ sign cat stack hstack vstack isnan isinf isfinite allclose equal
    any all eq ne lt le gt ge normal_ uniform_ random_ map_ apply_ set_ resize_ resize_as_ as_subclass share_memory_
    register_hook requires_grad_ detach_ layer_norm rms_norm batch_norm scaled_dot_product_attention""".split()
)
"""Methods that only a tensor has, or whose use on one computes: refused whatever stands before the dot. Shorter
names that sets, lists and dicts share with tensors (``add``, ``sum``, ``max``, ``sort``, ``pow``, ``abs``) count only
where the object is known to be a tensor."""

SHARED = frozenset("add sum max min sort pow abs prod round values index_fill median mode unique count_nonzero".split())

TENSOR_MARKS = frozenset(
    """shape stride numel ndim dtype device is_contiguous is_cuda data_ptr element_size storage_offset requires_grad
    new_empty new_zeros untyped_storage is_floating_point""".split()
)
"""An object asked for one of these is a tensor as far as reading can tell."""


RUNS, HOLDS = "runs line ", "holds "
"""Begin what ``holds`` records beside the names of calls: the line and the cell of a learner's function, and what no answer may
hold."""
CHANGED = "changed "
"""Begins what ``intact`` records: a function or a class of somebody else's that is another one now."""

SUBCLASS = "torch.Tensor_subclass"
"""Stands in the record where a tensor subclass was at work: its hooks run where the watches have stepped aside, so what
they do is not seen."""


def refused(name: str, forbidden: frozenset[str]) -> bool:
    """Whether the dotted ``name`` (after ``torch.`` or ``Tensor.``) is outside the list or in ``forbidden``."""
    if name in VALUES:  # torch.float is a dtype, whatever a lesson says of x.float()
        return False
    last = name.rpartition(".")[2]
    if name in forbidden or (last in forbidden and name.startswith("Tensor.")):
        return True
    return not any(prefix in FUNCTIONS for prefix in _prefixes(name))


def refused_at_run_time(record: str, forbidden: frozenset[str]) -> bool:
    """The same for a recorded call such as ``torch.empty_like`` or ``Tensor.contiguous``."""
    owner, _, name = record.partition(".")
    if name in forbidden:
        return True
    if owner == "aten":
        return name not in MOVES
    if name.startswith("autograd.grad_mode."):  # what `with torch.no_grad():` enters and leaves
        return False
    name = name.removeprefix("functional.")  # torch.split and its like are written in Python there
    if owner == "Tensor":
        return name not in METHODS
    return refused(name, forbidden)


def widened(forbidden: tuple[str, ...], graphs: bool) -> frozenset[str]:
    """The names a lesson forbids, with those that would do the same by another name."""
    names = set(forbidden)
    if "contiguous" in names:
        names |= COPYING
        if not graphs:
            names |= GRAPH_COPIES
    if "copy_" in names:
        names.add("__setitem__")
    return frozenset(names)


def _prefixes(name: str) -> list[str]:
    """``cuda.Event`` itself, and for constants what hangs on them: ``float32.itemsize`` is decided by ``float32``."""
    parts = name.split(".")
    found = [name]
    if parts[0] in VALUES and parts[0] not in ("Tensor",):
        found.append(parts[0])
    if len(parts) == 2 and parts[0] == "Tensor" and parts[1] in METHODS:
        found.append(parts[1])
    return found
