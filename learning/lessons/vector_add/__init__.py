"""L1, vector add: programs, offsets, the mask of the last tile."""

from learning.lesson import Lesson

LESSON = Lesson(
    id="L1",
    title="Vector add",
    sentence=(
        "Two arrays go in, their sum comes out; by the end you can say, before you run anything, how many programs will "
        "start, what each one owns, and why the last one needs a mask."
    ),
    level="beginner",
    order=10,
    minutes=60,
    sessions="One session of about 60 minutes.",
    needs=("PyTorch indexing and dtypes", "nothing of CUDA"),
    entries=("add",),
    contract=(
        "`add(x, y)` takes two contiguous 1-D tensors of one length, one dtype (float32, float16 or bfloat16) and one "
        "device, the device in use. It returns a **fresh** contiguous tensor of that length, dtype and device that holds "
        "`x[i] + y[i]`, added in float32 and rounded once to the dtype.\n"
        "\n"
        "- Any length up to 2³¹ − 1, and 0: nothing in, nothing out, no error.\n"
        "- `x` and `y` may be the same tensor, may overlap, and may start anywhere in their storage.\n"
        "- Neither input is written. Nothing outside the result is written.\n"
        "- Values are finite and so is their sum in float32."
    ),
    hints=(
        "Take program 2 and a tile of 1024. Which index does it own first, and which last? Write both as a formula in the "
        "program's number and `BLOCK`, then check the formula for program 0. Every line of the kernel hangs on it.",
        "A tile's indices are one block of numbers: the program's first index plus `tl.arange(0, BLOCK)`. The same block of "
        "offsets is added to all three pointers. Comparing it with the length gives one true or false per lane, and both "
        "`tl.load` and `tl.store` take that as `mask=`.",
        "The kernel is about six lines: program number, offsets, mask, two masked loads widened with `.to(tl.float32)`, one "
        "masked store of the sum cast to `out_ptr.dtype.element_ty`. The wrapper is four: an uninitialised result like `x`, "
        "the number of elements, a grid of one number from `triton.cdiv`, the launch with `BLOCK` given by name. A grid of "
        "0 programs is legal: length 0 needs no branch.",
    ),
)
