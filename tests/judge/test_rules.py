"""House rules: honest answers keep them, each rule is broken by name, line and text."""

from __future__ import annotations

import textwrap

import pytest

from learning.judge import rules
from tests.judge.parity_kit import finding, run, values
from tests.judge.rules_kit import ANSWER, KERNEL, LAUNCH, and_launch, broken, with_wrapper

HONEST = {
    "the plain answer": ANSWER,
    "a cache keyed by shape": with_wrapper(
        """
        key = (x.shape, x.dtype, x.device)
        if key not in CACHE:
            CACHE[key] = triton.cdiv(x.numel(), 1024)
        grid = CACHE.setdefault(key, 1)
        out = torch.empty_like(x)
        add_kernel[(grid,)](x, y, out, x.numel(), BLOCK=1024)
        return out
        """,
        "CACHE = {}\nCACHE.update({})",
    ),
    "autotune": ANSWER.replace(
        "@triton.jit",
        "@triton.autotune(configs=[triton.Config({'BLOCK': b}, num_warps=w) for b in SIZES for w in (4, 8)], key=['n'])\n"
        "@triton.heuristics({'EVEN': lambda args: args['n'] % 1024 == 0})\n@triton.jit",
    ).replace("import torch\n", "import torch\nSIZES = [256, 1024]\n"),
    "try around an import": ANSWER.replace(
        "import torch\n",
        "import torch\ntry:\n    from triton.language.extra import libdevice\nexcept ImportError:\n    libdevice = None\n",
    ),
    "a helper and a device function": with_wrapper(
        "return launch(x, y)",
        """
        def grid(meta):
            return (triton.cdiv(meta["n"], meta["BLOCK"]),)

        def launch(x, y):
            out = torch.empty_like(x)
            add_kernel[grid](x, y, out, x.numel(), BLOCK=1024)
            return out
        """,
    ),
    "checks with messages": with_wrapper(
        and_launch(
            """
        assert x.shape == y.shape, f"shapes {tuple(x.shape)} and {tuple(y.shape)} differ"
        if not isinstance(x, torch.Tensor) or x.dtype not in (torch.float32, torch.float16):
            raise TypeError(f"x has dtype {x.dtype}")
        if x.requires_grad and torch.is_grad_enabled():
            raise ValueError("no backward here")
        require(x=x, y=y, rank=1)
        print("launching", len(x), sum(x.shape), max(x.stride()))
        """
        )
    ),
    "math and constants": with_wrapper(
        "scale = math.sqrt(x.numel()) * -1 + LIMIT\n" + LAUNCH, "import math\nLIMIT = 2 ** 31 - 1"
    ),
    "views and questions": with_wrapper(
        """
        flat = x.view(-1)[: x.numel()].unsqueeze(0).expand(1, x.numel()).squeeze(0).t()
        if x.data_ptr() % 16 or not flat.is_contiguous() or x.element_size() != y.itemsize:
            y = y.contiguous()
        with torch.no_grad():
            out = x.new_empty(x.shape, dtype=torch.float32).to(x.dtype)
        add_kernel[(1,)](x.detach(), y, out, x.numel(), BLOCK=torch.finfo(x.dtype).bits)
        return out
        """
    ),
    "a CUDA graph with static inputs": with_wrapper(
        """
        if x.shape not in GRAPHS:
            static = (torch.empty_like(x), torch.empty_like(y), torch.empty_like(x))
            graph = torch.cuda.CUDAGraph()
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.graph(graph):
                add_kernel[(1,)](*static, x.numel(), BLOCK=1024)
            torch.cuda.current_stream().wait_stream(stream)
            GRAPHS[x.shape] = (graph, static)
        graph, (a, b, out) = GRAPHS[x.shape]
        a.copy_(x)
        b.copy_(y)
        graph.replay()
        return out.clone()
        """,
        "GRAPHS = {}",
    ),
    "a persistent grid": with_wrapper(
        and_launch(
            """
        count = torch.cuda.get_device_properties(x.device).multi_processor_count if x.is_cuda else 1
        """
        )
    ),
    "kernels chosen from a table": with_wrapper(
        """
        out = torch.empty_like(x)
        KERNELS["plain"][(1,)](x, y, out, x.numel(), BLOCK=1024)
        return out
        """,
        "KERNELS = {'plain': add_kernel}",
    ),
    "a kernel passed to a helper": with_wrapper(
        "out = torch.empty_like(x)\nstart(add_kernel, (1,), x, y, out)\nreturn out",
        """
        def start(kernel, grid, *tensors):
            kernel[grid](*tensors, tensors[0].numel(), BLOCK=1024)
        """,
    ),
    "a class of one's own": with_wrapper(
        LAUNCH,
        """
        class Plan:
            def __init__(self, n):
                self.n = n
                self.grid = (triton.cdiv(n, 1024),)

            def __enter__(self):
                return self

        PLAN = Plan(3)
        """,
    ),
    "literal getattr and annotations": with_wrapper(
        "width: int = getattr(x, 'itemsize', 4)\nkind = getattr(torch, 'float32', None)\n" + LAUNCH
    ),
    "an allocator for descriptors": with_wrapper(
        LAUNCH,
        """
        from triton.tools.tensor_descriptor import TensorDescriptor

        def allocate(size, alignment, stream):
            return torch.empty(size, dtype=torch.int8, device="cuda")

        triton.set_allocator(allocate)
        """,
    ),
    "names that other things share": with_wrapper(
        and_launch(
            """
        seen = set()
        seen.add(x.shape)
        names = sorted({"a": 1}.values())
        text = " ".join(["a"]).split()
        device = x.device.type
        """
        )
    ),
    "an input called input": KERNEL + "\ndef add(input, other):\n    out = torch.empty_like(input)\n"
    "    add_kernel[(1,)](input, other, out, input.numel(), BLOCK=1024)\n    return out\n",
}


@pytest.mark.parametrize("story", HONEST)
def test_honest_answers_keep_the_rules(story):
    assert broken(HONEST[story]) == []


def test_scratch_cells_plots_and_prints_are_nobodys_business():
    scratch = """
    import os, sys, time
    import numpy as np
    import matplotlib.pyplot as plt
    x = torch.softmax(torch.randn(8), 0)
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    plt.rcParams["figure.dpi"] = 120
    add_kernel.warmup(torch.float32, grid=(1,))
    print(globals().keys(), x.__class__, eval("1 + 1"))
    def plot(ratio):
        return plt.plot(np.exp(ratio))
    y = add_reference(x, x)
    """
    assert broken(textwrap.dedent(scratch), ANSWER, textwrap.dedent(scratch)) == []


BROKEN = {
    "imports": [
        with_wrapper(LAUNCH, "import numpy"),
        with_wrapper("import functools\n" + LAUNCH),
        with_wrapper(LAUNCH, "from torch.utils import cpp_extension"),
        with_wrapper(LAUNCH, "from . import secrets"),
        with_wrapper(LAUNCH, "import torch.nn.functional as F"),
        with_wrapper(LAUNCH, "from learning.judge import trial"),
        with_wrapper(LAUNCH, "from learning.lessons.vector_add.reference import add_reference"),
        with_wrapper(LAUNCH, "from torch import *"),
        with_wrapper("triton.testing.torch.add(x, y)\n" + LAUNCH),
        with_wrapper("np = triton.runtime.interpreter.np\n" + LAUNCH),
    ],
    "system": [
        with_wrapper(LAUNCH, "import os"),
        with_wrapper(LAUNCH, "import threading as t"),
        with_wrapper("import time\n" + LAUNCH),
        with_wrapper(LAUNCH, "from ctypes import cdll"),
        with_wrapper("torch.os.environ['A'] = '1'\n" + LAUNCH),
        with_wrapper("triton.runtime.jit.inspect\n" + LAUNCH),
        with_wrapper("open('answers').read()\n" + LAUNCH),
    ],
    "dynamic": [
        with_wrapper("exec('1')\n" + LAUNCH),
        with_wrapper("f = eval\n" + LAUNCH),
        with_wrapper(LAUNCH, "class Odd(metaclass=type):\n    pass"),
    ],
    "private": [
        with_wrapper("x.__class__\n" + LAUNCH),
        with_wrapper("add.__code__ = other.__code__\n" + LAUNCH, "def other(x, y):\n    pass"),
        with_wrapper("getattr(x, '__dict__')\n" + LAUNCH),
    ],
    "modules": [
        with_wrapper("torch.allclose = lambda *a: True\n" + LAUNCH),
        with_wrapper(LAUNCH, "torch.Tensor.equal = lambda a, b: True"),
        with_wrapper(LAUNCH, "T = torch.Tensor\nT.equal = lambda a, b: True"),
        with_wrapper("setattr(torch, 'equal', print)\n" + LAUNCH),
        with_wrapper("del torch.equal\n" + LAUNCH),
        with_wrapper("tl.load += 1\n" + LAUNCH),
    ],
    "names": [
        with_wrapper("getattr(torch, 'soft' + 'max')\n" + LAUNCH),
        with_wrapper("setattr(x, name, 1)\n" + LAUNCH),
        with_wrapper("hasattr(x, f'{y}')\n" + LAUNCH),
    ],
    "tensors": [
        with_wrapper(LAUNCH, "class Liar(torch.Tensor):\n    pass"),
        with_wrapper(LAUNCH, "from torch import Tensor\nclass Liar(Tensor):\n    pass"),
        with_wrapper(LAUNCH, "class Watcher(torch.overrides.TorchFunctionMode):\n    pass"),
    ],
    "torch": [
        with_wrapper("return torch.add(x, y)"),
        with_wrapper(LAUNCH.replace("return out", "return x + y")),
        with_wrapper(LAUNCH.replace("return out", "out += y\nreturn out")),
        with_wrapper(LAUNCH.replace("return out", "return -out")),
        with_wrapper(LAUNCH.replace("return out", "return out[:] * 2")),
        with_wrapper("f = torch.add\n" + LAUNCH),
        with_wrapper("from torch import add as plus\n" + LAUNCH),
        with_wrapper("t = torch\nt.softmax(x, -1)\n" + LAUNCH),
        with_wrapper("torch.nn.functional.relu(x)\n" + LAUNCH),
        with_wrapper("tl.add(x, y)\n" + LAUNCH, "tl = torch"),
        with_wrapper("for t in [torch]:\n    t.add(x, y)\n" + LAUNCH),
        with_wrapper("return call(torch, x, y)", "def call(module, a, b):\n    return module.add(a, b)"),
        with_wrapper("return (f := torch.add)(x, y)"),
        with_wrapper(LAUNCH, "class Net(torch.nn.Module):\n    pass\nNET = Net()").replace(
            "return out", "return NET(out)"
        ),
        with_wrapper("torch.ops.aten.add(x, y)\n" + LAUNCH),
        with_wrapper("torch.compile(add)\n" + LAUNCH),
        with_wrapper("torch._C._nn\n" + LAUNCH),
        with_wrapper("x.softmax(-1)\n" + LAUNCH),
        with_wrapper("getattr(x, 'softmax')(-1)\n" + LAUNCH),
        with_wrapper("getattr(torch, 'softmax')(x, -1)\n" + LAUNCH),
        with_wrapper("x.shape and x.sum()\n" + LAUNCH),
        with_wrapper("torch.Tensor.add(x, y)\n" + LAUNCH),
        with_wrapper("x.cpu().tolist()\n" + LAUNCH),
        with_wrapper("return helper(x, y)", "def helper(a, b):\n    return torch.matmul(a, b)"),
        with_wrapper("return TABLE['sum'](x, y)", "TABLE = {'sum': torch.add}"),
        with_wrapper("return TABLE['sum'](x, y)", "TABLE = {}\nTABLE['sum'] = torch.add"),
        with_wrapper("return TABLE['sum'](x, y)", "TABLE = {}\nTABLE.update(sum=torch.add)"),
        with_wrapper("return (lambda a, b: torch.mul(a, b))(x, y)"),
        with_wrapper(LAUNCH, "LIB = torch.library.Library('aten', 'IMPL')\nLIB.impl('add', print)"),
    ],
    "reference": [with_wrapper("return add_reference(x, y)"), with_wrapper("return lesson.add_oracle(x, y)")],
    "kernel": [
        "import torch\ndef add(x, y):\n    return torch.empty_like(x)",
        KERNEL + "def add(x, y):\n    return torch.empty_like(x)",
        with_wrapper("f = add_kernel\nreturn torch.empty_like(x)"),
        with_wrapper(LAUNCH).replace("    tl.store(", "    tl.device_print('x', "),
    ],
}


@pytest.mark.parametrize(("rule", "source"), [(rule, source) for rule, found in BROKEN.items() for source in found])
def test_each_rule_is_broken_by_name(rule, source):
    found = broken(source)
    assert rule in {item.id for item in found}, found
    item = next(item for item in found if item.id == rule)
    assert item.rule == rules._sentence(rule, rules.IMPORTS, ()) and item.got and item.where


def test_a_finding_names_line_and_text_of_the_learners_own_cell():
    (found,) = broken("a = 1\n", with_wrapper("return torch.add(x, y)\n" + LAUNCH))
    line = with_wrapper("return torch.add(x, y)").split("\n").index("    return torch.add(x, y)") + 1
    assert (found.got, found.where) == ("return torch.add(x, y)", f"line {line} of cell cell-1")


def kernel_rule(*sources):
    (found,) = [item for item in broken(*sources) if item.id == "kernel"]
    return found


def test_where_there_is_no_kernel_at_all_the_decorator_is_asked_for():
    for sources in (["def add(x, y):\n    ..."], [KERNEL.replace("@triton.jit\n", "") + "def add(x, y):\n    ..."],
                    ["import torch", with_wrapper(LAUNCH).replace("@triton.jit\n", "")]):  # fmt: skip
        found = kernel_rule(*sources)
        assert (found.got, found.where) == ("no function decorated with @triton.jit", "anywhere in your cells")
        assert "@triton.jit above" in found.advice and "kernel[grid](…)" in found.advice


def test_a_kernel_that_waits_for_its_launch_is_named_and_not_said_to_be_missing():
    found = kernel_rule("a = 1\n", with_wrapper("..."))
    line = KERNEL.split("\n").index("def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):") + 1
    assert (found.got, found.where) == ("add_kernel, which add never launches", f"line {line} of cell cell-1")
    assert found.advice.startswith("add_kernel[grid](…) in add")
    assert kernel_rule(KERNEL, "import torch\ndef add(x, y):\n    return torch.empty_like(x)").where.endswith("cell-0")


def test_of_several_kernels_the_one_beside_the_entry_is_named():
    other = KERNEL.replace("add_kernel", "shown_kernel")
    assert kernel_rule(other, with_wrapper("...")).got == "add_kernel, which add never launches"
    assert kernel_rule(with_wrapper("f = add_kernel")).got == "a kernel that is never launched"


def test_a_magic_does_not_move_the_lines():
    (found,) = broken("%%time\n" + with_wrapper("exec('1')\n" + LAUNCH))
    assert found.where.startswith(f"line {with_wrapper('').count(chr(10)) + 2} ")


def test_the_last_definition_counts_and_an_earlier_one_does_not():
    assert broken(with_wrapper("return torch.add(x, y)"), ANSWER) == []
    assert {item.id for item in broken(ANSWER, with_wrapper("return torch.add(x, y)"))} == {"torch"} | {
        item.id for item in broken(with_wrapper("return torch.add(x, y)"))
    }


def test_every_branch_that_may_define_a_helper_is_read():
    source = with_wrapper(
        "return helper(x, y)",
        "def helper(x, y):\n    return torch.matmul(x, y)\nif True:\n    def helper(x, y):\n        return x",
    )
    assert any("torch.matmul" in item.got for item in broken(source))


def test_scratch_cells_may_not_patch_modules_or_the_answer():
    assert [item.id for item in broken(ANSWER, "torch.equal = print")] == ["modules"]
    assert broken(ANSWER, "add_kernel.fn = torch.add")[0].id == "torch"


def test_a_missing_entry_is_told_and_missing_cells_are_the_judges_fault():
    (found,) = broken("def ad(x):\n    return x", "def add(:")
    assert found.id == "entry" and "cell-0, cell-1" in found.where
    with pytest.raises(ValueError, match="cells"):
        rules.broken([], "add")


@pytest.mark.parametrize("name", ["contiguous", "clone", "copy_"])
def test_a_lesson_refuses_calls_of_its_own(name):
    call = {"contiguous": "x = x.contiguous()", "clone": "y = x.clone()", "copy_": "y.copy_(x)"}[name]
    source = with_wrapper(call + "\n" + LAUNCH)
    assert broken(source) == []
    (found,) = broken(source, forbidden=(name,))
    assert found.id == "lesson" and name in found.rule and found.got == call


@pytest.mark.parametrize("call", ["x.reshape(-1)", "x.to(torch.float32)", "x.float()", "torch.clone(x)", "x.clone()",
                                  "torch.Tensor.contiguous(x)", "getattr(x, 'contiguous')()", "x.flatten()"])  # fmt: skip
def test_where_contiguous_is_refused_its_disguises_are_too(call):
    source = with_wrapper(f"x = {call}\n" + LAUNCH)
    assert {item.id for item in broken(source, forbidden=("contiguous",))} & {"lesson", "torch"}
    assert broken(source.replace(f"x = {call}\n", ""), forbidden=("contiguous",)) == []


def test_dtypes_and_device_types_are_no_casts():
    source = with_wrapper("kind = x.device.type\nsizes = (torch.float, torch.half, torch.bfloat16)\n" + LAUNCH)
    assert broken(source, forbidden=("contiguous",)) == []


def test_graph_users_may_copy_into_static_inputs_where_contiguous_is_refused():
    assert broken(HONEST["a CUDA graph with static inputs"], forbidden=("contiguous",)) == []
    assert broken(HONEST["a CUDA graph with static inputs"], forbidden=("copy_",)) != []


@pytest.mark.parametrize("record", ["torch.empty_like", "Tensor.shape", "Tensor.stride", "Tensor.__getitem__", "Tensor.t",
                                    "torch.zeros", "Tensor.copy_", "Tensor.dtype", "Tensor.numel"])  # fmt: skip
def test_recorded_calls_on_the_list_are_fine(record):
    assert broken(ANSWER, seen=[record]) == []


@pytest.mark.parametrize(
    "record", ["torch.add", "Tensor.add", "Tensor.__eq__", "torch.softmax", "Tensor.tolist", "torch.arange"]
)
def test_recorded_calls_off_the_list_are_told(record):
    (found,) = broken(ANSWER, seen=[record])
    assert found.id == "torch" and record in found.got


@pytest.mark.parametrize("record", ["torch.autograd.grad_mode.__enter__", "torch.functional.split", "aten.copy_"])
def test_how_torch_spells_what_is_allowed_is_allowed(record):
    assert broken(ANSWER, seen=[record]) == []


@pytest.mark.parametrize("record", ["aten.add", "aten.index", "aten.bmm", "torch.functional.einsum"])
def test_computing_operators_are_refused_however_they_were_reached(record):
    assert [i.id for i in broken(ANSWER, seen=[record])] == ["torch"]


def test_the_cpu_lesson_has_math_and_no_kernel_rule():
    right = "import math\nEMPTY = (-math.inf, 0.0)\ndef push(state, x):\n    return (max(state[0], x), math.exp(x))"
    options = {"entry": "push", "imports": ("math",), "kernel": False}
    assert broken(right, **options) == []
    assert [i.id for i in broken(right.replace("import math", "import math, torch"), **options)] == ["imports"]
    assert [i.id for i in broken("from functools import reduce\n" + right, **options)] == ["imports"]


def test_the_printed_rules_come_from_the_table_the_reader_uses():
    assert rules.RULES_TEXT.count("\n- ") == len(rules.RULES) - 2
    assert "`torch`, `triton`, `triton.language`, `math`" in rules.RULES_TEXT
    cpu = rules.rules_text(("math",), kernel=False)
    assert "import nothing but `math`" in cpu and "triton" not in cpu
    assert "contiguous" in rules.rules_text(forbidden=("contiguous",))


def test_trial_house_rules_reads_cells_and_the_recorded_calls():
    cells = [("answer", ANSWER)]
    assert run(lambda trial: trial.house_rules("add"), cells=cells).state == "passed"

    def add(x, y):
        return x + y

    found = finding(lambda trial: trial.house_rules(add, values(4), values(4)), cells=cells)
    assert found.rule == "house rule" and "Tensor.add" in found.got
