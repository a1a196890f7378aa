"""The public checks of L2. Each is one cell of the notebook; its name says what to make true."""

from learning.judge import check
from learning.lessons.strided_copy.reference import materialise_reference


@check(points=1)
def copies_a_ragged_matrix_and_touches_nothing_beyond_it(materialise, trial):
    """100 rows and 150 columns leave tiles of 64 by 64 ragged at the right, at the bottom and in the corner."""
    trial.case("100 rows of 150, packed")
    trial.parity(materialise, trial.distinct(100, 150), reference=materialise_reference, exact="bits")
    for rows, columns in ((63, 65), (65, 63), (64, 128)):
        trial.case(f"{rows} rows of {columns}, packed")
        trial.parity(materialise, trial.distinct(rows, columns), reference=materialise_reference, exact="bits")


@check(points=1, trap=5)
def reads_x_through_both_of_its_strides(materialise, trial):
    """The same numbers, lying differently in memory, make the same packed matrix; an (H, I) view of (I, H) among them."""
    trial.case("a (70, 40) view of a packed (40, 70)")
    trial.parity(materialise, trial.distinct(40, 70).t(), reference=materialise_reference, exact="bits")
    for layout in ("padded", "every_other", "sliced", "transposed"):
        trial.case(f"5 rows of 37, {layout}")
        x = trial.layout(trial.distinct(5, 37), layout)
        trial.parity(materialise, x, reference=materialise_reference, exact="bits")


@check(points=0.5, trap=5)
def accepts_a_stride_of_zero_in_either_dimension(materialise, trial):
    """expand() repeats a row, a column or one number without storing it twice: a stride of 0 is a stride like any other."""
    trial.case("one stored row, read 7 times")
    trial.parity(materialise, trial.distinct(1, 21).expand(7, 21), reference=materialise_reference, exact="bits")
    trial.case("one stored column, read 21 times")
    trial.parity(materialise, trial.distinct(7, 1).expand(7, 21), reference=materialise_reference, exact="bits")
    trial.case("one stored number, read 147 times")
    trial.parity(materialise, trial.normal(1, 1).expand(7, 21), reference=materialise_reference, exact="bits")


@check(points=1)
def returns_fresh_memory_even_for_a_packed_matrix(materialise, trial):
    """A matrix that is contiguous already is copied all the same, x keeps every byte, and each call makes a new result."""
    trial.case("6 rows of 50, packed")
    trial.parity(materialise, trial.distinct(6, 50), reference=materialise_reference, exact="bits")
    trial.case("another 6 rows of 50, packed")
    trial.parity(materialise, trial.distinct(6, 50), reference=materialise_reference, exact="bits")
    trial.case("6 rows of 50, transposed")
    x = trial.layout(trial.distinct(6, 50), "transposed")
    trial.parity(materialise, x, reference=materialise_reference, exact="bits")


@check(points=0.5)
def copies_nothing_where_there_is_nothing(materialise, trial):
    """No rows, no columns, or neither: an empty tensor of the same shape and dtype, and no error."""
    for rows, columns in ((0, 5), (5, 0), (0, 0)):
        trial.case(f"{rows} rows of {columns}")
        trial.parity(materialise, trial.normal(rows, columns), reference=materialise_reference, exact="bits")


@check(points=1)
def moves_each_element_once(materialise, trial):
    """Each element is requested once from where it lies and stored once where it belongs: no stop in other memory."""
    trial.case("a (70, 40) view of a packed (40, 70)")
    x = trial.distinct(40, 70).t()
    seen = trial.structure(materialise, x, reference=materialise_reference, exact="bits")
    seen.passes(x=1, out=1)
    seen.writes_once()


@check(points=1)
def keeps_the_house_rules(materialise, trial):
    """A kernel of your own moves the elements: no contiguous(), clone() or copy_(), and nothing that does the same."""
    trial.case("3 rows of 8, transposed")
    trial.house_rules(materialise, trial.layout(trial.normal(3, 8), "transposed"))
