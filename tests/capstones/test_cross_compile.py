"""What the worked entries launch, over their whole contract, compiled for a T4: everything fits, and nothing spills but what C3's
limitation owns up to. Nothing is run there."""

import pytest

from learning import capstones, lesson
from learning.capstones.wide_softmax import demonstration
from learning.gates import predictions
from learning.lens import rehearsal
from learning.lens.cards import TARGETS

CASES = {
    "causal_schedule": '''
def trace_case(attention, attention_reference):
    """Every width, block and dtype; 40 tokens."""
    told = {}
    for width in (16, 32, 64):
        for block in (16, 32):
            for dtype in (torch.float16, torch.bfloat16):
                x = torch.ones(40, width, dtype=dtype)
                told[f"{width} {block} {dtype}"] = attention(x, x, x, block=block)
    return told
''',
    "softmax_workspace": '''
def trace_case(softmax, Workspace, softmax_reference):
    """Every chunk size and dtype, one chunk and two; rows whose strides are and are not multiples of 16."""
    told, held = {}, Workspace()
    for size in (256, 1024, 4096):
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            for columns in (size, 2 * size + 1):
                x = torch.ones(2, columns, dtype=dtype)
                told[f"{size} {columns} {dtype}"] = softmax(x, workspace=held, chunk_size=size)
    return told
''',
    "wide_softmax": '''
def trace_case(softmax, softmax_reference):
    """Every dtype, the smallest block and the largest, rows whose strides are and are not multiples of 16."""
    told = {}
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        for columns in (1, 5000, 32768, 40001, 131072):
            told[f"{columns} {dtype}"] = softmax(torch.ones(1, columns, dtype=dtype))
    return told
''',
}


def compiled(slug, case, tmp_path, change=str):
    """What the entry of a capstone, its source changed by ``change``, launches for ``case``, compiled for a T4."""
    (tmp_path / "trace_case.py").write_text(f'"""The whole contract."""\nimport torch\n{case}')
    card = lesson.load(slug)
    cells = [
        cell
        for cell in capstones.notebook(card)["cells"]
        if cell["metadata"]["learning"]["role"] in ("setup", "answer")
    ]
    source = predictions.module([(cell["id"], change(cell["source"])) for cell in cells], card.entries)
    found = rehearsal.run(tmp_path, source, card.entries, timeout=280)
    assert found["problems"] == []
    if not found["compiled"]:
        pytest.skip("this machine's Triton cannot compile")
    assert {made["target"] for made in found["compiled"]} == {f"sm_{TARGETS['t4']}"}
    return found["compiled"]


@pytest.mark.slow
@pytest.mark.parametrize("slug", CASES)
def test_the_entry_compiles_for_a_t4_and_keeps_everything_in_registers(slug, tmp_path):
    found = compiled(slug, CASES[slug], tmp_path)
    assert [(made["kernel"], made["spilled"]) for made in found if made.get("spilled")] == []
    assert all(made.get("launches", True) and made["shared"] <= 64 << 10 for made in found)


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "spills"), [(32767, True), (20000, False), (131071, False)])
def test_only_a_row_that_begins_anywhere_and_is_short_of_the_block_spills(columns, spills, tmp_path):
    """As the limitation of C3 says: an address and a mask for each of its columns are more than the registers hold."""
    assert "where it is a little too short, as 32 767 columns are" in demonstration.LIMITATION
    case = CASES["wide_softmax"].replace("(1, 5000, 32768, 40001, 131072)", f"({columns},)")
    found = compiled("wide_softmax", case, tmp_path)
    assert len(found) == 3 and all((made["spilled"] > 0) == spills for made in found)


def block_first(source):
    """C3's entry with the block that stays loaded ahead of the walk; any other cell as it is."""
    walk, block, rest = (source.find(text) for text in ("    # A state for", "    end = front", "    before = tl.max"))
    return source if walk < 0 else source[:walk] + source[block:rest] + source[walk:block] + source[rest:]


@pytest.mark.slow
def test_registers_allow_either_order_as_the_derivation_of_c3_says(tmp_path):
    assert "the compiler spills nothing either way" in demonstration.DERIVATION
    case = CASES["wide_softmax"].replace("(1, 5000, 32768, 40001, 131072)", "(131072,)")
    found = compiled("wide_softmax", case, tmp_path, change=block_first)
    assert len(found) == 3 and not any(made["spilled"] for made in found)
