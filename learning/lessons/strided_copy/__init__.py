"""L2, strided copy: an element's address comes from the strides, and the strides from the tensor."""

from learning.lesson import Lesson

CONTRACT = """\
`materialise(x)` returns a **fresh contiguous** tensor of the same shape, dtype and device that holds the same elements:
`out[i, j]` is `x[i, j]`, bit for bit.

- **`x`** is a 2-D tensor of dtype `float32`, `float16` or `bfloat16` on the device in use. Its two strides are any
  numbers from 0 up: transposed, cut out of a larger matrix, every other column, one row read many times, windows that
  overlap. It may start anywhere in its storage.
- Any number of rows and columns, 0 included: nothing in, nothing out, no error.
- A packed `x` is copied like any other. The result never shares memory with `x`, and each call makes a new one.
- `x` is never written. Nothing outside the result is written.
- The largest element offset, (rows − 1)·stride(0) + (columns − 1)·stride(1), and the number of elements are at most
  2³¹ − 1. `require` refuses the rest.
- **`.contiguous()`, `.clone()` and `.copy_()` are forbidden** in the wrapper, and so is what does the same by another
  name: the kernel moves the elements.
"""

HINTS = (
    "Take one element, x[i, j], of a matrix whose strides are (s, t). How far does it lie from x[0, 0], counted in "
    "elements? How far does out[i, j] lie from out[0, 0], and whose strides are those? Write both formulas down, then "
    "try them on a transposed matrix and on one whose row stride is 0.",
    "A tile has two ranges: its row numbers standing upright, `[:, None]`, and its column numbers lying flat, "
    "`[None, :]`. Adding the two broadcasts to one number per lane, as in PyTorch. The mask is two comparisons, one with "
    "the number of rows and one with the number of columns, joined by `&` (never by `and`). The same mask guards the load "
    "and the store; the offsets of the two differ.",
    "The kernel is about eight lines: how many tiles lie side by side, this program's number, from it the tile's row "
    "(divide) and column (remainder), two ranges, the mask, one load through x's two strides, one store whose row stride "
    "is the number of columns. The wrapper is five: both sizes, an uninitialised result of that shape (an *empty like x* "
    "would inherit x's strides), a grid of one number, the tiles down times the tiles across, and the launch, with the two "
    "strides as ordinary arguments and the tile's extents by name. An empty matrix needs no branch: its grid is 0.",
)

LESSON = Lesson(
    id="L2",
    title="Strided copy",
    sentence=(
        "A matrix that lies in memory in any order goes in, the same matrix packed row by row comes out; by the end you can "
        "say at which address any element of any view lies, and why a tile has to be wide both ways."
    ),
    level="beginner",
    order=20,
    minutes=90,
    sessions="One session of about 90 minutes, or two of 45.",
    needs=("L1",),
    entries=("materialise",),
    forbids=("contiguous", "clone", "copy_"),
    contract=CONTRACT,
    hints=HINTS,
)
