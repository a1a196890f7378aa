"""The compiler view: its stories where Triton compiles, and its reading of PTX, binaries and occupancy anywhere."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.lens import cards, cubin, facts, ptx, sass
from learning.lens.errors import explain
from learning.lens.occupancy import occupancy
from tests.lens.test_virtual import failures

T4, A100, H100 = (cards.card(arch) for arch in (75, 80, 90))


QUICK = (
    "a_t4_multiplies_with_fma_and_newer_cards_with_tensor_cores", "every_load_is_told_with_its_source_line",
    "registers_and_stack_agree_with_the_vendors_tool", "what_cannot_be_compiled_is_told_in_one_sentence",
    "grid_waves_and_occupancy", "figures_survive_json_and_read_the_same",
)  # fmt: skip


def test_reports_of_real_kernels(stories):
    results = stories("t4", ",".join(f"compiling.{name}" for name in QUICK))
    assert len(results) == len(QUICK) and not failures(results), failures(results)


@pytest.mark.slow
def test_reports_of_real_kernels_for_three_cards(stories):
    results = stories("t4", "compiling.")
    assert len(results) == 14 and not failures(results), failures(results)


# NVIDIA's occupancy calculator, values from its spreadsheet's rules: registers in units of 256 a warp.
@pytest.mark.parametrize(
    ("card", "warps", "registers", "shared", "blocks", "limiter"),
    [
        (T4, 4, 32, 0, 8, "threads"),
        (T4, 4, 255, 0, 2, "registers"),
        (T4, 4, 128, 0, 4, "registers"),
        (T4, 8, 64, 32768, 2, "shared memory"),
        (T4, 1, 16, 0, 16, "blocks"),
        (T4, 8, 64, 65537, 0, "shared memory"),
        (A100, 4, 32, 0, 16, "threads"),
        (A100, 8, 128, 65536, 2, "registers"),
        (H100, 4, 168, 98304, 2, "shared memory"),
    ],
)
def test_blocks_a_multiprocessor_holds(card, warps, registers, shared, blocks, limiter):
    found = occupancy(card, warps=warps, registers=registers, shared=shared)
    assert (found.blocks, found.limiter) == (blocks, limiter)
    assert found.fraction == blocks * warps / (card.threads // 32)
    assert found.waves(100, card) == (100 / (blocks * card.processors) if blocks else math.inf)


@given(st.sampled_from([1, 2, 4, 8, 16]), st.integers(1, 255), st.integers(0, 65536), st.integers(0, 4096))
def test_asking_for_more_never_raises_occupancy(warps, registers, shared, more):
    base = occupancy(T4, warps=warps, registers=registers, shared=shared).blocks
    assert occupancy(T4, warps=warps, registers=min(255, registers + 8), shared=shared).blocks <= base
    assert occupancy(T4, warps=warps, registers=registers, shared=shared + more).blocks <= base


def test_reading_ptx_line_by_line():
    listing = ptx.read(
        ".version 8.3\n.target sm_80\n"
        "\t.loc\t1 21 9\n\t// begin inline asm\n\t.loc\t1 21 9\n\tmov.u32 %r1, 0x0;\n\t.loc\t1 22 9\n"
        "\t@%p1 ld.global.L1::evict_last.v4.b32 { %r1, %r2, %r3, %r4 }, [ %rd1 + 0 ];\n\t// end inline asm\n"
        "\t.loc\t1 23 9\n\t@%p1 ld.global.b16 { %rs1 }, [ %rd2 ];\n\tst.global.v2.b64 [ %rd3 ], { %a, %b };\n"
        "\tld.param.b64 %rd1, [p0];\n\tld.shared.v4.b32 {%r1}, [%r2];\n"
        "\tcp.async.cg.shared.global [ %r5 + 0 ], [ %rd4 + 0 ], 0x10, %r9;\n"
        "\tatom.global.gpu.acq_rel.add.f32 %r1, [ %rd3 ], %r2;\n"
        "\tfma.rn.f32 \t%r5, %r1, %r2, %r3;\n\tmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {}, {}, {}, {};\n"
    )
    assert listing.target == "sm_80" and listing.multiplies_with == "mma.sync" and listing.units["fma"] == 1
    assert [(i.what, i.bytes, i.line) for i in listing.instructions] == [
        ("load", 16, 21), ("load", 2, 23), ("store", 16, 23), ("async copy", 16, 23), ("atomic", 0, 23),
    ]  # fmt: skip
    assert listing.widths("load") == {16: 2, 2: 1} and listing.widths("store") == {16: 1}


def test_ptx_inlined_from_elsewhere_belongs_to_the_line_that_called_it():
    text = (
        ".target sm_75\n\t.loc\t1 16 0 // <cell>:16:0\n$L__func_begin0:\n\t.loc\t1 28 26 // <cell>:28:26\n"
        "\tld.global.b32 %r1, [%rd1];\n\t.loc\t2 191 16, function_name $L__info_string0, inlined_at 1 29 26\n"
        "\tshfl.sync.bfly.b32 \t%r2, %r1, 16, 31, -1;\n\t.loc\t2 170 12, function_name $L__info_string0, inlined_at 2 191 16\n"
        "\tmax.f32 \t%r3, %r1, %r2;\n\t.loc\t1 30 4\n\t@%p1 st.global.b32 [ %rd2 ], { %r3 };\n"
    )
    found = ptx.by_line(text)
    assert list(found) == [28, 29, 30] and found[29] == [
        "shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;",
        "max.f32 %r3, %r1, %r2;",
    ]


LISTING = """.text.k:
	//## File "<cell>", line 3
        /*0000*/                   MOV R1, c[0x0][0x28] ;
	//## File "/lib/standard.py", line 191 inlined at "<cell>", line 4
	//## File "<cell>", line 4
        /*0010*/              @!P0 LDG.E.SYS R0, [R2] ;
	//## File "/lib/standard.py", line 170
        /*0020*/                   FMNMX R7, R7, R0, !PT ;
"""


def test_machine_code_belongs_to_the_line_of_the_kernels_own_file():
    found = sass.by_line(LISTING)
    assert found == {3: ["MOV R1, c[0x0][0x28]"], 4: ["@!P0 LDG.E.SYS R0, [R2]", "FMNMX R7, R7, R0, !PT"]}
    assert sass.by_line("nothing") == {}


def test_a_kernel_that_the_cache_remembers_from_another_checkout_keeps_its_lines():
    there = LISTING.replace("<cell>", "/there/cell.py")
    assert sass.by_line(there, "/here/cell.py") == sass.by_line(LISTING, "<cell>")
    assert list(sass.by_line(there.replace("/there/cell.py", "/there/other.py"), "/here/cell.py")) == [3, 4]


OLD = {"kernel": "k", "target": "sm_75", "card": "Tesla T4", "registers": 20, "shared": 0, "warps": 4, "occupancy": 1.0,
       "limiter": "threads", "loads": {"4": 8}}  # fmt: skip


def test_figures_of_an_older_record_can_be_read_and_compared():
    new = OLD | {"registers": 24, "loads": {"16": 2}, "spilled": 0, "spill_loads": 0}
    found = facts.Changes(OLD, new)
    assert "global loads: 8 of 4 bytes → 2 of 16 bytes" in found and "spilled: none → nothing" in found
    assert "before" in repr(found) and "<table" in found._repr_html_() and "| registers |" in found._repr_markdown_()
    same = facts.Changes(OLD, OLD)
    assert not same and "same figures" in repr(same) and "same figures" in same._repr_html_()


@pytest.mark.parametrize("damage", [b"", b"MZ" + bytes(100), b"\x7fELF\x01" + bytes(100)])
def test_bytes_that_are_no_binary_are_named(damage):
    with pytest.raises(cubin.NotCubin):
        cubin.usage(damage, "kernel")


def test_errors_that_are_not_a_kernels_are_left_to_python():
    assert explain(ValueError("x must be 2-D")) is None


def test_an_unknown_card_is_answered_with_the_known_ones():
    with pytest.raises(KeyError, match="t4, sm_75, sm_80, sm_90"):
        cards.card("sm_61")
