"""A small complete lesson: the builder's tests need one that no author is writing."""

from learning.lesson import Lesson

LESSON = Lesson(
    id="T1",
    title="Double it",
    sentence="A number goes in and twice that number comes out.",
    level="beginner",
    order=1,
    minutes=10,
    needs=("plain Python",),
    entries=("double", "EMPTY"),
    contract="`double(x)` returns `2 * x` for every finite float `x`; `EMPTY` is the float 0.",
    hints=("What is twice 3?", "Adding a number to itself doubles it.", "Return the sum of `x` and `x`."),
    kind="cpu",
    sessions="one",
    imports=("math",),
)
