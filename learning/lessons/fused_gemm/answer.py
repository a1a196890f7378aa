"""The supplied answer of I3: a product, a bias and a ReLU in one kernel, tiles taken in bands; then tuned to the card."""

import torch
import triton
import triton.language as tl

MAX_OFFSET = 2**31 - 1
DTYPES = (torch.float16, torch.bfloat16)
GROUPS = (1, 4, 8)
TILES = (16, 32, 64)


@triton.jit
def matmul_bias_relu_kernel(
    a_ptr,  # a[0, 0]
    b_ptr,  # b[0, 0]
    bias_ptr,  # bias[0]
    out_ptr,  # out[0, 0]
    n_rows,  # M: rows of a and out
    n_cols,  # N: columns of b and out, elements of bias
    n_inner,  # K: columns of a, rows of b; may be 0
    GROUP_M: tl.constexpr,  # tile rows in one band
    BLOCK_M: tl.constexpr,  # rows of one tile of out
    BLOCK_N: tl.constexpr,  # columns of one tile of out
    BLOCK_K: tl.constexpr,  # how much of K one step takes
):
    """One program: a tile of relu(a · b + bias), which tile being decided by bands of GROUP_M tile rows."""
    # 1. Which band is mine? A full band is GROUP_M tile rows of all the tile columns. How many tile rows has the last one?
    # 2. Inside the band count downwards first: which tile row, which tile column? (%, //, by the height of this band)
    # 3. The product, as in L4: rows upright, columns flat, an accumulator of float32 zeros, masks that pad with 0.
    # 4. The bias of my columns, one flat row, masked, widened to float32; add it to the accumulator.
    # 5. Cut at zero, still in float32. (tl.maximum)
    # 6. Round once, to the output's element type, and store what exists.
    ### BEGIN SOLUTION
    tiles_down, tiles_across = tl.cdiv(n_rows, BLOCK_M), tl.cdiv(n_cols, BLOCK_N)
    tile = tl.program_id(0)
    first = tile // (GROUP_M * tiles_across) * GROUP_M
    height = tl.minimum(GROUP_M, tiles_down - first)
    within = tile % (GROUP_M * tiles_across)
    rows = (first + within % height) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    cols = within // height * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, n_inner, BLOCK_K):
        inner = start + tl.arange(0, BLOCK_K)
        along, down = inner[None, :], inner[:, None]
        a = tl.load(a_ptr + rows * n_inner + along, mask=(rows < n_rows) & (along < n_inner), other=0.0)
        b = tl.load(b_ptr + down * n_cols + cols, mask=(down < n_inner) & (cols < n_cols), other=0.0)
        acc = tl.dot(a, b, acc)
    bias = tl.load(bias_ptr + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
    y = tl.maximum(acc + bias, 0.0)
    owned = (rows < n_rows) & (cols < n_cols)
    tl.store(out_ptr + rows * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=owned)
    ### END SOLUTION


def refuse(a, b, bias, group_m, tile_m):
    """TypeError or ValueError, naming argument and limit, for whatever the contract of ``matmul_bias_relu`` excludes."""
    # 1. Each of the three: a tensor, on DEVICE, of a dtype in DTYPES, of its rank, contiguous, without a gradient to lose.
    # 2. Together: b and bias have the dtype of a; b has as many rows as a has columns, bias one element a column of b.
    # 3. Offsets of the inputs and the number of elements of the result fit 31 bits.
    # 4. The options: one of GROUPS, one of TILES; True is an int in Python and none of them.
    ### BEGIN SOLUTION
    for name, x, rank in (("a", a, 2), ("b", b, 2), ("bias", bias, 1)):
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"{name} must be a torch.Tensor, not {type(x).__name__}")
        if x.device.type != DEVICE or x.device != a.device:
            raise ValueError(f"{name} must be on the device in use, {DEVICE}, and on that of a; it is on {x.device}")
        if x.dtype not in DTYPES or x.dtype != a.dtype:
            raise TypeError(f"{name} must have dtype float16 or bfloat16, the same as a; it has {x.dtype}")
        if x.ndim != rank:
            raise ValueError(f"{name} must be {rank}-D, not {x.ndim}-D")
        if not x.is_contiguous():
            raise ValueError(f"{name} must be contiguous; its strides are {x.stride()}")
        if x.requires_grad and torch.is_grad_enabled():
            raise ValueError(f"{name} must not require grad while autograd is on: there is no backward pass")
        if x.numel() - 1 > MAX_OFFSET:
            raise ValueError(
                f"{name} must have element offsets of at most {MAX_OFFSET} (2**31 - 1), not {x.numel() - 1}"
            )
    (n_rows, n_inner), n_cols = a.shape, b.shape[1]
    if b.shape[0] != n_inner:
        raise ValueError(f"b must have shape [K, N] with K = {n_inner}, the columns of a, not {tuple(b.shape)}")
    if bias.shape[0] != n_cols:
        raise ValueError(f"bias must have shape [N] with N = {n_cols}, the columns of b, not {tuple(bias.shape)}")
    if n_rows * n_cols > MAX_OFFSET:
        raise ValueError(f"a and b give a result of {n_rows * n_cols} elements; at most {MAX_OFFSET} (2**31 - 1) fit")
    for name, value, allowed in (("group_m", group_m, GROUPS), ("tile_m", tile_m, TILES)):
        if type(value) is not int or value not in allowed:
            raise ValueError(f"{name} must be one of {', '.join(map(str, allowed))}, not {value!r}")
    ### END SOLUTION


def matmul_bias_relu(a, b, bias, *, group_m=8, tile_m=64):
    """Return relu(a · b + bias) for contiguous a [M, K], b [K, N] and bias [N]: a fresh [M, N] of their dtype."""
    # 1. Refuse first. (refuse)
    # 2. Read M, K and N off the shapes; make room for the result. (torch.empty)
    # 3. How many tiles of tile_m × 64 cover it? One program each, along one axis of the grid. (triton.cdiv)
    # 4. Launch with GROUP_M=group_m, BLOCK_M=tile_m, BLOCK_N=64, BLOCK_K=16 and num_warps=8; return the result.
    ### BEGIN SOLUTION
    refuse(a, b, bias, group_m, tile_m)
    (n_rows, n_inner), n_cols = a.shape, b.shape[1]
    out = torch.empty((n_rows, n_cols), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(n_rows, tile_m) * triton.cdiv(n_cols, 64),)
    matmul_bias_relu_kernel[grid](
        a, b, bias, out, n_rows, n_cols, n_inner,
        GROUP_M=group_m, BLOCK_M=tile_m, BLOCK_N=64, BLOCK_K=16, num_warps=8,
    )  # fmt: skip
    return out
    ### END SOLUTION


# How many programs stay: one for each multiprocessor. Without a GPU 4, so that a small case has more tiles than that.
MULTIPROCESSORS = torch.cuda.get_device_properties("cuda").multi_processor_count if torch.cuda.is_available() else 4


def tiles():
    """The configurations that the autotuner tries on this machine: 4 to 8 on a GPU, one where nothing can be timed.

    STAY: programs that stay, one a multiprocessor, each taking tile after tile; else a program a tile. HALVES: how many
    pieces, side by side, a tile of the result is stored in.
    """
    # 1. Small tiles, for FMA, a program each: 64 × 64 × 16 with 8 warps, 32 × 32 × 32 with 4, and two more. (triton.Config)
    # 2. Where the capability is (8, 0) or more: wide tiles instead, for tensor cores, with several steps in flight; most stay.
    # 3. Where nothing can be timed: one small configuration, which stays, so that the checks see it.
    ### BEGIN SOLUTION
    goes, stays = {"HALVES": 1, "STAY": False}, {"HALVES": 1, "STAY": True}
    small = [
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 16} | goes, num_warps=8),
        triton.Config({"BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": 32} | goes, num_warps=4),
        triton.Config({"BLOCK_M": 32, "BLOCK_N": 64, "BLOCK_K": 16} | goes, num_warps=4),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 32, "BLOCK_K": 16} | goes, num_warps=4),
    ]
    halved = stays | {"HALVES": 2}
    wide = [
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64} | stays, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64} | halved, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64} | halved, num_warps=8, num_stages=4),
        triton.Config({"BLOCK_M": 256, "BLOCK_N": 128, "BLOCK_K": 64} | halved, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64} | goes, num_warps=8, num_stages=4),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64} | goes, num_warps=8, num_stages=4),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 64} | goes, num_warps=4, num_stages=4),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 128} | goes, num_warps=4, num_stages=4),
    ]
    if not torch.cuda.is_available():
        return [triton.Config(small[0].kwargs | halved, num_warps=8)]
    return wide if torch.cuda.get_device_capability() >= (8, 0) else small
    ### END SOLUTION


@triton.jit
def one_tile(
    a_tiles,  # a as a descriptor of tiles
    b_tiles,
    bias_ptr,  # bias[0], anywhere
    out_tiles,  # out as a descriptor of tiles, BLOCK_N // HALVES wide
    tile,  # which tile, counted in bands
    n_rows,
    n_cols,
    n_inner,
    GROUP_M: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    HALVES: tl.constexpr,
):
    """Compute and store tile number ``tile`` of relu(a · b + bias), in the order of ``matmul_bias_relu_kernel``."""
    # 4. The order is the same, and so is the loop, without masks; the bias still needs one; the same epilogue.
    #    (.load([row, column]), .store([row, column], values))
    # 5. In two halves, the left one is stored while the right one is still being made. (tl.reshape, tl.permute, tl.split)
    ### BEGIN SOLUTION
    tiles_down, tiles_across = tl.cdiv(n_rows, BLOCK_M), tl.cdiv(n_cols, BLOCK_N)
    first = tile // (GROUP_M * tiles_across) * GROUP_M
    height = tl.minimum(GROUP_M, tiles_down - first)
    within = tile % (GROUP_M * tiles_across)
    row, col = (first + within % height) * BLOCK_M, within // height * BLOCK_N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, n_inner, BLOCK_K):
        acc = tl.dot(a_tiles.load([row, start]), b_tiles.load([start, col]), acc)
    cols = col + tl.arange(0, BLOCK_N)
    bias = tl.load(bias_ptr + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
    y = tl.maximum(acc + bias[None, :], 0.0)
    if HALVES == 1:
        out_tiles.store([row, col], y.to(out_tiles.dtype))
    else:
        left, right = tl.split(tl.permute(tl.reshape(y, (BLOCK_M, 2, BLOCK_N // 2)), (0, 2, 1)))
        out_tiles.store([row, col], left.to(out_tiles.dtype))
        out_tiles.store([row, col + BLOCK_N // 2], right.to(out_tiles.dtype))
    ### END SOLUTION


@triton.autotune(configs=tiles(), key=["n_rows", "n_cols", "n_inner", "GROUP_M"])
@triton.jit
def tuned_kernel(
    a_ptr,  # a[0, 0], at an address that 16 divides
    b_ptr,  # b[0, 0], likewise
    bias_ptr,  # bias[0], anywhere
    out_ptr,  # out[0, 0], at an address that 16 divides
    n_rows,  # M, at least 1
    n_cols,  # N, a multiple of 8
    n_inner,  # K, a multiple of 8, at least 8
    GROUP_M: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    HALVES: tl.constexpr,
    STAY: tl.constexpr,
):
    """As ``matmul_bias_relu_kernel``, the tiles of the three matrices named by descriptors; one tile a program, or many."""
    # 6. Three descriptors: shape, strides, tile. (tl.make_tensor_descriptor)
    # 7. The program's own tile; or, if it stays, every tile whose number is its own plus a multiple of the number of programs,
    #    both loops made one, so that the next tile is fetched while this one is stored. (tl.range(…, flatten=True))
    ### BEGIN SOLUTION
    a_tiles = tl.make_tensor_descriptor(a_ptr, [n_rows, n_inner], [n_inner, 1], [BLOCK_M, BLOCK_K])
    b_tiles = tl.make_tensor_descriptor(b_ptr, [n_inner, n_cols], [n_cols, 1], [BLOCK_K, BLOCK_N])
    out_tiles = tl.make_tensor_descriptor(out_ptr, [n_rows, n_cols], [n_cols, 1], [BLOCK_M, BLOCK_N // HALVES])
    own = tl.program_id(0)
    if STAY:
        n_tiles = tl.cdiv(n_rows, BLOCK_M) * tl.cdiv(n_cols, BLOCK_N)
        for tile in tl.range(own, n_tiles, tl.num_programs(0), flatten=True):
            one_tile(
                a_tiles, b_tiles, bias_ptr, out_tiles, tile, n_rows, n_cols, n_inner,
                GROUP_M, BLOCK_M, BLOCK_N, BLOCK_K, HALVES,
            )  # fmt: skip
    else:
        one_tile(
            a_tiles, b_tiles, bias_ptr, out_tiles, own, n_rows, n_cols, n_inner,
            GROUP_M, BLOCK_M, BLOCK_N, BLOCK_K, HALVES,
        )  # fmt: skip
    ### END SOLUTION


def room_for_descriptors(size, alignment, stream):
    """What Triton asks for where the hardware reads a descriptor from memory (sm_90): ``size`` bytes on the GPU.

    Zeros: there a descriptor is put in its place by exchanges, each of which reads what stood there before.
    """
    return torch.zeros(size, dtype=torch.int8, device="cuda")


def tuned(a, b, bias, *, group_m=8, tile_m=64):
    """As ``matmul_bias_relu``, same contract: descriptors and the fastest tile where rows are whole 16 bytes."""
    # 8. Refuse as before. What a descriptor cannot name (K or N that 8 does not divide, a or b at an address that 16 does
    #    not divide, a matrix with no elements) goes to matmul_bias_relu.
    # 9. The rest: triton.set_allocator(room_for_descriptors), and a grid that is a function of the configuration: a program for
    #    every tile, but if they stay at most MULTIPROCESSORS.
    ### BEGIN SOLUTION
    refuse(a, b, bias, group_m, tile_m)
    (n_rows, n_inner), n_cols = a.shape, b.shape[1]
    whole = n_inner % 8 == 0 and n_cols % 8 == 0 and a.data_ptr() % 16 == 0 and b.data_ptr() % 16 == 0
    if not whole or 0 in (n_rows, n_cols, n_inner):
        return matmul_bias_relu(a, b, bias, group_m=group_m, tile_m=tile_m)
    out = torch.empty((n_rows, n_cols), dtype=a.dtype, device=a.device)

    def grid_of(meta):
        n_tiles = triton.cdiv(n_rows, meta["BLOCK_M"]) * triton.cdiv(n_cols, meta["BLOCK_N"])
        return (min(n_tiles, MULTIPROCESSORS) if meta["STAY"] else n_tiles,)

    triton.set_allocator(room_for_descriptors)
    tuned_kernel[grid_of](a, b, bias, out, n_rows, n_cols, n_inner, GROUP_M=group_m)
    return out
    ### END SOLUTION
