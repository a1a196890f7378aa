"""The public checks of L1. Each is one cell of the notebook; its name says what to make true."""

from learning.judge import check
from learning.lessons.vector_add.reference import add_reference


@check(points=1)
def adds_2500_elements_and_touches_nothing_beyond_them(add, trial):
    """The third program owns 452 elements that exist and 572 that do not; whatever lies there must stay as it was."""
    trial.case("2500 elements")
    trial.parity(add, trial.normal(2500), trial.normal(2500), reference=add_reference)


@check(points=1)
def adds_every_length_around_a_tile(add, trial):
    """Nothing, one element, and one fewer than, exactly, and one more than tiles of 1024 hold."""
    for length in (0, 1, 1023, 1024, 1025, 2048):
        trial.case(f"{length} elements")
        trial.parity(add, trial.normal(length), trial.normal(length), reference=add_reference)


@check(points=1, trap=8)
def keeps_the_dtype_and_rounds_once(add, trial):
    """float16 and bfloat16 come back as they came in, equal to the float32 sum rounded a single time."""
    for dtype in trial.dtypes:
        trial.case(f"1537 elements of {dtype}")
        x, y = trial.normal(1537, dtype=dtype), trial.normal(1537, dtype=dtype, scale=0.01)
        trial.parity(add, x, y, reference=add_reference, exact=True)


@check(points=1)
def leaves_its_inputs_alone_and_returns_fresh_memory(add, trial):
    """x and y keep every byte, the result shares memory with neither, and adding a tensor to itself doubles it."""
    trial.case("two tensors")
    x, y = trial.distinct(1500), trial.distinct(1500)
    trial.parity(add, x, y, reference=add_reference, exact=True)
    trial.case("one tensor twice")
    trial.parity(add, x, x, reference=add_reference, exact=True)


@check(points=1)
def asks_memory_for_each_number_once(add, trial):
    """x and y are requested once, the result is stored once, and nothing goes to memory and comes back on the way."""
    trial.case("2500 elements")
    seen = trial.structure(add, trial.normal(2500), trial.normal(2500), reference=add_reference)
    seen.passes(x=1, y=1, out=1)
    seen.writes_once()


@check(points=1)
def keeps_the_house_rules(add, trial):
    """A kernel of your own does the adding: PyTorch may make the result, look at shapes and take views."""
    trial.case("100 elements")
    trial.house_rules(add, trial.normal(100), trial.normal(100))
