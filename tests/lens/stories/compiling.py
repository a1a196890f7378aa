"""What the compiler view reports, one story a function; only where Triton compiles."""

import json
import re
import subprocess
import tempfile

import torch
import triton
import triton.language as tl

from learning.lens import compile as view

from . import corrections, kernels, products, virtual


def tile(bm, bn, bk, warps, dtype=torch.float16, target="t4"):
    a = torch.empty(256, 256, dtype=dtype)
    return view.kernel(
        products.matmul_kernel, a, a, torch.empty(256, 256, dtype=dtype), 256, 256, 256, 256, 1, 256, 1,
        BM=bm, BN=bn, BK=bk, num_warps=warps, target=target,
    )  # fmt: skip


def a_t4_multiplies_with_fma_and_newer_cards_with_tensor_cores(device):
    assert [tile(64, 64, 32, 4, target=t).unit for t in ("sm_75", "sm_80", "sm_90")] == ["FMA", "mma.sync", "wgmma"]


def the_usual_tile_spills_on_a_t4_and_a_flatter_one_does_not(device):
    spilling, fitting = tile(64, 64, 32, 4), tile(64, 64, 16, 8)
    assert spilling.registers == 255 and spilling.spill_stores > 0 and spilling.spill_loads > 0
    assert fitting.spill_stores == 0 and fitting.registers < 255
    text = "\n".join(view.changes(spilling, fitting))
    assert "spilled:" in text and "nothing" in text and "registers:" in text and not view.changes(fitting, fitting)


def a_tile_that_cannot_launch_says_so(device):
    big = tile(128, 256, 64, 8, torch.float32)
    assert not big.launches and big.shared > 65536 and "impossible" in str(big)
    assert tile(128, 256, 64, 8, torch.float32, "sm_90").launches


def wide_rows_load_sixteen_bytes_a_thread_and_ragged_ones_four(device):
    def loads(columns):
        x = torch.empty(8, columns)
        return view.kernel(kernels.softmax_kernel, x, x, columns, 1, columns, BLOCK=1024).loads

    assert loads(1024) == {16: 2} and loads(781) == {4: 8}


def every_load_is_told_with_its_source_line(device):
    x = torch.empty(64)
    report = view.kernel(kernels.add_kernel, x, x, x, 64, BLOCK=1024)
    first = kernels.add_kernel.fn.__code__.co_firstlineno
    source = {line: kernels_line(line) for line in report.lines}
    assert (
        sum("tl.load" in text for text in source.values()) == 2 and sum("tl.store" in t for t in source.values()) == 1
    )
    assert all(first <= line <= first + 10 for line in report.lines), report.lines


def kernels_line(number):
    import linecache

    return linecache.getline(kernels.__file__, number)


def registers_and_stack_agree_with_the_vendors_tool(device):
    for report in (tile(64, 64, 32, 4), tile(32, 32, 32, 4), tile(64, 64, 32, 4, target="sm_90")):
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(report.compiled.asm["cubin"])
            file.flush()
            tool = triton.knobs.nvidia.cuobjdump.path
            said = subprocess.run([tool, "--dump-resource-usage", file.name], capture_output=True, text=True).stdout
        registers, stack = (int(re.search(rf"{word}:(\d+)", said).group(1)) for word in ("REG", "STACK"))
        assert (report.registers, report.stack) == (registers, stack), said


def grid_waves_and_occupancy(device):
    x = torch.empty(1 << 20)
    report = view.kernel(kernels.add_kernel, x, x, x, 1 << 20, BLOCK=1024, grid=(1024,), num_warps=4)
    assert report.occupancy.fraction == 1.0 and report.occupancy.limiter == "threads"
    assert report.waves == 1024 / (8 * 40) and "waves" in str(report)


def what_cannot_be_compiled_is_told_in_one_sentence(device):
    try:
        view.kernel(virtual.break_kernel, torch.empty(4), 3)
    except view.CompileFailed as reason:
        assert "`break`" in str(reason) and "line 4 of break_kernel: break" in str(reason), reason
    else:
        raise AssertionError("break compiled")
    for wrong, error, words in (
        (lambda: view.kernel(corrections.tuned_kernel, 1), ValueError, "kernel.fn"),
        (lambda: view.kernel(kernels.add_kernel, target="sm_20"), KeyError, "sm_75"),
    ):
        try:
            wrong()
        except error as reason:
            assert words in str(reason)
        else:
            raise AssertionError(words)


@triton.jit
def rsqrt_kernel(x_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.rsqrt(tl.load(x_ptr + i)))


def ptx_and_sass_can_be_read(device):
    report = view.kernel(rsqrt_kernel, torch.empty(128), BLOCK=128)
    assert report.ptx.count("rsqrt.approx") == 1 and "MUFU.RSQ" in report.sass


def compiling_for_a_card_leaves_the_target_in_force(device):
    tile(32, 32, 32, 4, target="sm_90")
    x = torch.ones(64)
    assert kernels.add_kernel[(1,)](x, x, torch.empty(64), 64, BLOCK=64).metadata.target.arch == 75


def every_instruction_of_a_load_stands_under_its_line(device):
    x = torch.empty(8, 1024)
    for target, word in (("t4", "LDG"), ("sm_80", "LDG"), ("sm_90", "LDG")):
        report = view.kernel(kernels.softmax_kernel, x, x, 1024, 1, 1024, BLOCK=1024, target=target)
        for kind, mark in (("sass", word), ("ptx", "ld.global")):
            listing = report.listing(kind)
            loading = [line for line in listing.lines if any(mark in code for code in line.code)]
            assert [line.text.strip()[:11] for line in loading] == ["x = tl.load"], (target, kind, loading)
            assert loading[0].number == 6 and sum(mark in code for code in loading[0].code) == 2
            assert sum(len(line.code) for line in listing.lines) > 60
    shown = report.listing("sass")
    assert "tl.store(out_ptr" in str(shown) and "<details" in shown._repr_html_() and "&lt;" in shown._repr_html_()


def a_listing_is_of_ptx_or_of_sass(device):
    try:
        view.kernel(kernels.add_kernel, *[torch.empty(64)] * 3, 64, BLOCK=64).listing("cuda")
    except ValueError as reason:
        assert "'ptx' or 'sass'" in str(reason)
    else:
        raise AssertionError("a listing of CUDA")


def figures_survive_json_and_read_the_same(device):
    from learning.lens import facts

    big = tile(128, 256, 64, 8, torch.float32)
    kept = json.loads(json.dumps(big.as_dict()))
    assert facts.words(kept) == big.facts() and "impossible" in big.facts()["launch"] and kept["waves"] is None
    markup = big._repr_html_()
    assert "<caption" in markup and "of 65536 bytes a block" in markup and repr(big) == str(big)


def what_the_t4_spills_and_how_it_multiplies_beside_newer_cards(device):
    """The cliff, read off the compiler: no card was there, and no time is claimed."""
    made = {target: tile(64, 64, 32, 4, target=target) for target in ("sm_75", "sm_80", "sm_90")}
    assert [report.unit for report in made.values()] == ["FMA", "mma.sync", "wgmma"]
    assert made["sm_75"].units["fma"] >= 64 * 64 * 32 // 128  # each thread multiplies its share one by one
    assert made["sm_75"].spill_stores > 0 == made["sm_80"].spill_stores == made["sm_90"].spill_stores
    lines = view.changes(made["sm_80"], made["sm_75"])
    assert any(line.startswith("multiplies with: mma.sync") and "→ FMA" in line for line in lines), lines
