"""What the tracer counts and finds, one story a function: known traffic, planted faults, clean kernels."""

import torch
import triton
import triton.language as tl

from learning.lens import trace
from learning.lens.witness import Witness

from . import kernels, products
from .corrections import BF16


def traced(name, dtype=torch.float32, **options):
    """The tape of one kernel kind, checked to be free of problems."""
    module = kernels if hasattr(kernels, name) else products
    with trace.recording(**options) as tape:
        getattr(module, name)(dtype, "cpu")
    assert not tape.problems, tape.problems
    return tape


def passes(name, argument, **options):
    return traced(name, **options).launches[0].tensors[argument]


def softmax_in_one_tile_three_loops_and_online(device):
    for name, expected in (("softmax", 1.0), ("softmax_three_loops", 3.0), ("softmax_online", 2.0)):
        launch = traced(name).launches[0]
        assert launch.tensors["x_ptr"].load_passes == expected, (name, launch.tensors["x_ptr"])
        assert launch.tensors["out_ptr"].store_passes == 1.0
        assert launch.tensors["out_ptr"].most_stored == 1 and launch.tensors["out_ptr"].unwritten == 0
        assert launch.tensors["x_ptr"].most_loaded == expected


def grid_masks_and_padding_of_a_ragged_softmax(device):
    launch = traced("softmax").launches[0]
    x = launch.tensors["x_ptr"]
    assert launch.grid == (5, 1, 1) and launch.programs == 5 and launch.constexprs == {"BLOCK": 1024}
    assert (x.load_lanes, x.masked_loads) == (5 * 1024, 5 * (1024 - 781)) and x.others == (-float("inf"),)
    assert x.elements == 5 * 781 and x.loaded == 5 * 781


def traffic_of_the_course_kernels(device):
    rms = traced("rmsnorm").launches[0].tensors
    assert [rms[n].load_passes for n in ("x_ptr", "r_ptr", "w_ptr")] == [1, 1, 8]
    mm = traced("matmul", torch.float16).launches[0]
    assert (mm.tensors["a_ptr"].load_passes, mm.tensors["b_ptr"].load_passes) == (3, 5)
    assert mm.tensors["c_ptr"].store_passes == 1 and mm.dots == 5 * 3 * 3 and mm.dot_dtypes == ["fp16"]
    assert mm.dot_flops == 45 * 2 * 32**3
    gemv = traced("gemv").launches[0].tensors
    assert (gemv["w_ptr"].load_passes, gemv["x_ptr"].load_passes) == (1, 4)
    decode = traced("windowed_decode").launches[0].tensors["k_ptr"]
    assert decode.load_passes == 8 * 96 / (2 * 256) and decode.most_loaded == 4
    assert decode.distinct_loaded / decode.elements == 96 / 256
    attention = traced("attention").launches[0].tensors
    assert attention["k_ptr"].load_passes == attention["v_ptr"].load_passes == 4


def descriptors_and_block_pointers_are_counted_alike(device):
    by_pointer = traced("matmul").launches[0].tensors
    names = ["matmul_by_descriptor"]
    if tuple(int(part) for part in triton.__version__.split(".")[:2]) < (3, 9):
        names.append("matmul_by_block_pointer")
    for name in names:
        other = traced(name).launches[0].tensors
        for argument in ("a_ptr", "b_ptr", "c_ptr"):
            assert other[argument].load_passes == by_pointer[argument].load_passes, (name, argument)
            assert other[argument].store_passes == by_pointer[argument].store_passes
            assert other[argument].masked_loads == by_pointer[argument].masked_loads


def sectors_tell_a_row_from_a_column(device):
    x = torch.randn(64, 64)
    with trace.recording() as tape:
        for view in (x, x.t()):
            kernels.softmax_kernel[(64,)](view, torch.empty(64, 64), *view.stride(), 64, BLOCK=64)
    row, column = (launch.tensors["x_ptr"].load_efficiency for launch in tape.launches)
    assert row == 1.0 and column == 4 / 32, (row, column)


def traffic_over_several_launches(device):
    x = torch.randn(3, 781)
    out, m, s, total = torch.empty_like(x), torch.empty(3, 4), torch.empty(3, 4), torch.empty(3, 2)
    with trace.recording() as tape:
        kernels.chunk_kernel[(3, 4)](x, m, s, 781, 4, CHUNK=256)
        kernels.merge_kernel[(3,)](m, s, total, 4, BLOCK=4)
        kernels.finish_kernel[(3, 4)](x, total, out, 781, CHUNK=256)
    assert not tape.problems and len(tape.launches) == 3
    assert tape.traffic(x).load_passes == 2 and tape.traffic(out).unwritten == 0 and not len(tape.unwritten(out))
    assert tape.traffic(total).load_passes == 4 and tape.traffic(total).store_passes == 1
    try:
        tape.traffic(torch.ones(3))
    except KeyError as reason:
        assert "x_ptr" in str(reason)
    else:
        raise AssertionError("a tensor no launch was given has no traffic")


@triton.jit
def copy_all_kernel(
    x_ptr, out_ptr, n, SHIFT: tl.constexpr, LOAD: tl.constexpr, STORE: tl.constexpr, BLOCK: tl.constexpr
):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i + SHIFT, mask=(i < n) | LOAD, other=0.0)
    tl.store(out_ptr + i, x, mask=(i < n) | STORE)


def found(kind, argument, launch, text="", **options):
    """Run ``launch()`` traced and return the one problem of that kind; others may not exist."""
    with trace.recording(**options) as tape:
        launch()
    assert {(p.kind, p.argument) for p in tape.problems} == {(kind, argument)}, tape.problems
    problem = tape.problems[0]
    assert text in problem.text and problem.line > 0, problem
    assert problem.argument in problem.sentence() and problem.text in problem.sentence()
    return problem


def a_load_and_a_store_past_the_end(device):
    x, out = torch.ones(100), torch.zeros(100)

    def load(load, store, shift=0):
        return lambda: copy_all_kernel[(2,)](x, out, 100, SHIFT=shift, LOAD=load, STORE=store, BLOCK=64)

    problem = found(trace.OUT_OF_BOUNDS_LOAD, "x_ptr", load(True, False), "tl.load(x_ptr + i + SHIFT")
    assert (problem.program, problem.count, problem.first, problem.last, problem.size) == ((1, 0, 0), 28, 100, 127, 100)
    problem = found(trace.OUT_OF_BOUNDS_STORE, "out_ptr", load(False, True), "tl.store(out_ptr + i")
    assert (problem.first, problem.last) == (100, 127)
    problem = found(trace.OUT_OF_BOUNDS_LOAD, "x_ptr", load(False, False, -3))
    assert (problem.program, problem.first, problem.last) == ((0, 0, 0), -3, -1)
    assert out.eq(1).sum() == 97  # the illegal lanes were switched off, the others ran


def an_overrun_of_four_gigabytes_kills_nobody(device):
    x, out = torch.ones(64), torch.zeros(64)
    problem = found(
        trace.OUT_OF_BOUNDS_LOAD,
        "x_ptr",
        lambda: copy_all_kernel[(1,)](x, out, 64, SHIFT=1 << 30, LOAD=False, STORE=False, BLOCK=64),
    )
    assert problem.first == 1 << 30


def an_overrun_into_the_neighbour_is_blamed_on_the_right_argument(device):
    both = torch.ones(200)
    x, out = both[:100], both[100:]
    found(
        trace.OUT_OF_BOUNDS_LOAD,
        "x_ptr",
        lambda: copy_all_kernel[(2,)](x, out, 100, SHIFT=0, LOAD=True, STORE=False, BLOCK=64),
    )


def reading_between_the_rows_of_a_view(device):
    x = torch.ones(4, 16)[:, :10]
    out = torch.zeros(40)
    problem = found(
        trace.OUT_OF_BOUNDS_LOAD,
        "x_ptr",
        lambda: copy_all_kernel[(1,)](x, out, 40, SHIFT=0, LOAD=False, STORE=False, BLOCK=64),
    )
    assert problem.first == 10 and problem.size == 3 * 16 + 10 and "does not own" in problem.sentence()


@triton.jit
def running_total_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.arange(0, BLOCK)
    tl.store(out_ptr + j, tl.load(out_ptr + j) + tl.load(x_ptr + i))


@triton.jit
def atomic_total_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr + tl.arange(0, BLOCK), tl.load(x_ptr + i))


def a_read_modify_write_across_programs_is_a_race_and_atomics_are_not(device):
    x = torch.ones(64)
    with trace.recording() as tape:
        running_total_kernel[(4,)](x, torch.zeros(16), BLOCK=16)
    assert {p.kind for p in tape.problems} == {trace.RACE, trace.DOUBLE_WRITE}, tape.problems
    assert tape.problems[0].program == (1, 0, 0) and tape.problems[0].other == (0, 0, 0)
    out = torch.zeros(16)
    with trace.recording() as tape:
        atomic_total_kernel[(4,)](x, out, BLOCK=16)
    assert not tape.problems and out.eq(4).all()
    assert tape.traffic(out).store_passes == 4


@triton.jit
def shift_in_place_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i + 1, mask=i + 1 < n, other=0.0)
    tl.store(out_ptr + i, x, mask=i < n)


def a_race_through_two_names_of_one_tensor_is_found_in_either_order(device):
    for order in ("", "reversed", 7):
        x = torch.arange(64.0)
        with trace.recording(order=order) as tape:
            shift_in_place_kernel[(4,)](x, x, 64, BLOCK=16)
        assert {p.kind for p in tape.problems} == {trace.RACE}, (order, tape.problems)


def programs_that_overlap_write_twice(device):
    x, out = torch.ones(100), torch.zeros(100)

    def launch():
        copy_all_kernel[(3,)](x, out, 100, SHIFT=0, LOAD=False, STORE=False, BLOCK=64)

    with trace.recording() as tape:
        launch()
    assert not tape.problems
    y = torch.zeros(32)
    with trace.recording() as tape:
        overlapping_kernel[(2,)](x, y, BLOCK=16)
    (problem,) = tape.problems
    assert problem.kind == trace.DOUBLE_WRITE and (problem.first, problem.last) == (8, 15), problem
    assert tape.traffic(y).unwritten == 8 and tape.unwritten(y).tolist() == list(range(24, 32))


@triton.jit
def overlapping_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * (BLOCK // 2) + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i))


def a_short_grid_leaves_elements_unwritten(device):
    x, out = torch.ones(100), torch.empty(100)
    with trace.recording() as tape:
        copy_all_kernel[(1,)](x, out, 100, SHIFT=0, LOAD=False, STORE=False, BLOCK=64)
    assert tape.traffic(out).unwritten == 36 and tape.unwritten(out).tolist() == list(range(64, 100))


def memory_that_nothing_wrote(device):
    def accumulate(make):
        def launch():
            x, out = torch.ones(16), make()
            running_total_kernel[(1,)](x, out, BLOCK=16)

        return launch

    problem = found(trace.UNINITIALISED, "out_ptr", accumulate(lambda: torch.empty(16)), "tl.load(out_ptr + j)")
    assert (problem.first, problem.last) == (0, 15)
    found(trace.UNINITIALISED, "out_ptr", accumulate(lambda: torch.ones(4, 4).new_empty(16)))
    for make in (lambda: torch.zeros(16), lambda: torch.empty(16).fill_(2), lambda: torch.empty(16).zero_()):
        with trace.recording() as tape:
            accumulate(make)()
        assert not tape.problems, tape.problems
    with trace.recording(allocations=False) as tape:
        accumulate(lambda: torch.empty(16))()
    assert not tape.problems

    def from_a_guarded_allocator():
        block = torch.full((48,), float("nan"))
        trace.uninitialised(block[16:32])
        return block[16:32]

    problem = found(trace.UNINITIALISED, "out_ptr", accumulate(from_a_guarded_allocator), allocations=False)
    assert problem.count == 16


@triton.jit
def choose_kernel(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(tl.where(i < 8, x_ptr + i, y_ptr + i - 8)))


def a_pointer_chosen_lane_by_lane_keeps_its_argument(device):
    x, y, out = torch.ones(8), torch.full((8,), 2.0), torch.zeros(16)
    with trace.recording() as tape:
        choose_kernel[(1,)](x, y, out, BLOCK=16)
    assert out.tolist() == [1] * 8 + [2] * 8 and not tape.problems
    assert tape.traffic(x).load_passes == tape.traffic(y).load_passes == 1


def one_tensor_passed_twice_and_broadcast_views(device):
    x, out = torch.randn(100), torch.empty(100)
    with trace.recording() as tape:
        kernels.add_kernel[(1,)](x, x, out, 100, BLOCK=128)
    assert not tape.problems and torch.equal(out, x + x)
    assert tape.launches[0].tensors["x_ptr"].load_passes == tape.launches[0].tensors["y_ptr"].load_passes == 1
    assert tape.traffic(x).load_passes == 2
    row = torch.randn(1, 30).expand(5, 30)
    with trace.recording() as tape:
        kernels.softmax_kernel[(5,)](row, torch.empty(5, 30), *row.stride(), 30, BLOCK=32)
    assert not tape.problems and tape.traffic(row).load_passes == 5 and tape.traffic(row).elements == 30


def accesses_are_kept_for_pictures_up_to_a_limit(device):
    x, out = torch.ones(100), torch.empty(100)
    with trace.recording(keep=10_000) as tape:
        kernels.add_kernel[(2,)](x, x, out, 100, BLOCK=64)
    stores = [access for access in tape.launches[0].accesses if access.store]
    assert [a.program for a in stores] == [(0, 0, 0), (1, 0, 0)] and not tape.truncated
    assert stores[1].offsets[stores[1].active].tolist() == list(range(64, 100))
    with trace.recording(keep=200) as tape:
        kernels.add_kernel[(2,)](x, x, out, 100, BLOCK=64)
    assert tape.truncated and len(tape.launches[0].accesses) < 6


def tracing_changes_no_result_and_raises_no_false_alarm(device):
    for module in (kernels, products):
        for name, function in vars(module).items():
            if getattr(function, "__module__", "") != module.__name__ or not callable(function) or name.startswith("_"):
                continue
            if hasattr(function, "fn") or (name == "matmul_by_block_pointer" and triton.__version__ >= "3.9"):
                continue
            for dtype in (torch.float32, torch.float16, BF16):
                plain = function(dtype, "cpu")[0]
                for order in ("", 3):
                    with trace.recording(order=order) as tape:
                        again = function(dtype, "cpu")[0]
                    assert torch.equal(plain, again), (name, dtype)
                    assert not tape.problems, (name, dtype, tape.problems)


def flops_of_an_addition_and_an_order_without_meaning(device):
    launch = traced("add").launches[0]
    assert launch.flops == 3 * 1024 and launch.bytes == 3 * 2500 * 4
    assert launch.intensity == launch.flops / launch.bytes
    try:
        with trace.recording(order="upside down"):
            pass
    except ValueError as reason:
        assert "upside down" in str(reason)
    else:
        raise AssertionError("an order without meaning was taken")


@triton.jit
def padded_softmax_kernel(x_ptr, out_ptr, n_cols, PADDING: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = tl.program_id(0) * n_cols + cols
    x = tl.load(x_ptr + at, mask=cols < n_cols, other=PADDING)
    weights = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + at, weights / tl.sum(weights, axis=0), mask=cols < n_cols)


def wrong_padding_is_seen_in_the_trace_and_in_the_values(device):
    x = torch.randn(3, 37) - 40
    for padding, right in ((-float("inf"), True), (0.0, False)):
        out = torch.empty_like(x)
        with trace.recording() as tape:
            padded_softmax_kernel[(3,)](x, out, 37, PADDING=padding, BLOCK=64)
        row = tape.launches[0].tensors["x_ptr"]
        assert row.others == (padding,) and row.masked_loads == 3 * 27 and not tape.problems
        assert torch.allclose(out, x.softmax(1)) == right


def told_of(launch, inputs, outputs, **options):
    """What a witness tells of ``launch()``, with what it returned."""
    with Witness(**options) as seen:
        launch()
    return seen.told(inputs, outputs)


def a_witness_tells_each_planted_fault_with_its_line(device):
    x, out = torch.ones(100), torch.zeros(100)

    def copy(load=False, store=False, programs=2):
        return lambda: copy_all_kernel[(programs,)](x, out, 100, SHIFT=0, LOAD=load, STORE=store, BLOCK=64)

    for launch, kind, argument in (
        (copy(load=True), trace.OUT_OF_BOUNDS_LOAD, "x_ptr"),
        (copy(store=True), trace.OUT_OF_BOUNDS_STORE, "out_ptr"),
        (lambda: overlapping_kernel[(2,)](x, out, BLOCK=16), trace.DOUBLE_WRITE, "out_ptr"),
        (lambda: running_total_kernel[(1,)](x, torch.empty(16), BLOCK=16), trace.UNINITIALISED, "out_ptr"),
        (lambda: shift_in_place_kernel[(4,)](x, x, 64, BLOCK=16), trace.RACE, "out_ptr"),
    ):
        problems = told_of(launch, [x], [out])["problems"]
        assert {(p["kind"], p["argument"]) for p in problems} in ({(kind, argument)}, {(kind, "x_ptr")}), (
            kind,
            problems,
        )
        assert problems[0]["line"] > 0 and "tl." in problems[0]["text"], problems
    made = torch.empty(100)
    with Witness() as seen:
        fresh = torch.empty(100)
        copy_all_kernel[(1,)](x, fresh, 100, SHIFT=0, LOAD=False, STORE=False, BLOCK=64)
    (missing,) = seen.told([x], [fresh])["outputs"]
    assert (missing["untouched"], missing["untouched_first"], missing["untouched_last"]) == (36, 64, 99)
    assert "untouched" not in seen.told([x], [made])["outputs"][0]  # made before: what is in it is nobody's affair


def a_witness_counts_views_scratch_and_copies_apart(device):
    x, out = torch.randn(3, 781), torch.empty(3, 781)
    m, s, total = torch.empty(3, 4), torch.empty(3, 4), torch.empty(3, 2)

    def launch():
        kernels.chunk_kernel[(3, 4)](x, m, s, 781, 4, CHUNK=256)
        kernels.merge_kernel[(3,)](m, s, total, 4, BLOCK=4)
        for row in range(3):  # a view each: they count as the tensor they are views of
            kernels.finish_kernel[(1, 4)](x[row:], total[row:], out[row:], 781, CHUNK=256)

    told = told_of(launch, [x], [out], watch="traffic")
    assert told["inputs"][0]["loaded"] == 2 * 3 * 781 and told["inputs"][0]["read"] == 3 * 781
    assert told["outputs"][0]["stored"] == told["outputs"][0]["written"] == 3 * 781
    assert told["scratch"] == 4 * (4 * 12 + 6 + 4 * 6) and not told["problems"], told["scratch"]
    both = torch.randn(101)
    first, second, result = both[:100], both[1:], torch.empty(100)
    told = told_of(
        lambda: kernels.add_kernel[(1,)](first, second, result, 100, BLOCK=128),
        [first, second], [result], watch="traffic",
    )  # fmt: skip
    assert [row["loaded"] for row in told["inputs"]] == [100, 100]


@triton.jit
def sums_of_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    tl.store(out_ptr, tl.sum(x + x + x, axis=0))


def sums_are_told_with_the_type_they_have(device):
    for dtype, name in ((torch.float32, "fp32"), (torch.float16, "fp16"), (BF16, "bf16")):
        x, out = torch.ones(16, dtype=dtype), torch.empty(1, dtype=dtype)
        sums = told_of(lambda x=x, out=out: sums_of_kernel[(1,)](x, out, BLOCK=16), [x], [out])["sums"]
        assert {(s["how"], s["dtype"]) for s in sums} == {("+", name), ("+=", name), ("tl.sum", name)}, sums
    mm = traced("matmul", torch.float16).launches[0].sums
    assert ("tl.dot", "fp32") in {(s.how, s.dtype) for s in mm}, mm


def an_autotuner_is_told_by_its_shape(device):
    from .corrections import tuned_kernel

    x, out = torch.ones(100), torch.empty(100)
    tuned = told_of(lambda: tuned_kernel[lambda c: (triton.cdiv(100, c["BLOCK"]),)](x, out, 100), [x], [out])["tuned"]
    assert [(t["kernel"], t["configs"], t["key"], t["grid_is_function"]) for t in tuned] == [
        ("tuned_kernel", len(tuned_kernel.configs), ["n"], True)
    ], tuned
    with Witness("", order="reversed") as seen:
        kernels.add_kernel[(2,)](x, x, out, 100, BLOCK=64)
    assert seen.told([x], [out]) is None and torch.equal(out, x + x)
