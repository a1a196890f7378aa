"""L3d, layer norm: a mean and a variance of one row, without cancellation and without the padded lanes."""

from learning.lesson import Lesson

CONTRACT = """\
`layernorm(x, weight, bias, eps)` returns, for each row of `x`, `(x − mean) · rsqrt(variance + eps) · weight + bias`.

- **`x`** is a contiguous matrix `[M, H]` of dtype `float32`, `float16` or `bfloat16` on the device in use. H is 1 to 8192, M any
  number, 0 included. **`weight`** and **`bias`** are contiguous `[H]` of the same dtype. All may start anywhere in their storage.
  **`eps`** is a Python float from 10⁻¹² to 1.
- **The variance** is biased: the mean of the squared deviations from the mean, over H. `eps` is added to it, inside the root. A row
  whose values are all equal gives the bias, up to the rounding of its mean; so does a single column.
- **The result** is a fresh contiguous `[M, H]` tensor of the dtype. No input is written. Zero rows give an empty result.
- **Arithmetic** is float32 inside, with one cast at the end. A row may lie far from zero: the rounding of its mean is forgiven, a
  variance that has cancelled is not. A row's result depends on that row alone: the same rows in another order give the same results
  in that order, bit for bit.
- Values are finite, and so are their sum and the sum of their squared deviations in float32."""

HINTS = (
    "Take the row 3, 5, 7 in a program of four lanes, with a 0 in the fourth. Write down the mean, then the four deviations, then "
    "their squares. Which of the four squares may not be added, and what was right about the 0 until then?",
    "There are two reductions, and the second starts from what the first has made. The padding that is neutral for the first sum is "
    "no longer neutral after the mean is taken off, so put it back: `tl.where` with the mask. Both sums are divided by the number of "
    "columns. Do not be tempted by the mean of the squares minus the square of the mean: try it by hand with 1000, 1001, 1002 and "
    "seven digits.",
    "The kernel is about eleven lines: row, columns, mask; one masked load, widened to float32; the sum over the columns, divided; the "
    "difference from that mean, 0 where no column is; the sum of its squares, divided; masked loads of weight and bias, at the columns "
    "only; difference times `tl.rsqrt` of variance plus eps, times weight, plus bias; one cast to the element type of `out_ptr` and one "
    "masked store. The wrapper is five: an uninitialised result, the shape, the block, the launch with one program a row, the return. "
    "A grid of 0 programs is legal.",
)

LESSON = Lesson(
    id="L3d",
    title="Layer norm",
    sentence=(
        "Each row loses its mean and is scaled to variance 1; by the end you know which lanes may take part in a second sum, and why "
        "the shorter formula for the variance is not used."
    ),
    level="beginner",
    order=33,
    minutes=75,
    sessions="One session of about 75 minutes. With L3c it is also the homework of the plan's first week.",
    needs=("L1", "L3a", "L3b"),
    entries=("layernorm",),
    contract=CONTRACT,
    hints=HINTS,
)
