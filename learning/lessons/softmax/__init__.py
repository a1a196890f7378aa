"""L3a, softmax: one row a program, padding that a maximum and a sum never notice, the shift by the maximum."""

from learning.lesson import Lesson

CONTRACT = """\
`softmax(x)` returns the softmax of every row of `x`: out[i, j] is exp(x[i, j]) divided by the sum of exp(x[i, k]) over
the row's columns k.

- **`x`** is a contiguous 2-D tensor of dtype `float32`, `float16` or `bfloat16` on the device in use, with 1 to 8192
  columns and any number of rows. Its values are finite, up to the largest the dtype holds.
- **The result** is a fresh contiguous tensor of the same shape, dtype and device. Zero rows give an empty one.
- **Arithmetic** is float32 inside, with one cast at the end.
- A row's result depends on that row alone: the same rows in another order give the same results in that order, bit for
  bit.
- `x` is never written. Nothing outside the result is written.
- `x` has at most 2³¹ − 1 elements. `require` refuses the rest.
"""

HINTS = (
    "Take a row of three, [1, 2, 3], in a program of four lanes. Compute its softmax by hand. Now say what the fourth lane "
    "would have to hold so that the maximum of all four lanes is still 3 and the sum of all four exponentials is still "
    "that of three. Is it a number?",
    "One program, one row. A row of a packed matrix begins at its number times the number of columns, and its columns lie "
    "side by side from there, so there is one block of offsets, one mask, and the same offsets serve the load and the "
    "store. `tl.max` and `tl.sum` with `axis=0` turn a block into one number, which broadcasts back over the lanes.",
    "The kernel is about seven lines: row number, columns, mask, one masked load padded with minus infinity and widened "
    "to float32, the exponential of the row minus its maximum, one division by the sum, one masked store cast to the "
    "output's element type. The wrapper is five: both sizes, an uninitialised result like x, the next power of two above "
    "the number of columns, a number of warps that grows with it, and the launch of one program a row. Zero rows need no "
    "branch: a grid of 0 programs is legal.",
)

LESSON = Lesson(
    id="L3a",
    title="Softmax, a row at a time",
    sentence=(
        "A matrix goes in and each of its rows comes out as shares that add up to 1; by the end you can say what the lanes "
        "that own nothing must hold, and why the largest value is subtracted first."
    ),
    level="beginner",
    order=30,
    minutes=90,
    sessions="One session of about 90 minutes, or two of 45.",
    needs=("L1", "L2"),
    entries=("softmax",),
    contract=CONTRACT,
    hints=HINTS,
)
