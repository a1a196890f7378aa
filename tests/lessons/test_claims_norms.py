"""Numbers that the lessons on norms state, computed again."""

from __future__ import annotations

import math

import pytest

from learning import lesson

SLUGS = ("rmsnorm_residual", "minmax", "layernorm")
TEXT = {
    card.slug: (card.folder / "lesson.md").read_text(encoding="utf-8")
    for card in lesson.discover()
    if card.slug in SLUGS
}
MATRIX = 4096 * 4096 * 2
T4, H200 = 320e9, 4.24e12


def least(matrices, rate):
    """Microseconds in which that many fp16 matrices of 4096 × 4096 cross memory at ``rate`` bytes a second."""
    return matrices * MATRIX / rate * 1e6


CLAIMS = [
    ("rmsnorm_residual", "16 777 216 elements, 33.6 MB", 33.6, round(MATRIX / 1e6, 1)),
    (
        "rmsnorm_residual",
        "add up to 23 matrices: 771.8 MB",
        771.8,
        round((3 + 3 + 4 + 2 + 4 + 4 + 3) * MATRIX / 1e6, 1),
    ),
    ("rmsnorm_residual", "moves 4 matrices, 134.2 MB", 134.2, round(4 * MATRIX / 1e6, 1)),
    ("rmsnorm_residual", "at least 2412 µs", 2412, round(least(23, T4))),
    ("rmsnorm_residual", "at least 182 µs", 182, round(least(23, H200))),
    ("rmsnorm_residual", "at least 419 µs", 419, round(least(4, T4))),
    ("rmsnorm_residual", "at least 31.7 µs", 31.7, round(least(4, H200), 1)),
    (
        "rmsnorm_residual",
        "the whole `weight`, 8 KB, and there are 4096 programs: 33.6 MB",
        33.6,
        round(4096 * 8192 / 1e6, 1),
    ),
    ("rmsnorm_residual", "1/√(1.1 · 10⁻⁵) = 302", 302, round(1.1e-5**-0.5)),
    ("rmsnorm_residual", "1/(0.001 + 0.00001) = 990", 990, round(1 / 0.00101)),
    ("rmsnorm_residual", "0.5 MB would take a T4's memory 1.6 µs", 1.6, round(4 * 16 * 4096 * 2 / T4 * 1e6, 1)),
    ("rmsnorm_residual", "where two matrices need at least 15.8", 15.8, round(least(2, H200), 1)),
    ("minmax", "They should come to 18", 18, 3 + 2 + 2 + 4 + 4 + 3),
    ("minmax", "604.0 MB | at least 1887 µs | at least 142 µs", 604.0, round(18 * MATRIX / 1e6, 1)),
    ("minmax", "604.0 MB | at least 1887 µs", 1887, round(least(18, T4))),
    ("minmax", "at least 142 µs", 142, round(least(18, H200))),
    ("minmax", "100.7 MB | at least 315 µs | at least 23.7 µs", 100.7, round(3 * MATRIX / 1e6, 1)),
    ("minmax", "at least 315 µs", 315, round(least(3, T4))),
    ("minmax", "at least 23.7 µs", 23.7, round(least(3, H200), 1)),
    ("minmax", "67.1 MB | at least 210 µs | at least 15.8 µs", 67.1, round(2 * MATRIX / 1e6, 1)),
    ("minmax", "at least 210 µs", 210, round(least(2, T4))),
    ("minmax", "at least 15.8 µs", 15.8, round(least(2, H200), 1)),
    ("layernorm", "They should come to 30", 30, 3 + 2 + 4 + 4 + 2 + 4 + 4 + 4 + 3),
    ("layernorm", "1006.6 MB | at least 3146 µs | at least 237 µs", 1006.6, round(30 * MATRIX / 1e6, 1)),
    ("layernorm", "at least 3146 µs", 3146, round(least(30, T4))),
    ("layernorm", "at least 237 µs", 237, round(least(30, H200))),
    ("layernorm", "67.1 MB | at least 210 µs | at least 15.8 µs", 15.8, round(least(2, H200), 1)),
    ("layernorm", "neighbouring float32 numbers lie 0.0625 apart", 0.0625, math.ulp(1e6) * 2**29),
    ("layernorm", "Around 10 000² they lie 8 apart", 8, math.ulp(1e8) * 2**29),
    ("layernorm", "its true variance stays 0.752", 0.752, round((3 / 780) ** 2 * (781**2 - 1) / 12, 3)),
    ("layernorm", "Three crossings in all: 100.7 MB", 100.7, round(3 * MATRIX / 1e6, 1)),
]


@pytest.mark.parametrize(("slug", "sentence", "number", "recomputed"), [c for c in CLAIMS if c[0] in TEXT])
def test_a_number_in_the_text_is_the_number_computed(slug, sentence, number, recomputed):
    assert sentence in TEXT[slug]
    assert number == recomputed


@pytest.mark.parametrize("slug", TEXT)
def test_measured_times_name_their_machine_and_the_t4_is_not_claimed(slug):
    assert "On that H200 (torch 2.11, Triton 3.6)" in TEXT[slug]
    assert "we had no T4" in TEXT[slug]
