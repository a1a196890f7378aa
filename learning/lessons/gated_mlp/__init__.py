"""L5, gated MLP: two products from one walk along x, weights read through views, a gate before anything is stored."""

from learning.lesson import Lesson

CONTRACT = """\
`gated_mlp(x, w_gate, w_up)` returns silu(x · w_gateᵀ) · (x · w_upᵀ), element by element; silu(g) = g · sigmoid(g).

- **`x`** is a matrix `[M, H]` with any nonnegative strides. **`w_gate`** and **`w_up`** are contiguous `[I, H]`, as
  `torch.nn.Linear` keeps them, and may be the same tensor. All have one dtype, `float32`, `float16` or `bfloat16`, and are on the device
  in use. M, H and I may be 0; nothing need be a multiple of anything. All may start anywhere in their storage.
- **The weights are read where they lie**, through `(H, I)` views: nothing is copied or packed, by PyTorch or by a kernel.
- **The result** is a fresh contiguous `[M, I]` of the dtype. Where H is 0 both sums are empty and every element is 0. Where M or I
  is 0 the result is empty.
- **Arithmetic**: both sums, silu and the product are float32; the one rounding is at the end. float32 operands are multiplied as float32
  (IEEE), not as TF32. In which order products are added is yours to choose. A large gate of either sign gives no NaN.
- No input is written. Nothing outside the result is written.
- **Memory**: x is walked along once for both products. Each element of the result is stored once. No element of `x` is asked for more
  often than once for each 32 columns of the result, and none of a weight more often than once for each 16 rows, rounded up.
- Each tensor and the result have at most 2³¹ − 1 elements and largest offsets of at most 2³¹ − 1. `require` refuses the rest.
- Values are finite, and so are both sums and the product in float32. A product beyond the dtype's largest number becomes infinity."""

HINTS = (
    "Write x of 2 × 3 and two weights of 2 × 3 on paper and compute gate and up for one element of the result. Which numbers of x did "
    "you look at for gate, and which for up? Now say what a loop along H has to load once, and what it has to keep twice.",
    "It is L4's kernel with a second accumulator and a second tile of weights. A tile of the (H, I) view has H upright and I flat, and its "
    "offsets come from the view's own strides, one multiplied with the upright numbers and the other with the flat ones. The same block of "
    "offsets and the same mask serve both weights; the tile of x is loaded once a turn and used in two dots. The gate is applied after the loop.",
    "The kernel is about eighteen lines: tiles side by side, tile number, rows, columns, two accumulators of float32 zeros; a loop over "
    "range(0, n_inner, BLOCK_H) with eight lines (inner index, flat and upright, offsets of x, offsets of the weights, the weights' mask, the "
    "load of x, then a dot for gate and a dot for up, each with a load of its weight and IEEE precision); the gate times its sigmoid times up; the mask of "
    "what is owned and one store, cast. The wrapper is five: two views by .t(), sizes, an uninitialised result, a grid of one number, the "
    "launch with the strides of x and of a view.",
)

LESSON = Lesson(
    id="L5",
    title="Gated MLP, two products in one walk",
    sentence=(
        "One x meets two weights and the products gate each other; by the end you can read a weight through a view without copying it, and "
        "say what fusing saves, and what it does not."
    ),
    level="beginner",
    order=50,
    minutes=120,
    sessions="Two sessions of about 60 minutes.",
    needs=("L2", "L4"),
    entries=("gated_mlp",),
    contract=CONTRACT,
    hints=HINTS,
    forbids=("contiguous",),
)
