"""Names that an answer may not use, wherever they stand, and those that only look like them."""

# ruff: noqa: SIM905 (word lists read better as words)

from __future__ import annotations

import pytest

from learning.judge import names
from tests.judge.rules_kit import LAUNCH, broken, with_wrapper


def ids(line):
    return [item.id for item in broken(with_wrapper(line + "\n" + LAUNCH))]


@pytest.mark.parametrize("name", "exec eval compile __import__ globals locals vars breakpoint".split())
def test_a_builtin_that_makes_code_or_hands_out_names_is_refused_called_and_as_a_value(name):
    assert ids(f"{name}('1')") == ids(f"f = {name}") == ["dynamic"]


@pytest.mark.parametrize("name", "open input memoryview license credits copyright help".split())
def test_a_builtin_that_opens_files_is_refused(name):
    assert ids(f"{name}('answers')") == ["system"]


@pytest.mark.parametrize("name", """__class__ __dict__ __globals__ __code__ __subclasses__ f_back f_globals tb_frame gi_frame
                                    cr_frame func_globals co_consts get_capture_scope used_global_vals obj""".split())  # fmt: skip
def test_an_attribute_that_leads_out_is_refused_in_each_way_to_read_one(name):
    assert ids(f"x.{name}") == ids(f"getattr(x, {name!r})") == ["private"]
    assert ids(f"match x:\n    case object({name}=found):\n        pass") == ["private"]


@pytest.mark.parametrize("line", ["__builtins__", "math.__loader__", "(lambda: 0).__globals__", "error.tb_frame.f_back",
                                  "add.__code__ = add.__code__"])  # fmt: skip
def test_a_walk_out_is_refused_from_whatever_it_begins_at(line):
    assert set(ids(line)) == {"private"}


def test_a_name_of_pythons_own_is_not_given_anew():
    assert [item.id for item in broken(with_wrapper(LAUNCH, "__name__ = 'triton.mine'"))] == ["private"]
    assert broken(with_wrapper(LAUNCH, "__all__ = ['add']")) == []


@pytest.mark.parametrize("name", "__name__ __doc__ __version__".split())
def test_a_dunder_that_says_nothing_may_be_read(name):
    assert ids(f"print(triton.{name}, add_kernel.{name})") == []


@pytest.mark.parametrize(("hook", "rule"), [("__torch_function__", "tensors"), ("__torch_dispatch__", "tensors"),
                                            ("__getattr__", "private"), ("__del__", "private"), ("__reduce__", "private")])  # fmt: skip
def test_a_hook_is_refused_and_an_ordinary_special_method_is_not(hook, rule):
    before = "class Watcher:\n    def {}(self, *a):\n        return 1"
    assert [item.id for item in broken(with_wrapper(LAUNCH, before.format(hook)))] == [rule]
    assert broken(with_wrapper(LAUNCH, before.format("__enter__"))) == []


def test_a_storage_is_asked_for_its_address_and_not_for_its_bytes():
    assert ids("where = x.untyped_storage().data_ptr() + x.untyped_storage().nbytes()") == []
    for line in ("x.untyped_storage()[0]", "bytes(getattr(x, 'untyped_storage')())", "x.untyped_storage().tolist()"):
        assert set(ids(line)) == {"torch"}, line


@pytest.mark.parametrize("name", "rewriter create_function_from_signature _transform_ast _unsafe_update_src".split())
def test_what_turns_text_into_code_is_refused_on_any_object(name):
    assert ids(f"add_kernel.{name}") == ids(f"getattr(add_kernel, {name!r})") == ["dynamic"]


@pytest.mark.parametrize("name", "_make_subclass _make_wrapper_subclass".split())
def test_what_makes_a_tensors_subclass_is_refused_on_any_object(name):
    assert ids(f"type(x).{name}(x)") == ["tensors"]


@pytest.mark.parametrize(("name", "is_one"), [("__class__", True), ("__name__", False), ("_private", False), ("____", False),
                                              ("__mangled", False), ("__x__", True)])  # fmt: skip
def test_a_dunder_has_two_underscores_on_both_sides_and_something_between(name, is_one):
    assert names.is_dunder(name) is is_one
