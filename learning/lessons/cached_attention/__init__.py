"""L7, attention over a cache of keys and values: what a decoder does for each new token, prefill and decode alike."""

from learning.lesson import Lesson

CONTRACT = """\
`attend(q, k_cache, v_cache, length, window)` returns a **fresh packed** tensor `[Hq, T, D]` of the dtype of `q`: for
each head and each of T new tokens the mixture of the values it sees, weighted by the softmax of its scores.

- **`q`** is `[Hq, T, D]`, **`k_cache`** and **`v_cache`** are `[Hkv, Tmax, D]`, all of one dtype (`float32`,
  `float16` or `bfloat16`) and on the device in use. D is 16, 32, 64 or 128. Their last stride is 1; **their other
  strides are any numbers from 0 up**: a cache may be a slice of a longer one, or stored by key instead of by head.
- **Grouped heads**: Hq is a multiple of Hkv, and query head h uses key head h // (Hq / Hkv).
- **`length`** counts the valid keys, the T new ones included: 0 ≤ T ≤ length ≤ Tmax. What the caches hold behind it
  has no influence on the result.
- Query t stands at place **p = length − T + t** and sees the keys from max(0, p − **`window`** + 1) to p: its own,
  and those before it as far as the window reaches. `window` is an int from 1 up, and may be longer than any cache.
- The score of a key is q · k / √D. Scores, weights, sums and mixtures are computed in **float32** (products of
  float32 as IEEE float32, not TF32); the weights P are rounded to the dtype before they meet the values; the result
  is rounded once.
- T = 0 gives an empty result. No input is written, and each call makes a new result.
- Values are finite, and so are the scores in float32 and the results in the dtype. Offsets and counts are at most 2³¹
  − 1; `require` refuses the rest."""

HINTS = (
    "Write down for one query, at place p, the first key it sees and the last. Now for a tile of 16 queries: where "
    "must the walk over the keys begin, so that the first query misses none, and where may it end? Then take one "
    "step of 32 keys on that walk: which pairs of query and key in it do not belong together, and is there a query "
    "that sees none of the 32?",
    "Carry three things from step to step, for each query: the largest score so far, the sum so far of exp(score − "
    "largest), and the mixture so far of values with those weights. A step may bring a larger score; then sum and "
    "mixture were taken against the wrong one, and one factor mends both. It is exp(old largest − new largest). A "
    "query that has seen nothing has the largest score −∞: what is −∞ − (−∞), and which number can you subtract "
    "instead so that its weights come out as 0?",
    "The kernel has about thirty-four lines. A number of its own gives head (divide by the tiles of a head) and "
    "first query (remainder). Queries are loaded once, masked with 0. The walk runs from the first query's first "
    "key to the last query's last, not past the length. In a step: key numbers; a masked tile of keys; tl.dot of "
    "the queries with the transposed tile in 'ieee', scaled; tl.where with the two comparisons of key and place, "
    "else minus infinity; the new largest; the same pinned to 0 where it is minus infinity; weights; the fading "
    "factor; a masked tile of values; sum and mixture brought up to date, the weights cast to the values' type for "
    "the second tl.dot. Afterwards mixture over sum, cast, stored for queries that exist. The wrapper makes a "
    "packed result, clamps the window to the length, and passes six strides.",
)

LESSON = Lesson(
    id="L7",
    title="Attention over a cache",
    sentence=(
        "A token asks thousands of kept keys which values to mix; by the end you can say which keys a query sees, why a row that "
        "sees none must be pinned, and why 32 programs are too few."
    ),
    level="beginner",
    order=70,
    minutes=180,
    sessions="Three sessions of about 60 minutes.",
    needs=("L3a", "L4", "L6"),
    entries=("attend",),
    contract=CONTRACT,
    hints=HINTS,
)
