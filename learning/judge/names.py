"""The names an answer may not use, wherever they stand. Standard library only."""

# ruff: noqa: SIM905 (word lists read better as words)

from __future__ import annotations

RUN_TIME = frozenset("exec eval compile __import__ globals locals vars breakpoint".split())
FILES = frozenset("open input memoryview license credits copyright help".split())
"""``license`` and its like are objects that open files; ``help`` imports what it is asked about."""
FRAMES = frozenset(
    """f_back f_locals f_globals f_code f_builtins gi_frame gi_code cr_frame cr_code ag_frame tb_frame tb_next
    func_globals func_code co_code co_consts co_names _getframe get_capture_scope used_global_vals obj""".split()
)
"""With what Triton keeps of a kernel's globals, and the module that an ``AttributeError`` carries along."""
PLAIN_DUNDERS = frozenset(
    "__name__ __doc__ __version__ __init__ __enter__ __exit__ __main__ __future__ __all__ __debug__".split()
)
SAYS_NOTHING = frozenset("__all__ __slots__ __version__ __author__ __doc__".split())
"""What a module or a class may be given: nobody reads code or attributes by them."""
TENSOR_HOOKS = frozenset(
    "__torch_function__ __torch_dispatch__ __getattribute__ __getattr__ __del__ __reduce__".split()
)
OF_A_STORAGE = frozenset("data_ptr nbytes size device element_size is_cuda".split())
"""What may be asked of ``x.untyped_storage()``: its bytes are the tensor's values."""
MAKES_CODE = frozenset(
    """rewriter create_function_from_signature FunctionRewriter _compile_and_exec _transform_ast _prepare_source _unsafe_update_src""".split()
)
"""By which Triton's kernels, and its functions, turn text into code."""
MAKES_SUBCLASSES = frozenset("_make_subclass _make_wrapper_subclass".split())


def is_dunder(name: str) -> bool:
    """Whether a name has double underscores on both sides, but for the few that say nothing."""
    return name.startswith("__") and name.endswith("__") and len(name) > 4 and name not in PLAIN_DUNDERS
