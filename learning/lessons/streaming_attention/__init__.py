"""A3, streaming attention: softmax and mixture of values in one walk over the keys, and no score in memory."""

from learning.lesson import Lesson

CONTRACT = """\
`attention(q, k, v, *, causal, block_n=32)` returns for each query the mixture of the values it sees, weighted by the softmax of its
scores: out[i] = Σ P[i, j] · v[j], P[i, j] proportional to exp(q[i] · k[j] / √D).

- **`q`**, **`k`** and **`v`** are contiguous tensors of one shape `[N, D]` and one dtype, `float16` or `bfloat16`, on the device in use
  (`DEVICE`: a CUDA card, or the course's CPU device). N is 0 to 2048, D is 16, 32 or 64. They may start anywhere in their storage and
  may be the same tensor. Values are finite, and so are the scores in float32.
- **`causal`** is `True` or `False`, and has no default. If true, query i sees the keys 0 … i, **its own included**; else it sees all N.
- **`block_n`** is 32 or 64: the keys of one step. It does not change what the result is.
- **The result** is a fresh contiguous `[N, D]` of that dtype; N = 0 gives an empty one.
- **Arithmetic**: scores, their maximum, weights, sums of weights and mixtures are float32. **P is rounded to the dtype before it meets
  the values**; the sum of the weights is taken before that. The result is rounded once.
- **Memory**: no tensor of N × N scores or weights exists. Beside the result kernels store at most four unfinished states for each query, D + 2
  numbers of float32 each, and load each once. No row of `q`, `k` or `v` is asked for more often than once for each 16 rows, rounded up. Each element of the result is stored once.
- **A row depends on what it sees and on nothing else**: if tokens behind i change, a causal result keeps its rows 0 … i, bit for bit.
- No input is written.
- **Refused** with a `TypeError` or `ValueError` whose message names the argument and the limit: `q`, `k` or `v` that is no tensor; is on another
  device; has another dtype, or one that is not that of `q`; is not 2-D; has another shape than `q`, an N above 2048 or another D; is not
  contiguous; `requires_grad` while autograd is on; a `causal` that is neither `True` nor `False`; any other `block_n` (`True` is no number of
  keys). Within these limits no offset and no count comes near 2³¹ − 1. The values are never scanned.
- **Scope**: one head, forward only; no dropout, no padding lengths, no arbitrary masks, no cross-attention, no batch."""

HINTS = (
    "Write down five scores of one query, 1, 3, 2, 5, 4, and cut them after the second and the fourth. Do the softmax of the first piece, keep its "
    "largest score and its sum, throw the scores away. Now the second piece arrives. By which number must the old sum be multiplied? "
    "And what about a mixture of values that was made with the old weights?",
    "Three things outlive a step, for each query: the largest score so far, the sum of exp(score − largest), the mixture with the same "
    "weights. They begin as −∞, 0 and 0. A pair that does not belong together gets the score −∞ and not 0: keys past the end, and in a "
    "causal call keys behind the query. Every query sees key 0, so after the first step no maximum is −∞ any more.",
    "The kernel has about twenty-four lines: queries, numbers of a head, who exists, the load of q; the three beginnings; a loop over range(0, n_tokens, "
    "BLOCK_N) with key numbers, which are held, two masked loads, a dot with the turned keys times the scale, the mask of who sees whom (with one more "
    "comparison under `if CAUSAL:`), tl.where, the new maximum, weights, the fading factor, sum, mixture with weights cast for the second dot, and the "
    "new maximum kept; then one division and one masked store, cast. A ghost row sees keys like any other row, so its sum is not 0. The refusals are one "
    "loop over three tensors and two lines for the options.",
)

LESSON = Lesson(
    id="A3",
    title="Attention without its scores",
    sentence=(
        "Every query meets every key, and no score is ever written down; by the end you can derive the walk, say what it moves, and put one "
        "head to work on a whole card."
    ),
    level="advanced",
    order=330,
    minutes=300,
    sessions="3–5 sessions of 60–90 minutes",
    needs=("I3", "A1"),
    entries=("attention",),
    contract=CONTRACT,
    hints=HINTS,
)
