"""Python's scopes as the house rules read them: a builtin behind a local, a local like a builtin, what ``type`` makes."""

from __future__ import annotations

import pytest

from tests.judge.rules_kit import ANSWER, LAUNCH, broken, with_wrapper

BEHIND_A_LOCAL = {
    "another function's local": "def never():\n    exec = 0\nexec('1')",
    "a comprehension's name": "[0 for exec in ()]\nexec('1')",
    "a comprehension's first iterable": "[eval for eval in [eval]]",
    "a global": "global exec\nexec = exec",
    "an inner function's global": "exec = 0\ndef inner():\n    global exec\n    exec('1')",
    "a class body": "exec = 0\nclass Inner:\n    exec('1')\n    exec = 1",
    "a target in brackets": "box = {}\n[exec('1') for box[exec] in (0,)]",
    "a lambda's walrus": "[lambda: (exec := 0) for _ in ()]\nexec('1')",
}
HONEST_LOCALS = {
    "a parameter": "def inner(input, vars=1):\n    return input.shape, vars\ninner(x)",
    "a closure": "input = x\ndef inner():\n    return input.numel()\ninner()",
    "a walrus of a comprehension": "[(vars := n) for n in range(3)]\nprint(vars)",
    "a method's enclosing local": "input = x\nclass Inner:\n    def size(self):\n        return input.numel()",
    "a nonlocal": "vars = 0\ndef inner():\n    nonlocal vars\n    vars = vars + 1\ninner()",
}


@pytest.mark.parametrize("story", BEHIND_A_LOCAL)
def test_a_builtin_is_seen_behind_a_local_that_python_does_not_look_at(story):
    assert [i.id for i in broken(with_wrapper(BEHIND_A_LOCAL[story] + "\n" + LAUNCH))][:1] == ["dynamic"]


@pytest.mark.parametrize("story", HONEST_LOCALS)
def test_a_local_called_like_a_builtin_is_a_local(story):
    assert broken(with_wrapper(HONEST_LOCALS[story] + "\n" + LAUNCH)) == []


@pytest.mark.parametrize(
    "line",
    [
        "make = type",
        "K = type('K', (), {})",
        "K = type(int)",
        "K = type(type(1))",
        "t = [type]",
        "def f(a: (make := type)): pass",
        "class B:\n    def __class_getitem__(cls, kind): return kind\ndef f(a: B[type]): pass",
    ],
)
def test_type_makes_no_classes(line):
    assert {i.id for i in broken(ANSWER + "\n" + line)} == {"dynamic"}


@pytest.mark.parametrize("line", ["k = type(1)", "n = type(1).__name__", "k: type = int", "b = isinstance(1, type)",
                                  "def f(k: type | None = None) -> type[int]: return int", "k: dict[str, tuple[type, ...]] = {}"])  # fmt: skip
def test_type_tells_what_a_thing_is(line):
    assert broken(ANSWER + "\n" + line) == []


@pytest.mark.parametrize("outside", ["def unused(a: exec('1')):\n    pass", "def unused() -> eval('2'):\n    pass",
                                     "later = lambda a=eval('1'): a"])  # fmt: skip
def test_what_is_computed_where_a_function_is_defined_belongs_to_the_scope_around_it(outside):
    assert [i.id for i in broken(with_wrapper(LAUNCH, outside))] == ["dynamic"]


def test_another_functions_local_does_not_hide_torch():
    assert [i.id for i in broken(with_wrapper("def never():\n    torch = 0\ntorch.add(x, y)\n" + LAUNCH))] == ["torch"]
