"""I2: the backward pass of a row softmax, derived from its definition and computed from the supplied y."""

from learning.lesson import Lesson

CONTRACT = """\
`backward(y, g, *, num_warps=4)` returns `dx = y · (g − d)`, where `d`, one number a row, is the sum over the row of `y · g`.
Where `y` is the softmax of some `x` and `g` the gradient of a loss with respect to `y`, `dx` is its gradient with respect to `x`.

- **`y` and `g`** are 2-D tensors of one shape, one dtype (`float32`, `float16` or `bfloat16`) and one device, the device in
  use (`DEVICE`: a CUDA card, or the course's CPU device). They have 1 to 8192 columns and any number of rows. **Each has its own
  strides**: transposed, padded, every other column, or 0 in either dimension. Their values are finite.
- **`y` is taken as it is.** It need not be a softmax: rows that sum to 3, or hold negative numbers, get `y · (g − d)` too.
- **`num_warps`** is 4 or 8 and reaches the launch.
- **The result** is a fresh contiguous tensor of the same shape, dtype and device. Zero rows give an empty one. `y` and `g` are
  never written.
- **Arithmetic** is fp32 inside, products included, with one cast at the end. A row's result depends on that row alone.
- **Refused** with a `TypeError` or `ValueError` whose message names the argument and the limit: `y` or `g` that is no tensor;
  that lives on another device; another dtype; not 2-D; 0 columns or more than 8192; `requires_grad` while autograd is on; a
  largest element offset, (rows − 1)·stride(0) + (columns − 1)·stride(1), or an element count above 2³¹ − 1; a `g` that differs
  from `y` in shape, dtype or device; and any `num_warps` but 4 or 8 (`True` is not a number of warps).
- **Nothing is registered with autograd**: `backward` is a function of two tensors, and PyTorch is not told of it.
- **The values are never scanned**, and **`.contiguous()` is forbidden**, as is every other way to copy `y` or `g` first.
"""

HINTS = (
    "Write the result for one element on paper, dx[i, j], and underline what does not depend on j. That part is one number a "
    "row, and every lane needs it: which reduction makes it, and of what?",
    "It is I1's kernel with two inputs and no exponential. There are three addresses, y's, g's and the output's, and three pairs "
    "of strides. The masked lanes take part in one sum only, and never in a maximum, so the padding that was right in I1 is "
    "wrong here: which number adds nothing to a sum of products, whatever the other factor holds?",
    "In refuse: ask the same questions of y and of g, then whether g is like y, then num_warps. In the wrapper: refuse, allocate a "
    "packed result, return early when there are no rows, launch one program a row with all four strides. In the kernel the order is offsets, "
    "mask, two masked loads, both widened to fp32 before they meet, the row's sum of products, the difference, the product, and "
    "a store as the output's element type under the same mask. Subtract first and multiply afterwards: the other way round two "
    "large numbers cancel.",
)

LESSON = Lesson(
    id="I2",
    title="The backward pass of a softmax",
    sentence=(
        "You derive, by hand and in six lines, what a softmax hands back to its input, and compute it from y alone: one sum a row "
        "in place of a matrix of 8192 × 8192 derivatives."
    ),
    level="intermediate",
    order=120,
    minutes=210,
    sessions="2–4 sessions of 60–90 minutes",
    needs=("L3a", "derivatives of a quotient and of a sum"),
    entries=("backward",),
    forbids=("contiguous",),
    contract=CONTRACT,
    hints=HINTS,
)
