"""Which names mean modules, and what of Triton's may be reached by them."""

from __future__ import annotations

import pytest

from tests.judge.rules_kit import ANSWER, LAUNCH, broken, with_wrapper


def test_what_the_setup_cells_import_is_known():
    given = [("setup", "from learning.lens import device\nfrom learning.judge import check")]
    assert broken(ANSWER.replace("def add(x", "KIND = device.current().torch_device\n\ndef add(x"), given=given) == []
    for line, rule in (("F = device.sys.modules", "system"), ("F = device.importlib", "system"), ("F = check", "imports"),
                       ("F = device._opened", "imports")):  # fmt: skip
        assert [i.id for i in broken(ANSWER.replace("def add(x", line + "\n\ndef add(x"), given=given)] == [rule], line


@pytest.mark.parametrize("path", ["triton.runtime.jit.create_function_from_signature", "triton.runtime.cache.get_cache_manager",
                                  "triton.runtime.driver.set_active", "triton.testing.nvsmi", "triton.compiler.compile",
                                  "triton.tools.disasm.get_sass", "tl.core.wraps", "tl.core.partial",
                                  "tl.semantic.TritonSemantic", "tl.core.builtin"])  # fmt: skip
def test_of_tritons_runtime_only_types_errors_and_the_device_are_named(path):
    assert len(broken(with_wrapper(f"f = {path}\n" + LAUNCH))) == 1
    for fine in ("triton.runtime.driver.active.get_current_target()", "triton.runtime.errors.OutOfResources",
                 "triton.runtime.jit.JITFunction", "triton.testing.do_bench"):  # fmt: skip
        assert broken(with_wrapper(f"f = {fine}\n" + LAUNCH)) == [], fine


def test_a_module_has_one_name_and_a_name_one_module():
    assert broken("lib = tl\nmaths = tl.math\n" + ANSWER) == []
    assert [i.id for i in broken("lib = tl\nlib = tl.math\n" + ANSWER)] == ["modules"]
