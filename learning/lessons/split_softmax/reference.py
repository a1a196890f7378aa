"""What softmax is: eager torch for the dtype, float64 for the truth."""

import torch


def softmax_reference(x):
    """Softmax of each row of ``x`` [rows, columns] by eager torch in ``x``'s own dtype."""
    return torch.softmax(x, dim=1)


def softmax_oracle(x):
    """The definition, slow and exact: exp(x - max) / sum of exp(x - max) by row, the whole row at once, in float64."""
    wide = x.double()
    weights = (wide - wide.amax(dim=1, keepdim=True)).exp()
    return weights / weights.sum(dim=1, keepdim=True)


def agrees(trial, softmax, x, **options):
    """Let ``trial`` judge one call: contract and memory first, then every number. ``options`` are the call's, and parity's."""
    trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle, **options)
