"""``require``: one sentence for each way an argument can break the contract, and never a look at a value."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time

import pytest
import torch

from learning.contract import FLOATS, HALVES, require
from learning.lens import device


@pytest.fixture(autouse=True, scope="module")
def opened():
    """The device kernels run on here; ``require`` asks Triton's mode."""
    return device.open()


@pytest.fixture
def here(opened):
    """``here(*shape, dtype=…)``: a tensor on the device in use."""
    return lambda *shape, dtype=torch.float32: torch.zeros(shape, dtype=dtype, device=opened.torch_device)


def test_what_the_contract_allows_passes_and_returns_nothing(here):
    x = here(4, 5)
    assert require(x=x, y=here(4, 5), rank=2, dtypes=FLOATS, contiguous=True, same_shape=True) is None
    require(x=here(0), rank=1)
    require(x=x.t(), w=here(5), rank=(1, 2))
    require(x=x, shape=(None, 5), columns=(1, 8192))
    require(x=here(3, dtype=torch.int64), dtypes=None)
    require(x=here(3, dtype=torch.float16), dtypes=HALVES)
    require(x=here(3, dtype=torch.float16), dtypes=(torch.float16,))
    require(x=x, y=here(4, 5, dtype=torch.float16), same_dtype=False)
    require(x=x, y=here(4, 5), same=("shape", "dtype", "device"))
    require(x=x, output=(2**15, 2**15))
    require(a=x, b=here(5, 3), axes={"a": "M K", "b": "K N"}, output="M N", contiguous=True)
    require(a=here(0, 5), b=here(5, 0), axes={"a": "M K", "b": "K N"}, output="M N")


BAD = {
    "no tensor": (lambda h: {"x": [1.0]}, TypeError, "x must be a torch.Tensor, not list"),
    "none": (lambda h: {"x": h(3), "y": None}, TypeError, "y must be a torch.Tensor, not NoneType"),
    "another device": (
        lambda h: {"x": torch.empty(3, device="meta")},
        ValueError,
        "x must be on .* not on device meta",
    ),
    "double": (
        lambda h: {"x": h(3, dtype=torch.float64)},
        TypeError,
        "x has dtype float64.*float32, float16, bfloat16",
    ),
    "two dtypes": (
        lambda h: {"x": h(3), "y": h(3, dtype=torch.float16)},
        TypeError,
        "y must have the dtype of x, float32",
    ),
    "rank": (lambda h: {"x": h(3, 3), "rank": 1}, ValueError, r"x must have rank 1, not rank 2.*\[3, 3\]"),
    "ranks": (lambda h: {"x": h(3), "rank": (2, 3)}, ValueError, "rank 2 or 3"),
    "shape": (lambda h: {"x": h(3, 4), "shape": (None, 5)}, ValueError, r"x must have shape \[any, 5\], not \[3, 4\]"),
    "two shapes": (
        lambda h: {"x": h(3), "y": h(4), "same_shape": True},
        ValueError,
        r"y must have the shape of x, \[3\]",
    ),
    "same shape by word": (lambda h: {"x": h(3), "y": h(4), "same": ("shape",)}, ValueError, "y must have the shape"),
    "columns": (
        lambda h: {"x": h(1, 8193), "columns": (1, 8192)},
        ValueError,
        "x has 8193 columns; the limit is 1 to 8192",
    ),
    "no columns": (lambda h: {"x": h(2, 0), "columns": (1, 8192)}, ValueError, "x has 0 columns"),
    "strided": (
        lambda h: {"x": h(3, 4).t(), "contiguous": True},
        ValueError,
        r"x must be contiguous; its strides are \(1, 4\)",
    ),
    "gradient": (lambda h: {"x": h(3).requires_grad_()}, ValueError, "x requires a gradient"),
    "far offset": (
        lambda h: {"x": h(1).as_strided((2, 1), (0, 0)).expand(2, 2**31)},
        ValueError,
        "x has 4294967296 elements",
    ),
    "sparse": (lambda h: {"x": h(3, 3).to_sparse()}, ValueError, "strided"),
    "output": (
        lambda h: {"x": h(3), "output": (2**16, 2**15)},
        ValueError,
        "2147483648 elements, and the limit is 2.*31",
    ),
    "nothing": (lambda h: {}, TypeError, "no tensor"),
    "unknown word": (lambda h: {"x": h(1), "same": ("size",)}, TypeError, "size"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_broken_contract_names_the_argument_and_the_limit(case, here):
    arguments, error, message = BAD[case]
    with pytest.raises(error, match=message):
        require(**arguments(here))


def test_a_gradient_is_fine_outside_autograd(here):
    x = here(3).requires_grad_()
    with torch.no_grad():
        require(x=x)
    require(x=x.detach())


def test_the_32_bit_limit_is_tried_on_memory_nobody_touches(opened):
    started = time.perf_counter()
    long = torch.empty(2**31 + 8, dtype=torch.float16, device=opened.torch_device)
    with pytest.raises(ValueError, match="x reaches element offset 2147483655"):
        require(x=long)
    with pytest.raises(ValueError, match=r"element offset 2147483648, and the limit is 2\*\*31 - 1"):
        require(x=long[:: 2**31])
    require(x=long[: 2**31 - 1])
    with pytest.raises(ValueError, match="elements, and the limit"):
        require(x=long[:1].expand(2**31))
    require(x=long[:1].expand(2**31 - 1))
    assert time.perf_counter() - started < 5


def test_values_are_never_looked_at(opened):
    class Watch(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            used.add(getattr(function, "__name__", ""))
            return function(*args, **(kwargs or {}))

    used = set()
    x = torch.zeros(4, 4, device=opened.torch_device)
    with Watch():
        require(x=x, y=x, rank=2, contiguous=True, same_shape=True)
    assert used <= {"__get__", "stride", "is_contiguous", "is_grad_enabled", "__eq__"}, used


def test_before_triton_is_imported_the_environment_decides(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import sys
            assert "torch" not in sys.modules
            from learning.contract import require
            assert "torch" not in sys.modules, "the contract is torch-lazy"
            import torch
            require(x=torch.zeros(3))
            print("fine")
            """
        )
    )
    environment = {"TRITON_INTERPRET": "1", "PYTHONPATH": ":".join(p for p in sys.path if p), "PATH": ""}
    done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout == "fine\n", done.stderr


def test_a_norm_asks_for_a_vector_of_one_weight_a_column_and_a_positive_eps(here):
    x = here(4, 5)
    require(x=x, residual=here(4, 5), weight=here(5), rank=2, columns=(1, 8192), same_shape=True, contiguous=True,
            vectors=("weight",), positive={"eps": 1e-6})  # fmt: skip
    require(x=here(0, 5), weight=here(5), rank=2, vectors=("weight",), positive={"eps": 1})


@pytest.mark.parametrize(
    ("weight", "eps", "error", "message"),
    [
        ((4,), 1e-6, ValueError, r"weight must have shape \[5\], one element a column of x, not \[4\]"),
        ((1, 5), 1e-6, ValueError, r"weight must have shape \[5\]"),
        ((), 1e-6, ValueError, r"weight must have shape \[5\]"),
        ((5,), 0.0, ValueError, "eps must be finite and above 0, not 0.0"),
        ((5,), -1e-6, ValueError, "eps must be finite and above 0"),
        ((5,), float("inf"), ValueError, "eps must be finite"),
        ((5,), float("nan"), ValueError, "eps must be finite"),
        ((5,), True, TypeError, "eps must be a Python float, not bool"),
        ((5,), "1e-6", TypeError, "eps must be a Python float, not str"),
    ],
)
def test_what_a_norm_refuses_is_named(here, weight, eps, error, message):
    with pytest.raises(error, match=message):
        require(x=here(4, 5), weight=here(*weight), rank=2, vectors=("weight",), positive={"eps": eps})


def test_a_vector_that_nobody_passed_is_the_authors_mistake(here):
    with pytest.raises(TypeError, match="names bias"):
        require(x=here(4, 5), vectors=("bias",))


@pytest.mark.parametrize(
    ("a", "b", "output", "message"),
    [
        ((4, 5), (4, 3), None, r"b must have shape \[K, N\] with K = 5, as a has it, not \[4, 3\]"),
        ((4, 5), (5,), None, r"b must have rank 2, \[K, N\], not rank 1 \(its shape is \[5\]\)"),
        ((5,), (5, 3), None, r"a must have rank 2, \[M, K\]"),
        ((2**16, 0), (0, 2**15), "M N", r"the output would have 2147483648 elements, and the limit is 2\*\*31 - 1"),
    ],
)
def test_a_product_asks_that_named_axes_agree_and_that_its_result_can_be_addressed(here, a, b, output, message):
    with pytest.raises(ValueError, match=message):
        require(a=here(*a), b=here(*b), axes={"a": "M K", "b": "K N"}, output=output)


def test_only_the_tensors_named_contiguous_must_be(here):
    x, w = here(5, 4).t(), here(3, 5)
    require(x=x, w=w, axes={"x": "M H", "w": "I H"}, contiguous=("w",))
    with pytest.raises(ValueError, match="w must be contiguous"):
        require(x=x, w=here(5, 3).t(), contiguous=("w",))
    with pytest.raises(TypeError, match="names v, which was not passed"):
        require(x=x, contiguous=("v",))


def test_axes_of_a_tensor_that_nobody_passed_are_the_authors_mistake(here):
    with pytest.raises(TypeError, match="names b, which was not passed"):
        require(a=here(4, 5), axes={"a": "M K", "b": "K N"})


@pytest.mark.parametrize(
    ("q", "k", "v", "length", "window", "error", "message"),
    [
        ((6, 2, 16), (3, 9, 16), (2, 9, 16), 5, 4, ValueError, "v_cache must have shape .* with Hkv = 3"),
        (
            (6, 2, 16),
            (4, 9, 16),
            (4, 9, 16),
            5,
            4,
            ValueError,
            "q has Hq = 6, which must be a multiple of Hkv = 4, as k_cache",
        ),
        ((6, 2, 16), (0, 9, 16), (0, 9, 16), 5, 4, ValueError, "a multiple of Hkv = 0"),
        ((6, 2, 24), (3, 9, 24), (3, 9, 24), 5, 4, ValueError, "q has D = 24; the limit is one of 16, 32"),
        ((6, 2, 16), (3, 9, 16), (3, 9, 16), 10, 4, ValueError, "length is 10; the limit is T = 2 to Tmax = 9"),
        ((6, 2, 16), (3, 9, 16), (3, 9, 16), 1, 4, ValueError, "length is 1; the limit is T = 2 to Tmax = 9"),
        ((6, 2, 16), (3, 9, 16), (3, 9, 16), 5, 0, ValueError, "window is 0; the limit is at least 1"),
        ((6, 2, 16), (3, 9, 16), (3, 9, 16), 5.0, 4, TypeError, "length must be a Python int, not float"),
        ((6, 2, 16), (3, 9, 16), (3, 9, 16), 5, True, TypeError, "window must be a Python int, not bool"),
    ],
)
def test_attention_over_a_cache_says_which_size_does_not_fit(here, q, k, v, length, window, error, message):
    with pytest.raises(error, match=message):
        attended(here(*q), here(*k), here(*v), length, window)


def test_a_cache_may_have_any_strides_but_its_last(here):
    cache = here(3, 20, 32)
    attended(here(6, 2, 16), cache[:, 3:12, :16], here(9, 3, 16).transpose(0, 1), 9, 10**12)
    with pytest.raises(ValueError, match="k_cache must have a last stride of 1; its strides are"):
        attended(here(6, 2, 16), cache[:, :9, ::2], here(3, 9, 16), 9, 4)


def attended(q, k_cache, v_cache, length, window):
    require(
        q=q, k_cache=k_cache, v_cache=v_cache, axes={"q": "Hq T D", "k_cache": "Hkv Tmax D", "v_cache": "Hkv Tmax D"},
        sizes={"D": (16, 32)}, multiples={"Hq": "Hkv"}, packed_rows=("q", "k_cache", "v_cache"),
        whole={"length": (length, "T", "Tmax"), "window": (window, 1, None)}, output="Hq T D",
    )  # fmt: skip
