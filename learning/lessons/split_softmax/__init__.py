"""A2: the softmax of rows too wide for one program, by three ordered kernels and scratch of the call's own."""

from learning.lesson import Lesson

CONTRACT = """\
`softmax(x, *, chunk_size=1024)` returns the softmax of every row of `x`. Rows are cut into chunks of `chunk_size` columns, and no
program sees more than its chunk.

- **`x`** is a contiguous 2-D tensor of dtype `float32`, `float16` or `bfloat16` on the device in use (`DEVICE`: a CUDA card, or the
  course's CPU device). It has 1 to 131072 columns and any number of rows. Its values are finite. The last chunk of a row may hold
  a single column, and where a row ends within the first chunk that is its last.
- **`chunk_size`** is 256, 1024 or 4096. It decides who computes what, never what comes out, but for rounding.
- **The result** is a fresh contiguous tensor of the same shape, dtype and device. Zero rows give an empty one. `x` is never written.
- **Scratch belongs to the call**: what one kernel leaves in memory for the next is allocated by that call and by no other. Two
  calls whose kernels alternate, on one stream or on two, do not meet.
- **Arithmetic** is fp32 inside, states in memory included, with one cast at the end. A row's result depends on that row alone: the
  same rows in another order give the same results in that order, bit for bit.
- **Refused** with a `TypeError` or `ValueError` whose message names the argument and the limit: `x` that is no tensor; that lives
  on another device; another dtype; not 2-D; 0 columns or more than 131072; not contiguous; `requires_grad` while autograd is on;
  a largest element offset or an element count above 2³¹ − 1; and any `chunk_size` but the ints 256, 1024 and 4096.
- **The values are never scanned** by the wrapper, and x crosses memory twice at most on the way in.
"""

HINTS = (
    "A program that sees one chunk can state two numbers about it, and A1 told you how two such pairs become one. What do you need "
    "to know about the *whole* row before the first quotient can be written, and which program of the first kernel knows it?",
    "Three kernels, because nobody may read what another program of the same launch writes. The first leaves one state a chunk, the "
    "second makes one state a row of them, the third loads x once more. The row and the chunk of a program are quotient and "
    "remainder of its number. In the second kernel some lanes stand for no chunk: give them A1's EMPTY, and see that the rescaling "
    "needs no branch for it.",
    "Allocate in the wrapper, anew in each call: the result, two fp32 numbers for each chunk, two for each row. First kernel: load "
    "with minus infinity ahead of the maximum, subtract, exponentiate, sum, store both numbers at the program's own place. Second "
    "kernel, one program a row, lanes up to the next power of two of the chunks: the largest of the maxima; every total times the "
    "exponential of its own maximum less that; the sum. Third kernel: the first one's load, the row's two numbers, the exponential "
    "over the total, cast to the element type of the output, stored under the mask of columns that exist.",
)

LESSON = Lesson(
    id="A2",
    title="Softmax of rows too wide for one program",
    sentence=(
        "A row of 131 072 values goes through three kernels that hand two numbers a chunk from one to the next; by the end you can "
        "say why they are three, why their scratch must never be shared, and what a cache spares the second walk."
    ),
    level="advanced",
    order=320,
    minutes=300,
    sessions="3–5 sessions of 60–90 minutes",
    needs=("A1", "masked reductions (L3a)"),
    entries=("softmax",),
    contract=CONTRACT,
    hints=HINTS,
)
