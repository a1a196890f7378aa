"""I3, fused GEMM: a bias and a ReLU before the one rounding, and tiles taken in an order that a cache likes."""

from learning.lesson import Lesson

CONTRACT = """\
`matmul_bias_relu(a, b, bias, *, group_m=8, tile_m=64)` returns relu(a · b + bias): out[i, j] is the larger of 0 and the sum of
a[i, k] · b[k, j] over k, plus bias[j].

- **`a`** is a contiguous `[M, K]`, **`b`** a contiguous `[K, N]`, **`bias`** a contiguous `[N]`, all of one dtype, `float16` or
  `bfloat16`, and on the device in use (`DEVICE`: a CUDA card, or the course's CPU device). Any of M, K and N may be 0; nothing need
  be a multiple of anything. All may start anywhere in their storage. Their values are finite, and so are their sums in float32.
- **`group_m`** is 1, 4 or 8: the tiles of the result are taken in bands of so many tile rows, downwards first inside a band.
  **`tile_m`** is 16, 32 or 64: the rows of one tile. No element of `b` is asked for more often than once for each `tile_m` rows of
  the result, none of `a` more often than once for each 32 columns, rounded up. Neither option changes what the result is.
- **The result** is a fresh contiguous `[M, N]` of that dtype. Where K is 0 it is relu(bias) in every row. Where M or N is 0 it is empty.
- **Arithmetic**: products are added up in float32; the bias is added and the cut at 0 made in float32; **one rounding at the end**. A
  value beyond the dtype's largest number becomes infinity, as in PyTorch. In which order products are added is yours to choose.
- No input is written, nothing outside the result is written, and each element of the result is stored once.
- **Refused** with a `TypeError` or `ValueError` whose message names the argument and the limit: `a`, `b` or `bias` that is no tensor; is
  on another device; has another dtype, or one that is not that of `a`; another rank; is not contiguous; `requires_grad` while autograd is
  on; has a largest element offset above 2³¹ − 1; a `b` whose rows are not as many as the columns of `a`; a `bias` whose length is
  not the number of columns of `b`; a result of more than 2³¹ − 1 elements; any other `group_m` or `tile_m` (`True` is none of them).
- **The values are never scanned**: the wrapper looks at shape, strides, dtype and device, not at what the memory holds."""

HINTS = (
    "Take a result of 5 × 4 tiles on squared paper and number them in bands of 2 tile rows, downwards first inside a band. Which "
    "tiles are 7, 8 and 19? How high is the last band, and what went wrong in your first formula there?",
    "Three numbers decide the tile: which band, how high that band is, and which place inside it. Only the last band may be lower than "
    "the others, and inside a band you divide by the height that this band has. After that the kernel is L4's up to its last two "
    "lines. The bias belongs to columns: it lies flat, and every row of the tile meets the same one.",
    "The kernel is about twenty-one lines: tiles down and across, tile number, first tile row of the band, its height (tl.minimum), the place "
    "within; rows and columns from remainder and quotient by that height; L4's loop over steps of K with both masks; then the bias loaded under a "
    "mask and widened, the sum cut at 0 while it is float32, and one masked store, cast. The refusals are one loop over names, tensors and ranks and "
    "three comparisons of sizes, then one loop over the options: type(value) is not int tells True from 1. K = 0 needs no branch, nor has an empty result one.",
)

LESSON = Lesson(
    id="I3",
    title="A product with its bias and its ReLU",
    sentence=(
        "A layer's three operations become one kernel with one rounding; by the end you can say what that saves in bytes, what it saves in "
        "accuracy, and which tiles of the result should be computed at the same time."
    ),
    level="intermediate",
    order=130,
    minutes=240,
    sessions="2–4 sessions of 60–90 minutes",
    needs=("L4", "L3a", "L3b"),
    entries=("matmul_bias_relu",),
    contract=CONTRACT,
    hints=HINTS,
)
