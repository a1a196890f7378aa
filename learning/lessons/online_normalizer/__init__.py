"""A1, online normalizer: a merge state that survives a changing maximum. Standard library only."""

from learning.lesson import Lesson

LESSON = Lesson(
    id="A1",
    title="Online normalizer",
    sentence=(
        "Two numbers stand for a whole row while it is still arriving; by the end you can push one value more into them, "
        "merge two halves in any order, and say why no sum ever overflows."
    ),
    level="advanced",
    order=310,
    minutes=150,
    sessions="Two sessions of about 75 minutes: the first ends with `push`, the second with `merge`.",
    needs=("a stable softmax: shift by the maximum, then exponentiate (L3a)", "plain Python; no GPU, no PyTorch"),
    entries=("push", "merge", "result"),
    kind="cpu",
    gates=("reference", "masks", "kernel", "parity", "compare", "blank_page", "log"),
    imports=("math",),
    contract=(
        "A **state** is a plain tuple of two to four floats that stands for some finite floats already seen. "
        "`EMPTY = (-inf, 0.0)` is given and stands for none.\n"
        "\n"
        "- `push(state, x)` returns the state that also stands for the finite float `x`.\n"
        "- `merge(a, b)` returns the state that stands for everything `a` and `b` stand for.\n"
        "- `result(state)` returns `(maximum, total)`: the largest value seen, exactly, and Σ exp(xᵢ − maximum) over all "
        "values seen, to 12 significant digits. `result(EMPTY)` is `(-inf, 0.0)`.\n"
        "- Any order and any split give the same `result`. Values reach to both ends of the double range; nothing raises, "
        "nothing returns NaN.\n"
        "- The three functions are pure: the same arguments give the same result, and nothing is remembered between calls. "
        "The only import is `math`."
    ),
    hints=(
        "You hold `(m, s)` and a larger value x arrives. Every term inside s was computed as exp(xᵢ − m), and you now want "
        "exp(xᵢ − x). Which single factor turns each of the old terms into the new one? Does it depend on i?",
        "Choose the new maximum first; then bring the old sum, and the newcomer, to that maximum by multiplying each with "
        "the exponential of (its own maximum − the new maximum). That exponent is never positive, so nothing overflows. "
        "Ask next what the exponent is where both maxima are −inf.",
        "`push` is `merge` with the state that stands for one value: its maximum is that value and its sum is 1.0. `merge` "
        "is about four lines: the larger maximum; an early return where that is −inf; the two rescaled sums, added. The "
        "early return is needed once, for EMPTY with EMPTY: −inf − (−inf) is NaN, while a finite number is no trouble, "
        "because exp(−inf) is 0.0.",
    ),
)
