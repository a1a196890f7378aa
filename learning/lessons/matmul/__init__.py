"""L4, matrix product: a program owns a tile of the result and walks along the axis that is summed."""

from learning.lesson import Lesson

CONTRACT = """\
`matmul(a, b)` returns the matrix product of `a` and `b`: out[i, j] is the sum of a[i, k] · b[k, j] over k.

- **`a`** is a contiguous `[M, K]`, **`b`** a contiguous `[K, N]`, both of one dtype, `float32`, `float16` or `bfloat16`, on the
  device in use. Any of M, K and N may be 0; nothing need be a multiple of anything. Both may start anywhere in their storage, and
  may be the same tensor.
- **The result** is a fresh contiguous `[M, N]` of that dtype. Where K is 0 every sum is empty and every element 0. Where M or N is
  0 the result is empty.
- **Arithmetic**: products are added up in float32, whatever the dtype, and rounded once at the end. float32 operands are multiplied
  as float32 (IEEE), not as TF32. In which order the products are added is yours to choose.
- Neither input is written. Nothing outside the result is written.
- **Memory**: each element of the result is stored once. No element of `a` is asked for more often than once for each 32 columns of
  the result, and none of `b` more often than once for each 32 rows, rounded up.
- `a`, `b` and the result have at most 2³¹ − 1 elements each. `require` refuses the rest, and a `b` whose rows are not as many as
  the columns of `a`.
- Values are finite, and so are their sums in float32. A sum beyond the dtype's largest number becomes infinity, as in PyTorch."""

HINTS = (
    "Draw a 4 × 6 matrix times a 6 × 4 one on squared paper, with a result cut into tiles of 2 × 2. Colour one tile of the result, then "
    "every element of a and of b that it needs. Cut what you coloured into steps of 2 along the inner axis. One step is what one turn "
    "of your loop loads; what has to outlive the turn?",
    "A program's number, divided by the number of tiles side by side, gives its tile row, and the remainder its tile column. Rows stand "
    "upright and columns lie flat, as in L2; the inner index is needed in both ways, flat beside the rows of a and upright beside the "
    "columns of b. Each of the two loads has a mask of its own with two conditions, and both pad with 0, since 0 · 0 adds nothing to a sum.",
    "The kernel is about fourteen lines: how many tiles lie side by side, tile number, rows, columns, an accumulator of float32 zeros; a loop "
    "over range(0, n_inner, BLOCK_K) with six lines (inner index, its two shapes, the load of a, the load of b, the dot added to the accumulator "
    "with IEEE precision); then the mask of what is owned and one store, cast to the output's element type. The wrapper is four: sizes, an "
    "uninitialised result, a grid of one number, the launch with three tile extents and 8 warps. K = 0 needs no branch: the loop does not run.",
)

LESSON = Lesson(
    id="L4",
    title="Matrix product, a tile at a time",
    sentence=(
        "Two matrices go in and their product comes out; by the end you can say how often each element crosses memory, what a larger "
        "tile saves, and which unit of the card does the multiplying."
    ),
    level="beginner",
    order=40,
    minutes=150,
    sessions="Two sessions of about 75 minutes.",
    needs=("L2", "L3a"),
    entries=("matmul",),
    contract=CONTRACT,
    hints=HINTS,
)
