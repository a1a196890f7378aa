"""I1: softmax over the rows of any strided matrix."""

from learning.lesson import Lesson

CONTRACT = """\
`softmax(x, *, num_warps=4)` returns the softmax of every row of `x`.

- **`x`** is a 2-D tensor of dtype `float32`, `float16` or `bfloat16` on the device in use (`DEVICE`: a CUDA card, or
  the course's CPU device). It has 1 to 8192 columns, any number of rows, and any strides: transposed, padded, every
  other column, or 0 in either dimension. Its values are finite.
- **`num_warps`** is 4 or 8 and reaches the launch.
- **The result** is a fresh contiguous tensor of the same shape, dtype and device. Zero rows give an empty one. `x` is
  never written.
- **Arithmetic** is fp32 inside, with one cast at the end. A row's result depends on that row alone: the same rows in
  another order give the same results in that order, bit for bit.
- **Refused** with a `TypeError` or `ValueError` whose message names the argument and the limit: `x` that is no tensor;
  that lives on another device; another dtype; not 2-D; 0 columns or more than 8192; `requires_grad` while autograd is
  on; a largest element offset, (rows − 1)·stride(0) + (columns − 1)·stride(1), or an element count above 2³¹ − 1; and
  any `num_warps` but 4 or 8 (`True` is not a number of warps).
- **The values are never scanned**: the wrapper looks at shape, strides, dtype and device, not at what the memory holds.
- **`.contiguous()` is forbidden**, and so is every other way to copy `x` first: the kernel reads `x` where it lies.
"""

HINTS = (
    "Take one element, x[i, j]. Write down how far it lies from x[0, 0], counted in elements, using the two numbers "
    "`x.stride()` gives and nothing else. Now check your formula on a transposed matrix and on one whose row stride "
    "is 0. Does it need to know how many columns there are?",
    "One program, one row, two addresses. The address you read from uses x's own two strides; the address you write to "
    "belongs to a different tensor, one you allocated, whose strides you know without asking. Lanes past the last "
    "column must add nothing to the sum and must not win the maximum: which single value does both?",
    "In the wrapper: refuse first, then allocate, then return early when there are no rows, then launch one program a "
    "row. Pass both strides of x, the column count as an ordinary argument and the next power of two as the constexpr. "
    "In the kernel the order is offsets, mask, load with a padding value, widen to fp32, subtract the row's maximum, "
    "exponentiate, sum, divide, store as the output's element type under the same mask. `bool` is a kind of `int` in "
    "Python, and `torch.empty_like` remembers strides.",
)

LESSON = Lesson(
    id="I1",
    title="Softmax of a strided matrix",
    sentence=(
        "A matrix whose rows do not lie side by side goes in, its row softmax comes out, and nothing is copied on the way."
    ),
    level="intermediate",
    order=110,
    minutes=240,
    sessions="2–4 sessions of 60–90 minutes",
    needs=("L2", "L3a"),
    entries=("softmax",),
    forbids=("contiguous",),
    contract=CONTRACT,
    hints=HINTS,
)
