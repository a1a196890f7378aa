"""What C3's set-up holds: oracle, eager softmax, and how answers are compared."""

import torch

MOST = 131072
HOLDS = 32768


def eager_softmax(x):
    """Softmax of each row of ``x`` by eager torch in ``x``'s own dtype."""
    return torch.softmax(x, dim=1)


def true_softmax(x):
    """The definition in float64."""
    wide = x.double()
    weights = (wide - wide.amax(dim=1, keepdim=True)).exp()
    return weights / weights.sum(dim=1, keepdim=True)


def agrees(trial, softmax, x, **options):
    """Let ``trial`` judge one call: contract and memory first, then every number."""
    trial.parity(softmax, x, reference=eager_softmax, oracle=true_softmax, **options)


def states(trial, reference, cases):
    """``reference`` gives for each of the tensors ``cases`` what the oracle gives, but for 16 roundings of its dtype."""
    for x in cases:
        called = trial.called(reference, (x,))
        got, truth = reference(x), true_softmax(x)
        trial.expect(
            isinstance(got, torch.Tensor) and (got.shape, got.dtype) == (x.shape, x.dtype),
            called=called, got=got, expected=f"a tensor of shape {tuple(x.shape)} and dtype {x.dtype}",
        )  # fmt: skip
        off = (got.double() - truth).abs()
        bound = 16 * torch.finfo(x.dtype).eps * truth + torch.finfo(x.dtype).tiny
        where = (~(off <= bound)).nonzero()  # NaN is within no bound
        place = tuple(where[0].tolist()) if len(where) else ()
        trial.expect(
            not len(where), called=called, where=f"element {list(place)}",
            got=str(got[place].item()) if place else "", expected=str(truth[place].item()) if place else "",
        )  # fmt: skip


def most_passes(columns):
    """How often a row of so many columns may be asked for."""
    return 2 - min(columns, HOLDS) / columns
