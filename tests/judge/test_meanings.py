"""A name that imports give two meanings is read with each; a class body that binds a name also means the one outside."""

from __future__ import annotations

import pytest

from learning.judge import reach
from learning.judge.meanings import aliases
from tests.judge.rules_kit import LAUNCH, broken, with_wrapper

BUILD = 'triton.runtime.build.compile_module_from_src("", "s")\n' + LAUNCH
DECOYS = {
    "a function that nobody calls": "def never():\n    import math as triton",
    "a class": "class Never:\n    import math as triton",
    "an import that fails": "try:\n    import math as triton\nexcept ImportError:\n    pass",
}


@pytest.mark.parametrize("story", DECOYS)
def test_an_import_elsewhere_does_not_change_what_a_module_is(story):
    found = broken(with_wrapper(BUILD).rstrip() + "\n\n" + DECOYS[story] + "\n")
    assert "modules" in [item.id for item in found]


def test_two_meanings_of_an_honest_name_are_both_read():
    source = "try:\n    from triton.language.extra import libdevice\nexcept ImportError:\n    from triton.language.extra.cuda import libdevice\n"
    assert broken(source + with_wrapper(LAUNCH)) == []
    known = aliases(reach.pieces([("answer", source)]))
    assert [one["libdevice"] for one in known] == [
        "triton.language.extra.libdevice",
        "triton.language.extra.cuda.libdevice",
    ]


def test_a_class_that_gives_a_helper_its_own_name_needs_it():
    source = "def helper():\n    return plus\ndef plus():\n    pass\nclass Box:\n    helper = helper\ndef add():\n    return Box.helper()\n"
    reached, _ = reach.reachable(reach.pieces([("answer", source)]), "add", frozenset())
    assert {name for piece in reached for name in piece.binds} == {"helper", "plus", "Box", "add"}


def test_what_the_entry_was_seen_to_hold_is_read_as_its_work():
    source = with_wrapper(LAUNCH) + "\ndef hidden(x):\n    return x.untyped_storage()[0]\n"
    assert broken(source) == []
    line = source[: source.index("def hidden")].count("\n") + 1
    found = broken(source, seen=[f"runs line {line} cell-0"])
    assert [item.id for item in found] == ["torch"]


@pytest.mark.parametrize(
    ("record", "rule"),
    [("holds numpy.ndarray", "imports"), ("holds a tensor over memory that Python holds as well", "torch"),
     ("holds torch._ops.OpOverload", "torch"), ("changed torch.Tensor.numel", "modules")],
)  # fmt: skip
def test_what_a_worker_tells_of_objects_breaks_a_rule(record, rule):
    assert [item.id for item in broken(with_wrapper(LAUNCH), seen=[record])] == [rule]


@pytest.mark.parametrize("line", ['__slots__ = ("block",)', '__doc__ = "adds"', '__version__ = "1"'])
def test_a_class_may_say_what_it_is(line):
    assert broken(with_wrapper(LAUNCH, before=f"class Plan:\n    {line}\n    checked = __debug__")) == []


@pytest.mark.parametrize("line", ['__match_args__ = ("handle",)', '__name__ = "triton.x"', "__builtins__ = {}"])
def test_a_class_may_not_say_by_which_attributes_it_is_taken_apart(line):
    assert [i.id for i in broken(with_wrapper(LAUNCH, before=f"class Plan:\n    {line}"))] == ["private"]
