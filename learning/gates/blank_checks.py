"""The three checks of a blank page, made from its variation: the learner's own reference, parity, house rules.

They are ordinary checks, run by the same engine as a lesson's; the cells of ``blank_notebook.judged`` name them.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from learning.gates import blank_contract
from learning.gates.blank_contract import REFERENCE, Page
from learning.judge import check
from learning.judge.check import Check

OWN_STEPS = 16.0
"""The learner's own reference may be off by so many times what eager torch is: it states the meaning, in any order."""


def the_reference(slug: str, entry: str) -> Check:
    """The learner's ``reference`` says in eager torch what the page asks for: gate 01 of a blank page."""
    page = blank_contract.page(slug, entry)

    def body(reference: Any, trial: Any) -> None:
        with _unheard(trial):
            (getattr(page.module, "reference_agrees", None) or _reference_agrees)(*_given(page, trial), reference)

    story = f"`{REFERENCE}({page.parameters})` gives what ours gives; without a reference there is no kernel."
    return _check("your_reference_says_what_is_asked", story, (REFERENCE,), body)


def parity(slug: str, entry: str) -> Check:
    """The page's entries keep its contract at every size and in every dtype."""
    page = blank_contract.page(slug, entry)

    def body(*given: Any) -> None:
        *entries, trial = given
        (getattr(page.module, "agrees", None) or _agrees)(*_given(page, trial), *entries)

    story = "Every size the page names, ragged ones and nothing at all, in every dtype this device can grade."
    return _check("it_agrees_at_every_size", story, page.names, body)


def house_rules(slug: str, entry: str) -> Check:
    """The printed rules hold from each entry on."""
    page = blank_contract.page(slug, entry)

    def body(*given: Any) -> None:
        *_, trial = given
        for name in page.names:
            trial.house_rules(name)

    return _check("it_keeps_the_house_rules", "The work is done by code of your own.", page.names, body)


def arguments(page: Page, draw: Any, dtype: Any, case: dict) -> tuple:
    """The arguments of one call, drawn from ``draw``, in ``dtype``."""
    return tuple(page.variation.inputs(draw, dtype, **case))


def label(case: dict, dtype: Any) -> str:
    """A case in words: "length 2500, float32"."""
    sizes = ", ".join(f"{name} {value}" for name, value in case.items())
    return f"{sizes}, {str(dtype).removeprefix('torch.')}"


def _agrees(page: Page, trial: Any, entry: Any) -> None:
    first, *others = _dtypes(page)
    tried = [(case, first) for case in page.variation.cases]
    tried += [(page.variation.cases[0], dtype) for dtype in others if trial.gradable(dtype)]
    for turn, (case, dtype) in enumerate(tried):
        trial.case(label(case, dtype))
        trial.parity(
            entry, *arguments(page, trial, dtype, case), reference=page.reference, oracle=page.oracle(dtype),
            scale=page.condition(dtype), exact=page.variation.exact, k=page.variation.k, **_options(page, turn),
        )  # fmt: skip


def _reference_agrees(page: Page, trial: Any, reference: Any) -> None:
    """In the first dtype of the contract, float32 where it has that: shape, dtype and numbers, in any layout."""
    import torch

    from learning.judge import compare

    bounds, dtype = compare.Bounds(k=OWN_STEPS), _dtypes(page)[0]
    truth_of, condition = page.oracle(dtype) or page.reference, page.condition(dtype)
    known = inspect.signature(page.reference).parameters
    for turn, case in enumerate(page.variation.cases):
        trial.case(label(case, dtype))
        args = arguments(page, trial, dtype, case)
        named = {name: value for name, value in _options(page, turn).items() if name in known}
        called = trial.called(reference, args, named)
        got, ours = trial.returns(reference, *args, **named), page.reference(*args, **named)
        wide = tuple(arg.double() if isinstance(arg, torch.Tensor) else arg for arg in args)
        pairs = list(zip(_tensors(got), _tensors(ours), _tensors(truth_of(*wide, **named)), strict=False))
        same = [(tuple(a.shape), a.dtype) for a in _tensors(got)] == [(tuple(a.shape), a.dtype) for a in _tensors(ours)]
        trial.expect(same, called=called, got=_shapes(got), expected=_shapes(ours))
        scales = _tensors(condition(*wide, **named)) if condition is not None else []
        for place, (mine, eager, truth) in enumerate(pairs):
            scale = scales[min(place, len(scales) - 1)] if scales else None
            miss = compare.compare(mine, truth, eager, bounds, scale)
            if miss is not None:
                trial.fail("wrong values", called=called, got=miss.got, expected=miss.expected, where=miss.where)


def _dtypes(page: Page) -> list:
    import torch

    return [getattr(torch, name) for name in page.variation.dtypes]


def _options(page: Page, turn: int) -> dict:
    return page.variation.options[turn % len(page.variation.options)]


def _tensors(value: Any) -> list:
    import torch

    if isinstance(value, torch.Tensor):
        return [value]
    return [one for one in value if isinstance(one, torch.Tensor)] if isinstance(value, (tuple, list)) else []


def _shapes(value: Any) -> str:
    found = [f"{str(one.dtype).removeprefix('torch.')}{list(one.shape)}" for one in _tensors(value)]
    return ", ".join(found) or repr(value)[:80]


def _given(page: Page, trial: Any) -> tuple:
    """What a judging function of a lesson's own is told first: the variation; of ours, the page."""
    own = any(hasattr(page.module, name) for name in ("agrees", "reference_agrees"))
    return (page.variation if own else page, trial)


@contextlib.contextmanager
def _unheard(trial: Any) -> Iterator[None]:
    """What torch a reference calls is not held against the answer."""
    heard, trial.setting.torch_calls = trial.setting.torch_calls, None
    try:
        yield
    finally:
        trial.setting.torch_calls = heard


def _check(name: str, story: str, entries: tuple[str, ...], body: Callable) -> Check:
    def function(*given: Any) -> None:
        body(*given)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    function.__name__, function.__doc__ = name, story
    function.__signature__ = inspect.Signature([inspect.Parameter(one, kind) for one in (*entries, "trial")])
    return check(points=1)(function)
