"""C1: causal attention for sequences of up to 16384 tokens, with the walk over past keys shared out evenly."""

from learning.lesson import Lesson

CONTRACT = """\
`attention(q, k, v, *, block=32)` returns causal attention: out[i] = Σ P[i, j] · v[j] over the keys j ≤ i, P[i, j] proportional to exp(q[i] · k[j] / √D).

- **`q`**, **`k`** and **`v`** are contiguous tensors of one shape `[N, D]` and one dtype, `float16` or `bfloat16`, on the device in use (`DEVICE`: a
  CUDA card, or the course's CPU device). N is 0 to 16384, D is 16, 32 or 64. They may start anywhere in their storage and may be the same tensor.
  Values are finite, and so are the scores in float32.
- **`block`** is 16 or 32: the queries, and the keys, of one tile. There are T = ⌈N / block⌉ tiles of each. It decides who visits what, never what comes
  out, but for rounding.
- **The result** is a fresh contiguous `[N, D]` of that dtype, each element stored once; N = 0 gives an empty one. No input is written.
- **Visits**: the queries of tile i meet the keys of tiles 0 … i and no others. Rows of `k` and of `v` are asked for no more often than that: Σ min(N, (i + 1) ·
  block) over all i in all, for each of the two. No tile of the future is loaded, masked or not. `q` is asked for twice at most.
- **Balance**, for T of 8 or more: at least T / 2 programs walk, and none of them loads more than 1.25 times what they load on average. The division is made before
  the launch: no counter in memory hands out work.
- **Memory**: beside inputs and result kernels move at most 2.3 times as many bytes as these have (unfinished states of a walk that was cut); never N × N scores.
- **Arithmetic**: scores, their maximum, weights, sums and mixtures are float32. P is rounded to the dtype before it meets the values; the sum of the weights is
  taken before that. The result is rounded once. A row depends on what it sees: if tokens behind i change, rows 0 … i stay, bit for bit.
- **`attention_reference(q, k, v)`** is yours as well: the same in eager torch, with all scores in memory, for any N.
- **Refused** by `attention` with a `TypeError` or `ValueError` whose message names the argument and the limit: `q`, `k` or `v` that is no tensor; is on another device;
  has another dtype, or one that is not that of `q`; is not 2-D; has another shape than `q`, an N above 16384 or another D; is not contiguous; `requires_grad` while autograd
  is on; any other `block` (`True` is no number). The values are never scanned.
- **Scope**: one head, forward only."""

HINTS = (
    "Draw the tiles: a row of squares for each tile of queries, as long as what it sees. Six rows, 1 to 6 squares. Now cover them with three pieces of one size. "
    "What are the two rows of each piece, and what happens to the middle one where the number of rows is odd?",
    "A program takes a short row and a long one: tiles p and T − 1 − p, T + 1 visits together. It is A3's walk that ends at the diagonal, twice, one after the other, "
    "and everything that belongs to a query starts anew in between. In the middle both tiles may be the same, and then there is only one.",
    "for half in range(2): tile = pair + half · (T − 1 − 2 · pair); query numbers, load q, the three beginnings of A3, a loop over range(0, min(N, (tile + 1) · TILE), TILE), "
    "division and store. Only the last step of a walk meets the diagonal, but comparing in every step is right too. Where tile == pair in the second half, mask queries and store off "
    "and let the walk end at 0. The grid is ⌈T / 2⌉ programs.",
)

LESSON = Lesson(
    id="C1",
    title="A causal schedule for longer sequences",
    sentence="Leave the future out of a walk of 16 384 tokens, and share what remains so that no program waits for another.",
    level="capstone",
    order=910,
    minutes=360,
    needs=("A3",),
    entries=("attention", "attention_reference"),
    contract=CONTRACT,
    hints=HINTS,
    gates=("reference", "parity", "bench"),
)
