"""The small cases of the row lessons: what a right prediction says, seen in the supplied answer's trace."""

from __future__ import annotations

import pytest

from learning import attempts, lesson
from learning.lens import rehearsal

CASES = {
    "rmsnorm_residual": (
        32,
        24,
        {"x": 1, "residual": 1, "weight": 3, "summed": 1, "normed": 1},
        {"2,0": 6.0, "2,1": -6.0, "2,23": 0.0},
    ),
    "minmax": (64, 81, {"x": 1, "out": 1}, {"2,0": 0.0, "2,36": 36 / 37}),
    "layernorm": (
        32,
        24,
        {"x": 1, "weight": 3, "bias": 3, "out": 1},
        {"2,0": 16.0, "2,1": 4.0, "2,23": 10.0},
    ),
}
FOUND = {card.slug: card for card in lesson.discover() if card.slug in CASES}


@pytest.mark.parametrize("slug", FOUND)
def test_the_supplied_answer_meets_the_predictions_that_are_right(slug):
    card, (block, masked, passes, output) = FOUND[slug], CASES[slug]
    seen = rehearsal.run(card.folder, attempts.answer(card).source, card.entries, outputs=list(output))
    (launch,) = seen["launches"]
    assert launch["programs"] == 3 and launch["tile"] == [block]
    tensors = seen["tensors"]
    assert {name: tensors[name]["load_passes"] + tensors[name]["store_passes"] for name in passes} == passes
    stored = list(passes)[-1]
    assert tensors[stored]["masked_stores"] == masked
    assert {index: pytest.approx(value, rel=1e-6) for index, value in output.items()} == seen["output"]
    assert seen["problems"] == []
