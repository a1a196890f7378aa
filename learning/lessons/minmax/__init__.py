"""L3c, min-max scaling: two reductions over one row, each with the padding it needs."""

from learning.lesson import Lesson

CONTRACT = """\
`minmax(x, eps)` returns `(x − min) / (max − min + eps)`, minimum and maximum taken over each row of `x`.

- **`x`** is a contiguous 2-D tensor of dtype `float32`, `float16` or `bfloat16` on the device in use, with 1 to 8192 columns and
  any number of rows. It may start anywhere in its storage. **`eps`** is a Python float from 10⁻¹² to 1.
- **The result** is a fresh contiguous tensor of the same shape, dtype and device. A row whose values are all equal gives 0
  throughout; so does a single column. Zero rows give an empty result. `x` is never written.
- **Arithmetic** is float32 inside, the range and eps included, with one cast at the end. A row's result depends on that row
  alone: the same rows in another order give the same results in that order, bit for bit.
- Values are finite, and so is max − min in float32."""

HINTS = (
    "A row of three values lies in a program of four lanes. Write down a value for the fourth lane that cannot become the "
    "minimum, and one that cannot become the maximum. Is there one number that does both for every row?",
    "`other=` in a load can be one value only, but what is loaded may be replaced afterwards: `tl.where(mask, x, …)` gives the "
    "lanes that own nothing whatever the next reduction needs, without touching memory again. Which two values follow from the "
    "first hint, and how do you write an infinity? And in which element type must the range of a row from −65504 to 65504 be held?",
    "The kernel is about eight lines: row, columns, mask; one masked load, widened to float32; a minimum over the row with its "
    "padding put in place, a maximum with the other one; the difference from the minimum over the range plus eps; one cast to the "
    "element type of `out_ptr` and one masked store. What the padded lanes hold at the end does not matter, for they are never "
    "stored. The wrapper is five: an uninitialised result, the shape, the block, the launch with one program a row, the return. A "
    "grid of 0 programs is legal.",
)

LESSON = Lesson(
    id="L3c",
    title="Min-max scaling",
    sentence=(
        "Each row is stretched to lie between 0 and 1, which takes its smallest and its largest value from one load; by the end you "
        "choose a padding by the reduction it meets."
    ),
    level="beginner",
    order=32,
    minutes=60,
    sessions="One session of about 60 minutes. With L3d it is also the homework of the plan's first week.",
    needs=("L1", "L3a"),
    entries=("minmax",),
    contract=CONTRACT,
    hints=HINTS,
)
