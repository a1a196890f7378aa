"""What an entry holds when it is called: found by walking over objects, however its text hides a name."""

from __future__ import annotations

import types

import pytest

from learning.lens import device

device.open()
import torch  # noqa: E402 (Triton is imported after the device is opened)
import triton.language as tl  # noqa: E402

from learning.judge import holds  # noqa: E402

HEAD = "import math\nimport torch\nimport triton\nimport triton.language as tl\n"


@pytest.fixture
def told(tmp_path):
    """What a cell's ``add`` is told to hold."""

    def run(source: str) -> list[str]:
        path, module = tmp_path / "answer.py", types.ModuleType("submission")
        path.write_text(HEAD + source)
        exec(compile(HEAD + source, str(path), "exec"), module.__dict__)
        return holds.told(module.add, module, {str(path): ("answer", source)})

    return run


HIDDEN = {
    "a class's own name": "class Box:\n    helper = helper\ndef add():\n    return Box.helper",
    "setattr": "class Box: pass\nsetattr(Box, 'plus', helper)\ndef add():\n    return Box.plus",
    "a decorator's table": "BOX = {}\ndef keep(f):\n    BOX[1] = f\nkeep(helper)\ndef add():\n    return BOX[1]",
    "a generator": "def hold():\n    kept = yield\n    while True:\n        yield kept\nG = hold()\nnext(G)\nG.send(helper)\n"
    "def add():\n    return next(G)",
    "a closure": "def make(f):\n    return lambda: f()\nadd = make(helper)",
    "a default": "def add(f=helper):\n    return f",
    "a bound method": "class Box:\n    def run(self):\n        return self.f\nbox = Box()\nbox.f = helper\nadd = box.run",
    "an iterator": "ITEMS = map(helper, [1])\ndef add():\n    return next(ITEMS)",
    "an attribute of the entry": "def add():\n    return add.f\nadd.f = helper",
    "a tensor's attribute": "T = torch.zeros(1)\nT.f = helper\ndef add():\n    return T.f",
    "an attribute of a type of Triton's": "for kind in (tl.float32,):\n    kind.f = helper\ndef add():\n    return tl.float32.f",
    "an attribute of a function of Triton's": "for f in (tl.load,):\n    f.f = helper\ndef add():\n    return tl.load.f",
    "a list of Triton's": "tl.__all__.append(helper)\ndef add():\n    return tl.__all__[-1]",
    "an inner function": "def add():\n    def inner():\n        return helper\n    return inner",
}
NEVER = {
    "an array": ("A = torch.zeros(4).numpy()", "holds numpy.ndarray"),
    "a NumPy scalar's type": ("A = type(torch.zeros(4).numpy()[0])", "holds numpy.float32"),
    "a method of an array": ("A = torch.zeros(4).numpy().dot", "holds numpy.ndarray"),
    "bytes of a tensor": ("A = bytearray(8)", "holds bytearray"),
    "a tensor over Python's bytes": ("A = torch.frombuffer(bytearray(8), dtype=torch.int32)",
                                     "holds a tensor over memory that Python holds as well"),
    "a tensor that NumPy shares": ("A = torch.zeros(4)\nA.numpy()", "holds a tensor over memory that Python holds as well"),
    "another module": ("import os as A", "holds module os"),
    "exec": ("A = [exec]", "holds builtins.exec"),
    "an operator": ("A = torch.ops.aten.add.Tensor", "holds torch._ops.OpOverload"),
    "a module of torch's": ("A = torch.nn.Linear(2, 2)", "holds torch.nn.modules.linear.Linear"),
    "a storage": ("A = torch.zeros(4).untyped_storage()", "holds torch.storage.UntypedStorage"),
    "a function of torch's": ("A = torch.add", "torch.add"),
    "a tensor's method": ("A = torch.zeros(4).add_", "Tensor.add_"),
    "a method of all tensors": ("A = torch.Tensor.add", "Tensor.add"),
    "what starts processes": ("A = torch.multiprocessing.spawn", "holds torch.multiprocessing.spawn.spawn"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def as_it_was():
    """What these tests hang on Triton's own objects is taken off again."""
    listed = list(tl.__all__)
    yield
    tl.__all__[:] = listed
    for holder in (tl.float32, tl.load):
        vars(holder).pop("f", None)


@pytest.mark.parametrize("story", HIDDEN)
def test_a_function_is_found_behind(told, story):
    found = told("def helper():\n    pass\n" + HIDDEN[story])
    assert "runs line 5 answer" in found and not [record for record in found if not record.startswith("runs line ")]


@pytest.mark.parametrize("story", NEVER)
def test_what_no_answer_may_hold_is_named(told, story):
    source, record = NEVER[story]
    assert record in told(source + "\ndef add():\n    return A")


def test_what_the_entry_does_not_use_is_nobodys_business(told):
    source = (
        "A = torch.zeros(4).numpy()\nB = bytearray(9)\nimport os\nF = torch.add\ndef add(x):\n    return x.A.B.os.F"
    )
    assert told(source) == ["runs line 9 answer"]


def test_an_ordinary_answers_objects_pass(told):
    source = """CACHE = {}
TABLE = {"small": (256, 4), "large": (1024, 8)}
@triton.autotune([triton.Config({"BLOCK": 64}, pre_hook=lambda args: None)], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % 64 == 0})
@triton.jit
def kernel(x_ptr, n, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), 1.0)
SIZE = tl.constexpr(64)
SCRATCH = torch.empty(4)
KINDS = [torch.float32, torch.empty_like, torch.device("cpu"), torch.Size((1,)), math.ceil, tl.float32, b"ab"]
class Plan:
    def __init__(self, size):
        self.size = size
PLAN = Plan(3)
def add(x):
    CACHE[x.shape] = PLAN, SCRATCH, SIZE, KINDS, TABLE, triton.cdiv(3, 2), math.pi
    kernel[lambda meta: (1,)](x, 3)
"""
    strange = [r for r in told(source) if not r.startswith("runs line ")]
    assert strange == ["torch.empty_like"]


def test_a_walk_without_end_is_told_of(told):
    assert (
        told("A = [[n] for n in range(30_000)]\ndef add():\n    return A")[-1]
        == "holds more objects than can be looked at"
    )


def test_memory_of_torchs_own_is_no_finding(told):
    assert torch.zeros(3).untyped_storage().resizable()  # what the finding above rests on
    assert told("A = torch.zeros(8)[2:].view(2, 3)\ndef add():\n    return A") == ["runs line 6 answer"]


SET_UP = """
import threading

class Queue:
    def __init__(self):
        self.thread = threading.get_ident()

def current():
    return Queue()

written, numbers = [], threading.local()

def note():
    written.append(threading.get_ident())
    return getattr(numbers, "now", 0)
"""


@pytest.mark.parametrize(
    ("source", "held"),
    [
        ("def add():\n    return current(), note", []),
        ("class Box:\n    owner = current()\nbox = Box()\ndef add():\n    return box", []),
        ("written.append(helper)\ndef add():\n    return note", ["helper"]),
        ("numbers.f = helper\ndef add():\n    return note", ["helper"]),
        ("numbers.f = helper\ndef add():\n    return numbers.f", ["helper"]),
        ("current.f = helper\ndef add():\n    return current", ["helper"]),
        ("Queue.f = helper\ndef add():\n    return current", ["helper"]),
        ("threading = helper\ndef add():\n    return current", ["helper"]),
        ("def add():\n    return threading", ["module threading"]),
    ],
)
def test_what_the_courses_own_functions_use_is_theirs_and_what_is_hidden_among_it_is_seen(tmp_path, source, held):
    """C2's set-up asks which thread it runs in; a learner who calls it holds no module. What he hangs on it is his."""
    set_up, answer, module = tmp_path / "setup.py", tmp_path / "answer.py", types.ModuleType("submission")
    code = compile(SET_UP, str(set_up), "exec")
    exec(code, module.__dict__)
    given = holds.Given([code], dict(vars(module)))
    text = f"def helper():\n    pass\n{source}"
    exec(compile(text, str(answer), "exec"), module.__dict__)
    told = holds.told(module.add, module, {str(answer): ("answer", text)}, given)
    assert [record.removeprefix(holds.HOLDS) for record in told if record.startswith(holds.HOLDS)] == [
        name for name in held if name != "helper"
    ]
    assert (f"{holds.RUNS}1 answer" in told) == ("helper" in held)
