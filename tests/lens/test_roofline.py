"""Floors, bound classes and launch shares, by the course's own worked numbers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning.lens import cards, roofline
from learning.lens.roofline import CEILINGS, Work, ceiling, classify, roof, share, tensors
from learning.lens.trace import LaunchTrace, Traffic

MI = 1 << 20
ADD = tensors(*[64 * MI * 4] * 3, flops=64 * MI)


class Tensor:
    def numel(self):
        return 10

    def element_size(self):
        return 2


def test_vector_add_on_the_measured_h200_has_the_floor_of_the_recorded_table():
    found = roof(ADD, "h200")
    assert found.floor == pytest.approx(189.8e-6, rel=1e-3) and found.bound == "memory"
    assert ADD.intensity == pytest.approx(1 / 12)


def test_vector_add_on_a_t4_takes_what_the_lesson_says():
    found = roof(ADD, "t4")
    assert found.floor == pytest.approx(2.5e-3, rel=0.01) and found.ridge == pytest.approx(25.3, rel=0.01)
    assert "not measured by us" in str(found) and "memory-bound" in str(found)


def test_the_gemm_of_the_recorded_table_is_compute_bound_with_its_floor():
    size = 4096
    work = tensors(*[size * size * 2] * 3, flops=2 * size**3, tensor_cores=True)
    found = roof(work, "h200")
    assert found.floor == pytest.approx(207e-6, rel=0.01) and found.bound == "compute"


def test_a_t4_multiplies_without_tensor_cores_whatever_is_asked():
    with_cores, without = (roof(Work(1, 8.1e12, tensor_cores=cores), "t4").compute for cores in (True, False))
    assert with_cores == without == pytest.approx(1.0)


def test_small_work_is_launch_bound_and_says_how_much():
    found = roof(tensors(*[2500 * 4] * 3, flops=2500), "t4")
    assert found.bound == "launch" and found.launch_share > 0.9
    assert found.elapsed == pytest.approx(found.floor + found.launch)


def test_a_time_far_under_the_floor_is_impossible():
    found = roof(ADD, "h200")
    assert found.impossible(0.89 * found.floor) and not found.impossible(0.91 * found.floor)


def test_a_measured_launch_share_decides_before_the_quoted_cost():
    small = tensors(30_000)
    assert classify(small, "t4") == "launch" and classify(small, "t4", 0.1) == "memory"
    assert classify(ADD, "t4", 0.6) == "launch" and classify(Work(1, 1e15), "h200", 0.0) == "compute"


def test_launch_share_is_what_a_graph_does_without():
    assert share(18, 86) == pytest.approx(1 - 18 / 86)
    assert share(50, 48) == 0.0  # noise, not a negative share
    for bad in ((0, 1), (1, 0), (float("nan"), 1), (1, float("inf"))):
        with pytest.raises(ValueError, match="positive"):
            share(*bad)


@pytest.mark.parametrize(
    ("name", "card"),
    [("T4", "t4"), ("Tesla T4", "t4"), ("sm_75", "t4"), ("NVIDIA A100-SXM4-40GB", "a100"), ("NVIDIA H200", "h200"), ("h100", "h100")],
)  # fmt: skip
def test_a_card_is_found_by_its_devices_name(name, card):
    assert ceiling(name) is CEILINGS[card]


def test_an_unknown_card_is_named_with_those_that_are_known():
    with pytest.raises(KeyError, match=r"RTX 9090.*t4, a100, h100, h200"):
        ceiling("RTX 9090")


def test_every_ceiling_says_where_it_comes_from():
    for top in CEILINGS.values():
        assert "data sheet" in top.source and not top.measured
    assert "measured on an H200" in CEILINGS["h200"].source


def test_bytes_of_tensors_and_numbers_and_nothing_else():
    assert tensors(Tensor(), 5).bytes == 25
    with pytest.raises(TypeError, match="str"):
        tensors("x")


def test_a_trace_gives_the_least_bytes_and_the_requested_ones():
    weight = Traffic("w", 64, 4, loaded=512, distinct_loaded=64)
    out = Traffic("out", 512, 2, stored=512, distinct_stored=512)
    launch = LaunchTrace("norm", (8, 1, 1), {}, {}, tensors={"w": weight, "out": out}, flops=1024)
    work = roofline.traced(launch, launch)
    assert (work.bytes, work.requested, work.flops, work.launches) == (2 * (256 + 1024), 2 * (2048 + 1024), 2048, 2)


def test_measuring_needs_a_gpu():
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        found = roofline.measure()
        assert found.measured and 0.3 < found.bandwidth / ceiling(found.name).bandwidth < 1.5
    else:
        with pytest.raises(RuntimeError, match=r"roofline\.ceiling"):
            roofline.measure()


@settings(deadline=None)  # other work shares the cores
@given(st.floats(1, 1e12), st.floats(0, 1e15), st.integers(1, 50), st.sampled_from(sorted(CEILINGS)))
def test_a_roof_is_one_of_three_classes_and_its_parts_add_up(moved, flops, launches, card):
    found = roof(Work(moved, flops, launches), card)
    assert found.bound in ("memory", "compute", "launch") and 0 < found.launch_share <= 1
    assert found.floor <= found.elapsed and (found.bound == "launch") == (
        found.launch_share >= 0.5 or found.launch == found.floor
    )
    assert roof(Work(2 * moved, flops, launches), card).floor >= found.floor


@pytest.mark.parametrize("arch", sorted(cards.CARDS))
def test_a_data_sheets_fp32_rate_is_what_its_units_and_clock_give(arch):
    """Each lane multiplies and adds once a cycle: 40 × 64 × 2 × 1.59 GHz is a T4's 8.1 TFLOP/s."""
    card = cards.CARDS[arch]
    assert card.processors * card.lanes * 2 * card.boost == pytest.approx(card.flops, rel=0.01)


def test_an_h200_is_an_h100s_processor_with_faster_memory():
    h100, h200 = CEILINGS["h100"], CEILINGS["h200"]
    assert h200.flops == h100.flops == 67e12 and h200.tensor < h100.tensor == 989e12
    assert h100.bandwidth < h200.bandwidth < 4.8e12  # a copy reaches nine tenths of the data sheet's


@pytest.mark.parametrize(
    ("card", "ridge", "tensor_ridge"), [("t4", 25, 25), ("a100", 12.5, 201), ("h100", 20, 295), ("h200", 15.8, 156)]
)
def test_where_each_card_turns_from_moving_to_computing(card, ridge, tensor_ridge):
    found = [roof(Work(1.0, 1.0, tensor_cores=cores), card).ridge for cores in (False, True)]
    assert found == pytest.approx([ridge, tensor_ridge], rel=0.02)
