"""The supplied answer of L4: a program owns a tile of the result and walks along K; then a version tuned to the card."""

import torch
import triton
import triton.language as tl

from learning.contract import require


@triton.jit
def matmul_kernel(
    a_ptr,  # a[0, 0]
    b_ptr,  # b[0, 0]
    out_ptr,  # out[0, 0]
    n_rows,  # M: rows of a and out
    n_cols,  # N: columns of b and out
    n_inner,  # K: columns of a, rows of b; may be 0
    BLOCK_M: tl.constexpr,  # rows of one tile of out
    BLOCK_N: tl.constexpr,  # columns of one tile of out
    BLOCK_K: tl.constexpr,  # how much of K one step takes; at least 16, as are the other two
):
    """One program: the inner products of BLOCK_M rows of a with BLOCK_N columns of b, K taken BLOCK_K at a time."""
    # 1. Which tile is mine? Its number, counted row by row, gives a tile row and a tile column. (//, %)
    # 2. Which rows and columns of out are mine? Rows stand upright, columns lie flat. (tl.arange, [:, None], [None, :])
    # 3. Begin with zeros in float32. (tl.zeros)
    # 4. For each BLOCK_K of K: load a tile of a and one of b, 0 wherever a lane owns nothing;
    #    add their product. (tl.dot with an accumulator, input_precision="ieee")
    # 5. Round once to the output's element type; store what exists. (out_ptr.dtype.element_ty)
    ### BEGIN SOLUTION
    tiles_across = tl.cdiv(n_cols, BLOCK_N)
    tile = tl.program_id(0)
    rows = tile // tiles_across * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    cols = tile % tiles_across * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, n_inner, BLOCK_K):
        inner = start + tl.arange(0, BLOCK_K)
        along, down = inner[None, :], inner[:, None]
        a = tl.load(a_ptr + rows * n_inner + along, mask=(rows < n_rows) & (along < n_inner), other=0.0)
        b = tl.load(b_ptr + down * n_cols + cols, mask=(down < n_inner) & (cols < n_cols), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    owned = (rows < n_rows) & (cols < n_cols)
    tl.store(out_ptr + rows * n_cols + cols, acc.to(out_ptr.dtype.element_ty), mask=owned)
    ### END SOLUTION


def matmul(a, b):
    """Return the product of contiguous a [M, K] and b [K, N]: a fresh [M, N] of their dtype."""
    require(a=a, b=b, axes={"a": "M K", "b": "K N"}, output="M N", contiguous=True)
    # 1. Read M, K and N off the shapes.
    # 2. Make room for the result: [M, N], dtype and device of a, its contents not yet decided. (torch.empty)
    # 3. How many tiles of 64 × 64 cover it? One program each, along one axis of the grid. (triton.cdiv)
    # 4. Launch with BLOCK_M=64, BLOCK_N=64, BLOCK_K=16 and num_warps=8; return the result.
    ### BEGIN SOLUTION
    (n_rows, n_inner), n_cols = a.shape, b.shape[1]
    out = torch.empty((n_rows, n_cols), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(n_rows, 64) * triton.cdiv(n_cols, 64),)
    matmul_kernel[grid](a, b, out, n_rows, n_cols, n_inner, BLOCK_M=64, BLOCK_N=64, BLOCK_K=16, num_warps=8)
    return out
    ### END SOLUTION


def tiles():
    """The configurations that the autotuner tries on this machine: 4 to 8 on a GPU, one where nothing can be timed."""
    # 1. Small tiles, for FMA: 64 × 64 × 16 with 8 warps, 32 × 32 × 32 with 4, and two more. (triton.Config)
    # 2. Wide tiles as well, for tensor cores: where the capability is (8, 0) or more.
    ### BEGIN SOLUTION
    small = [
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 16}, num_warps=8),
        triton.Config({"BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": 32}, num_warps=4),
        triton.Config({"BLOCK_M": 32, "BLOCK_N": 64, "BLOCK_K": 16}, num_warps=4),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 32, "BLOCK_K": 16}, num_warps=4),
    ]
    wide = [
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64}, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64}, num_warps=8, num_stages=4),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64}, num_warps=8, num_stages=4),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 64}, num_warps=4, num_stages=4),
    ]
    if not torch.cuda.is_available():
        return small[:1]
    return small + wide if torch.cuda.get_device_capability() >= (8, 0) else small
    ### END SOLUTION


def worth_trying(configs, given, **others):
    """Those of ``configs`` that suit the dtype of ``given["a_ptr"]``: wide tiles for 16 bits, small ones for float32."""
    # 3. Which of them is worth compiling? A float32 dot that is IEEE is FMA on every card, and its wide tiles spill.
    ### BEGIN SOLUTION
    small = [config for config in configs if config.kwargs["BLOCK_M"] * config.kwargs["BLOCK_N"] <= 64 * 64]
    wide = [config for config in configs if config not in small]
    return wide if wide and given["a_ptr"].element_size() == 2 else small
    ### END SOLUTION


@triton.autotune(
    configs=tiles(),
    key=["n_rows", "n_cols", "n_inner"],
    prune_configs_by={"early_config_prune": worth_trying},
)
@triton.jit
def tuned_kernel(
    a_ptr,  # a[0, 0], at an address that 16 divides
    b_ptr,  # b[0, 0], likewise
    out_ptr,  # out[0, 0], likewise
    n_rows,  # M, at least 1
    n_cols,  # N; a row of b and of out is a whole number of 16 bytes
    n_inner,  # K, at least 1; a row of a is a whole number of 16 bytes
    GROUP: tl.constexpr,  # how many tile rows are done together
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """As ``matmul_kernel``, with tiles named by descriptors, and in an order in which neighbours in time share tiles."""
    # 4. The order: GROUP tile rows form a band; inside a band count downwards first. Its last band may be lower.
    # 5. Three descriptors: shape, strides, tile. (tl.make_tensor_descriptor)
    # 6. The same loop; a tile is loaded by its corner, and what lies outside is 0. (.load([row, column]), .store)
    ### BEGIN SOLUTION
    tiles_down, tiles_across = tl.cdiv(n_rows, BLOCK_M), tl.cdiv(n_cols, BLOCK_N)
    tile = tl.program_id(0)
    first = tile // (GROUP * tiles_across) * GROUP
    height = tl.minimum(GROUP, tiles_down - first)
    within = tile % (GROUP * tiles_across)
    row, col = (first + within % height) * BLOCK_M, within // height * BLOCK_N
    a_tiles = tl.make_tensor_descriptor(a_ptr, [n_rows, n_inner], [n_inner, 1], [BLOCK_M, BLOCK_K])
    b_tiles = tl.make_tensor_descriptor(b_ptr, [n_inner, n_cols], [n_cols, 1], [BLOCK_K, BLOCK_N])
    out_tiles = tl.make_tensor_descriptor(out_ptr, [n_rows, n_cols], [n_cols, 1], [BLOCK_M, BLOCK_N])
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, n_inner, BLOCK_K):
        acc = tl.dot(a_tiles.load([row, start]), b_tiles.load([start, col]), acc, input_precision="ieee")
    out_tiles.store([row, col], acc.to(out_ptr.dtype.element_ty))
    ### END SOLUTION


def room_for_descriptors(size, alignment, stream):
    """What Triton asks for where the hardware reads a descriptor from memory (sm_90): ``size`` bytes on the GPU.

    Zeros: there a descriptor is put in its place by exchanges, each of which reads what stood there before.
    """
    return torch.zeros(size, dtype=torch.int8, device="cuda")


def tuned(a, b):
    """As ``matmul``, same contract: descriptors, grouped order and the fastest tile where rows are whole 16 bytes."""
    require(a=a, b=b, axes={"a": "M K", "b": "K N"}, output="M N", contiguous=True)
    # 7. What a descriptor cannot name (rows of a or b that are no whole 16 bytes, an address that 16 does not divide,
    #    a matrix with no elements) goes to matmul_kernel, as in matmul.
    # 8. The rest: triton.set_allocator(room_for_descriptors), and a grid that is a function of the configuration.
    ### BEGIN SOLUTION
    (n_rows, n_inner), n_cols = a.shape, b.shape[1]
    out = torch.empty((n_rows, n_cols), dtype=a.dtype, device=a.device)
    whole = 16 // a.element_size()
    aligned = n_inner % whole == 0 and n_cols % whole == 0 and a.data_ptr() % 16 == 0 and b.data_ptr() % 16 == 0
    if not aligned or 0 in (n_rows, n_cols, n_inner):
        grid = (triton.cdiv(n_rows, 64) * triton.cdiv(n_cols, 64),)
        matmul_kernel[grid](a, b, out, n_rows, n_cols, n_inner, BLOCK_M=64, BLOCK_N=64, BLOCK_K=16, num_warps=8)
        return out

    def grid_of(meta):
        return (triton.cdiv(n_rows, meta["BLOCK_M"]) * triton.cdiv(n_cols, meta["BLOCK_N"]),)

    triton.set_allocator(room_for_descriptors)
    tuned_kernel[grid_of](a, b, out, n_rows, n_cols, n_inner, GROUP=8)
    return out
    ### END SOLUTION
