"""L6, matrix times vector: the decode step's bottleneck, its least time, and what an autotuner is asked."""

from learning.lesson import Lesson

CONTRACT = """\
`gemv(x, weight)` returns a **fresh contiguous** vector `[N]` of the same dtype and device: `out[n]` is the sum over k
of `weight[n, k] · x[k]`.

- **`weight`** is a contiguous matrix `[N, K]` of dtype `float32`, `float16` or `bfloat16` on the device in use, and
  **`x`** a vector `[K]` of the same dtype and device. `x` may have any stride from 0 up, and both may start anywhere
  in their storage.
- Products and sums are taken in **float32**, whatever the dtype, and rounded once, at the end.
- N and K are any numbers. **N = 0** gives an empty vector, **K = 0** gives N zeros: a sum of nothing.
- `x` and `weight` are never written. Nothing outside the result is written, and each call makes a new one.
- An element of the result depends on its own row of `weight` and on `x` alone.
- Values are finite, and so are the products and sums in float32 and the results in the dtype. The largest element
  offset and the number of elements are at most 2³¹ − 1; `require` refuses the rest.
- The case that counts is K = 4096, N = 32 000 in float16: the last layer of a small language model, for one token."""

HINTS = (
    "Every element of weight is needed once and never again, and x by everyone. So which of the two do you cut into "
    "pieces that programs own, and which do all of them walk along? And what must a program keep between two steps "
    "of that walk?",
    "A program owns ROWS rows of weight and walks along them in steps of COLS columns. Its running sums may stay "
    "spread over a tile of ROWS × COLS float32 numbers, one a lane, each adding up every COLS-th product of its "
    "row; one reduction after the walk makes ROWS sums of them. In the last step some columns do not exist, in the "
    "last program some rows do not: what must their lanes add?",
    "The kernel is about twelve lines: the row numbers, a tile of float32 zeros, and a loop over the columns in "
    "steps of COLS. In it: the column numbers, which of them exist, a masked load of x through its stride, a masked "
    "load of the tile of weight (the row number times the number of columns, plus the column number), both widened, "
    "and their product added to the tile; x lies flat above it, as a row. After the loop one tl.sum along the "
    "columns, one cast, one masked store. The wrapper is five: both sizes, an uninitialised result, a grid of N "
    "over ROWS rounded up, the launch, the return. K = 0 needs no branch: a loop over nothing leaves the zeros.",
)

LESSON = Lesson(
    id="L6",
    title="Matrix times vector, autotuned",
    sentence=(
        "One token's vector goes through a matrix of 131 million weights; by the end you can say why no cleverness makes that "
        "faster than reading the weights, how much of the time is launching, and what an autotuner must be asked."
    ),
    level="beginner",
    order=60,
    minutes=120,
    sessions="Two sessions of about 60 minutes.",
    needs=("L2", "L3b"),
    entries=("gemv",),
    contract=CONTRACT,
    hints=HINTS,
)
