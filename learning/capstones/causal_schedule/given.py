"""What C1's set-up holds: attention in eager torch, what rounding errors scale with, inputs, and the count of visits."""

import torch

MOST_TOKENS = 16384
ROWS = 1024


def eager_attention(q, k, v, *, rounded=True):
    """Causal attention of q, k, v [N, D], 1024 queries at a time: scores and sums in float32 (float64 for float64), P rounded to the dtype
    before it meets v, one rounding at the end."""
    return torch.cat([part[0].to(q.dtype) for part in _parts(q, k, v, rounded)] or [torch.empty_like(q)])


def condition_in(dtype):
    """What the rounding errors of one element scale with, for inputs given in ``dtype``: as lesson A3 has it.

    Σ P·|v| for the sums, times 1 + the largest Σ|q·k|/√D, since an error of a score is an error of its weight; P is rounded, each weight on its own, which adds
    up like a walk, with √(Σ P²·v²).
    """
    walk = 1.5 * torch.finfo(dtype).eps / (16 * torch.finfo(torch.float32).eps)

    def condition(q, k, v):
        parts = _parts(q, k, v, False)
        sizes = [(weights @ v.abs()) * (1 + largest) for _, weights, largest in parts]
        walks = [(weights.square() @ v.square()).sqrt() for _, weights, _ in parts]
        return torch.cat(sizes) + walk * torch.cat(walks) if parts else torch.empty_like(q)

    return condition


def _parts(q, k, v, rounded):
    """(mixture, weights, largest Σ|q·k|/√D over what is seen) of every 1024 queries."""
    wide, found = torch.promote_types(q.dtype, torch.float32), []
    keys, place = k.to(wide), torch.arange(len(k), device=q.device)
    for start in range(0, len(q), ROWS):
        query = q[start : start + ROWS].to(wide)
        hidden = place[None, :] > start + torch.arange(len(query), device=q.device)[:, None]
        scores = (query @ keys.t() * q.shape[1] ** -0.5).masked_fill(hidden, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        size = (query.abs() @ keys.abs().t() * q.shape[1] ** -0.5).masked_fill(hidden, 0.0)
        mixed = (weights.to(q.dtype).to(wide) if rounded else weights) @ v.to(wide)
        found.append((mixed, weights, size.amax(-1, keepdim=True)))
    return found


def agrees(trial, attention, q, k, v, **options):
    """Let ``trial`` judge one call: contract and memory first, then every number."""
    trial.parity(attention, q, k, v, reference=eager_attention, scale=condition_in(q.dtype), **options)


def drawn(trial, tokens, width, dtype=torch.float16, scale=1.0):
    """q, k and v [tokens, width] of normal values; ``scale`` enlarges the scores."""
    q = trial.normal(tokens, width, dtype=dtype, scale=scale)
    return q, trial.normal(tokens, width, dtype=dtype), trial.normal(tokens, width, dtype=dtype)


def visits(tokens, tile):
    """Tiles of keys that all tiles of queries meet, and rows of k that this asks for."""
    tiles = -(-tokens // tile)
    return tiles * (tiles + 1) // 2, sum(min(tokens, (one + 1) * tile) for one in range(tiles))


def states(trial, reference, cases):
    """``reference`` gives for each (q, k, v) of ``cases`` what the oracle gives, within 8 roundings of the dtype of its condition."""
    for q, k, v in cases:
        called = trial.called(reference, (q, k, v))
        got, wide = reference(q, k, v), (q.double(), k.double(), v.double())
        trial.expect(
            isinstance(got, torch.Tensor) and (got.shape, got.dtype) == (q.shape, q.dtype),
            called=called, got=got, expected=f"a tensor of shape {tuple(q.shape)} and dtype {q.dtype}",
        )  # fmt: skip
        truth = eager_attention(*wide)
        off = (got.double() - truth).abs()
        bound = (
            8 * torch.finfo(q.dtype).eps * torch.cat([w @ wide[2].abs() for _, w, _ in _parts(*wide, False)] or [truth])
        )
        where = (~(off <= bound)).nonzero()
        place = tuple(where[0].tolist()) if len(where) else ()
        trial.expect(
            not len(where), called=called, where=f"element {list(place)}",
            got=str(got[place].item()) if place else "", expected=str(truth[place].item()) if place else "",
        )  # fmt: skip
