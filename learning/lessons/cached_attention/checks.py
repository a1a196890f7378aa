"""The public checks of L7, 6 points: parity 4, house rules 1, structure 1. Each is one cell; its name says what to
make true."""

import torch

from learning.judge import check
from learning.lessons.cached_attention.reference import agrees, attend_reference, condition_in, drawn


@check(points=1, trap=4)
def decodes_one_token_over_a_ragged_cache(attend, trial):
    """T = 1: one query, from one valid key to more than two steps of them; what lies behind the valid keys has no
    weight."""
    for length in (1, 15, 33, 70):
        trial.case(f"2 heads, 1 token, {length} of 75 keys")
        q, k, v = drawn(trial, 2, 1, 1, 75, 16)
        agrees(trial, attend, q, k, v, length, 128)
    trial.case("2 heads, 1 token, 40 of 75 keys, all scores far below zero")
    agrees(trial, attend, q.abs() + 6, -k.abs() - 6, v, 40, 128)


@check(points=1)
def prefills_without_looking_ahead(attend, trial):
    """T above 1, in tiles that are ragged: each token sees the keys up to its own, after a cache that holds some and
    after none."""
    for steps, length in ((2, 2), (17, 17), (5, 40)):
        trial.case(f"2 heads, {steps} tokens, {length} of 41 keys")
        q, k, v = drawn(trial, 2, 2, steps, 41, 32)
        agrees(trial, attend, q, k, v, length, 64)
    trial.case("no tokens, over 7 keys and over none")
    q, k, v = drawn(trial, 2, 2, 0, 9, 32)
    for length in (7, 0):
        agrees(trial, attend, q, k, v, length, 64)


@check(points=1, trap=13)
def sees_a_window_of_keys_and_no_more(attend, trial):
    """Windows of one key, shorter than a step, as long as the cache and longer; rows of a tile that see nothing in a
    step."""
    for window in (1, 6, 51, 10**12):
        trial.case(f"1 head, 19 tokens, 51 keys, a window of {window}")
        q, k, v = drawn(trial, 1, 1, 19, 51, 16)
        agrees(trial, attend, q, k, v, 51, window)


@check(points=1, trap=5)
def reads_grouped_heads_through_the_strides_of_their_caches(attend, trial):
    """Query heads share key heads; a cache may be a slice of a larger one, stored by key instead of by head, or one
    head for all."""
    trial.case("4 heads over 2, 3 tokens, slices of larger caches")
    q, k, v = drawn(trial, 4, 2, 3, 60, 16)
    agrees(trial, attend, q, k[:, 4:44], v[:, 11:51], 38, 20)
    trial.case("6 heads over 3, 2 tokens, keys stored by key, values by head, queries by token")
    q, k, v = trial.normal(2, 6, 16).transpose(0, 1), trial.normal(30, 3, 16).transpose(0, 1), trial.normal(3, 30, 16)
    agrees(trial, attend, q, k, v, 29, 50)
    trial.case("4 heads over 2 that are one, 2 tokens, by a stride of 0, rows padded")
    q, k, v = drawn(trial, 4, 1, 2, 25, 16)
    agrees(
        trial,
        attend,
        q,
        trial.layout(k, "padded").expand(2, 25, 16),
        trial.layout(v, "padded").expand(2, 25, 16),
        25,
        50,
    )


@check(points=1)
def keeps_the_house_rules(attend, trial):
    """A kernel of your own scores, weighs and mixes: PyTorch may make the result, look at shapes and strides and take
    views."""
    trial.case("2 heads, 1 token, 3 keys")
    trial.house_rules(attend, *drawn(trial, 2, 1, 1, 4, 16), 3, 2)


@check(points=1, trap=15)
def asks_for_the_window_and_for_no_other_key(attend, trial):
    """Of a long cache only keys in the window, or a step beside it, are requested; results are stored once, sums kept
    in float32, and float32 multiplied with all its 24 bits."""
    trial.case("2 heads over 1, 1 token, a window of 40 in 800 of 900 keys, float16")
    q, k, v = drawn(trial, 2, 1, 1, 900, 16, dtype=torch.float16)
    seen = trial.structure(attend, q, k, v, 800, 40, reference=attend_reference, scale=condition_in(q.dtype))
    for name in ("k_cache", "v_cache"):
        keys = seen.inputs[name].loaded / (2 * 16)
        trial.expect(
            keys <= 300,
            called="attend(q, k_cache, v_cache, length=800, window=40)",
            got=f"{keys:.0f} keys of {name} requested for each query head",
            expected="the 40 keys of the window, and a step more at most on either side",
            advice="the values are right, as the scores outside are minus infinity; from which key to which must the loop go?",
        )
    seen.writes_once()
    seen.adds_in_float32()
    trial.case("2 heads, 1 token, 20 keys, float32, as a newer card would multiply")
    q, k, v = drawn(trial, 2, 2, 1, 20, 16)
    seen = trial.structure(attend, q, k, v, 20, 20, reference=attend_reference, scale=condition_in(q.dtype))
    seen.multiplies_in_float32()
