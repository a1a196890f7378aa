"""L3b, RMSNorm of a sum: one kernel where eager PyTorch starts several."""

from learning.lesson import Lesson

CONTRACT = """\
`rmsnorm_residual(x, residual, weight, eps)` returns the pair `(normed, summed)`.

- **`x` and `residual`** are contiguous matrices `[M, H]` of one shape, one dtype (`float32`, `float16` or `bfloat16`) and one
  device, the device in use. H is 1 to 8192, M any number, 0 included. They may be the same tensor and may start anywhere in
  their storage. **`weight`** is a contiguous `[H]` of the same dtype. **`eps`** is a Python float from 10⁻¹² to 1.
- **`summed`** is `x + residual`, rounded to the dtype.
- **`normed`** is computed from that *rounded* `summed`, call it s: `s[i, j] · rsqrt(mean of s[i, :]² + eps) · weight[j]`, in
  float32 throughout, rounded once to the dtype at the end.
- Both are **fresh** contiguous `[M, H]` tensors with memory of their own. No input is written. Zero rows give two empty results.
- A row's result depends on that row alone: the same rows in another order give the same results in that order, bit for bit.
- Values are finite, and so are the sum in the dtype and its squares and their sum in float32."""

HINTS = (
    "Count before you write: how many matrices must be read and how many written, if nothing is ever read twice? Then look at the "
    "starter's kernel arguments. A row of how many numbers must one program hold at once, and between which two steps?",
    "One program owns one row. Its sum is used twice: it is stored as a result, and it is squared. Which of the two versions is "
    "squared, the one in float32 or the one that was stored? The lanes past the last column take part in the sum of squares and "
    "not in the count: which padding makes them harmless, and by what do you divide?",
    "The kernel has about 13 lines: row, columns, mask and offsets; two masked loads, widened; the sum, cast to the element type "
    "of `summed_ptr` and stored under the mask; the same value widened again; its squares added up with `tl.sum` and divided by "
    "the number of columns; a masked load of the weight, at the columns only; the product of value, `tl.rsqrt` of mean plus eps, "
    "and weight; one cast and one masked store. The wrapper has six: two uninitialised results, the shape, the block, the "
    "launch with one program a row, the return of both. A grid of 0 programs is legal.",
)

LESSON = Lesson(
    id="L3b",
    title="RMSNorm of a sum",
    sentence=(
        "Two matrices are added and the sum's rows are normalised, in one kernel that reads each input once; by the end you can "
        "count what fusing saves before you write it."
    ),
    level="beginner",
    order=31,
    minutes=90,
    sessions="One session of about 90 minutes, or two of 45.",
    needs=("L1", "L3a"),
    entries=("rmsnorm_residual",),
    contract=CONTRACT,
    hints=HINTS,
)
