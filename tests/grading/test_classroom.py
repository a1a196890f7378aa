"""The demonstration's class, made smaller for a slow machine without losing what it shows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from learning.grading.classroom import Handin, smaller


def classes():
    def made(counts):
        mutants, variants, others = counts
        names = ["ada", *(f"variant-{n}" for n in range(variants)), *(f"mutant-{n}" for n in range(mutants))]
        return [Handin(name, "", "{}", "full") for name in [*names, *(f"story-{n}" for n in range(others))]]

    return st.tuples(st.integers(0, 40), st.integers(0, 8), st.integers(0, 8)).map(made)


@given(classes(), st.integers(0, 60))
def test_a_smaller_class_keeps_its_order_its_stories_and_its_size(everyone, most):
    kept = smaller(everyone, most)
    stories = [h for h in everyone if not h.who.startswith(("mutant-", "variant-"))]
    assert [h for h in everyone if h in kept] == kept
    assert all(h in kept for h in stories)
    assert len(kept) == max(len(stories), min(most, len(everyone)))


@given(classes())
def test_without_a_limit_everyone_comes(everyone):
    assert smaller(everyone, None) == everyone


def test_what_is_kept_is_spread_over_the_mutants():
    everyone = [Handin(f"mutant-{n:02}", "", "{}", "loses") for n in range(30)]
    kept = [int(h.who[-2:]) for h in smaller(everyone, 6)]
    assert kept == [0, 5, 10, 15, 20, 25]
