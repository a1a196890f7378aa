"""C3: softmax of rows up to 131072 columns that asks for a row less than twice."""

from learning.lesson import Lesson

CONTRACT = """\
`softmax(x)` returns the softmax of every row of `x`, and asks for a row less than twice.

- **`x`** is a contiguous 2-D tensor of dtype `float32`, `float16` or `bfloat16` on the device in use (`DEVICE`: a CUDA card, or the course's
  CPU device). It has 1 to 131072 columns, any number of rows, at most 2³¹ − 1 elements. Its values are finite.
- **The result** is a fresh contiguous tensor of that shape, dtype and device, each element stored once. Zero rows give an empty one. `x` is
  never written.
- **Reading**: of a row of C columns the kernels ask for at most C elements where C is up to 32768, and at most 2·C − 32768 beyond. That is 1.75
  rows at 131072 columns. What a cache absorbs does not count: requests do. Beside `x` and the result kernels move at most a hundredth of their bytes.
- **Arithmetic** is fp32 inside, with one cast at the end. The largest value of a row may stand anywhere in it.
- **Speed, where there is a GPU**: 1024 rows of 131072 in float16 take less time than `two_passes` of `baseline.py`, the best two-pass kernel that
  this course has, in the same run. Without one the check waits.
- **`softmax_reference(x)`** is yours as well: the same in eager torch, in the dtype of `x`, for any input that the contract allows.
- **Refused** by `softmax` with a `TypeError` or `ValueError` whose message names `x` and the limit: `x` that is no tensor; that lives on another
  device; another dtype; not 2-D; 0 columns or more than 131072; not contiguous; `requires_grad` while autograd is on; more than 2³¹ − 1 elements."""

HINTS = (
    "A second walk is needed for what you could not keep. How many values can one program keep in registers? A multiprocessor has 65 536 registers "
    "of 32 bits. And what can be said of 32 768 columns that are kept, once A1's two numbers of the others are known?",
    "One program a row. It walks over the columns that it cannot keep, in chunks, with A1's push. Then it loads the other 32 768 into one block, joins "
    "their numbers to the row's, and never asks for them again. Then it walks over the first ones once more, and stores. Which registers does the "
    "block occupy during the walk if it is loaded before, and does the compiler mind (check wide_softmax --interpret --target sm_90)?",
    "The block: front + tl.arange(0, HELD), HELD a power of two, at most 32 768. The walk: for start in range(0, front, CHUNK), a maximum and a sum "
    "for each thread's own columns (tl.reshape), combined only behind the loop; newest = maximum(old, max of the chunk), total · exp(old − newest) + the "
    "chunk's sum. A thread whose columns were all masked so far has met −∞ alone, and −∞ − −∞ is NaN: begin at the lowest float32. The second walk "
    "goes backwards, since what was read last is nearest; eviction_policy= says which of both will be wanted again. 32 "
    "warps: a thread then keeps 32 values.",
)

LESSON = Lesson(
    id="C3",
    title="A wide row, read less than twice",
    sentence="Keep a quarter of a row of 131 072 in registers, walk over the rest twice, and count what that spares.",
    level="capstone",
    order=930,
    minutes=360,
    needs=("A2",),
    entries=("softmax", "softmax_reference"),
    contract=CONTRACT,
    hints=HINTS,
    gates=("reference", "parity", "bench"),
)
