"""Functions and classes of others that a submission replaced are named; what torch and Triton do to themselves is not."""

from __future__ import annotations

import builtins
import copy

import pytest

from learning.lens import device

HERE = device.open()
import torch  # noqa: E402 (Triton is imported after the device is opened)
import triton.language as tl  # noqa: E402
from triton.runtime.jit import JITFunction  # noqa: E402

from learning.judge import guard, intact  # noqa: E402


@pytest.mark.parametrize(
    ("owner", "name"),
    [(torch.Tensor, "untyped_storage"), (torch.Tensor, "__repr__"), (torch, "empty_like"), (tl, "load"), (tl.tensor, "to"),
     (JITFunction, "run"), (guard.Watch, "names"), (guard, "tensors_in"), (builtins, "vars"), (torch._ops.OpOverload, "is_view")],
)  # fmt: skip
def test_what_was_replaced_is_named(monkeypatch, owner, name):
    kept = intact.Intact()
    assert kept.changes() == []
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, lambda *args: None, raising=False)
        changed = kept.changes()
    assert changed and all(found.rpartition(".")[2] == name for found in changed)


def test_a_name_taken_away_is_named(monkeypatch):
    kept = intact.Intact()
    monkeypatch.delattr(torch, "add")
    assert "torch.add" in kept.changes()


def test_a_launch_and_late_imports_change_nothing():
    from learning.judge import warmup

    warmup.launch(HERE.torch_device)
    kept = intact.Intact()
    warmup.launch(HERE.torch_device)
    import torch._dynamo  # noqa: F401  (torch imports it late)

    copy.deepcopy(tl.constexpr(3))
    assert kept.changes() == []
