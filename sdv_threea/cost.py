"""What a fit and a sample take, in seconds and memory: estimated from public numbers alone.

Memory is refused beyond what the machine has (:mod:`sdv_threea.storage.memory`). Seconds are told
and never refused, as no machine has an end of them: what goes into 250 GB takes less than a day,
but for rows that are read from files or written to them, and there long runs are meant.
"""

from __future__ import annotations

from dataclasses import dataclass

from sdv_threea.errors import InputError

GIGABYTE = 1e9

#: Bytes of a cell of a table in memory, at the least.
CELL_BYTES = 8

#: What a fit takes: the package with SDV; matrices of a number per pair of columns at once, and
#: more for each component. Measured at 1,500 columns, at 5,000 with two classes and without, and at
#: 500 components.
PACKAGE_BYTES, MATRICES, COMPONENT_MATRICES = 4e8, 7, 5

#: Seconds of one processor, by which nothing measured was off by a factor of three or more: 10 to
#: 5,000 columns of 10,000 rows, 10,000 to 1,000,000 rows of 15 columns, with a target and without.
#: Of any fit; of a cell, a column, a pair of columns; and of sampling a cell.
FIT, FIT_CELL, FIT_COLUMN, FIT_PAIR, SAMPLE_CELL = 0.2, 4e-7, 6e-3, 1e-6, 5e-7

#: What labels add to that: at all, and for a column.
LABELS, LABELS_COLUMN = 0.3, 1e-2


@dataclass(frozen=True, kw_only=True)
class ExpectedCost:
    """What a fit takes beside the table that it is given, and a sample of as many rows.

    Args:
        fit_seconds: Seconds of one processor, within a factor of three.
        fit_bytes: Bytes of memory at the most.
        sample_seconds: Seconds of one processor for as many rows, within a factor of three.
        sample_bytes: Bytes of these rows at the least.
    """

    fit_seconds: float
    fit_bytes: float
    sample_seconds: float
    sample_bytes: float

    def __str__(self) -> str:
        return (
            f'A fit takes about {_spell(self.fit_seconds)} of one processor and '
            f'{self.fit_bytes / GIGABYTE:,.1f} GB; sampling as many rows about '
            f'{_spell(self.sample_seconds)} and {self.sample_bytes / GIGABYTE:,.1f} GB or more, '
            'give or take a factor of three.'
        )


def expected_cost(
    num_rows: int, num_columns: int, *, num_classes: int = 1, num_components: int = 1
) -> ExpectedCost:
    """Estimate what a fit and a sample take, before anything is read.

    Args:
        num_rows: About how many rows the table has.
        num_columns: Number of columns to be modelled, the target included.
        num_classes: Number of values of a categorical target; 1 without a target.
        num_components: Number of components of a class, if they are asked for.

    Returns:
        Seconds and bytes.

    Raises:
        ValueError: If a number is below 1.

    Examples:
        >>> from sdv_threea.cost import expected_cost
        >>> expected_cost(10_000, 1_000, num_classes=2).fit_seconds < 60
        True
    """
    if min(num_rows, num_columns, num_classes, num_components) < 1:
        raise InputError('A table has at least one row, column, class and component.')
    cells, pairs = num_rows * num_columns, num_columns**2
    seconds = FIT + FIT_CELL * cells + FIT_COLUMN * num_columns + FIT_PAIR * pairs
    if num_classes > 1:
        seconds += LABELS + LABELS_COLUMN * num_columns
    return ExpectedCost(
        fit_seconds=seconds,
        fit_bytes=expect_memory(num_columns, num_classes, num_components),
        sample_seconds=SAMPLE_CELL * cells,
        sample_bytes=CELL_BYTES * cells,
    )


def expect_memory(num_columns: int, num_classes: int, num_components: int) -> float:
    """Estimate the bytes that a fit takes at most, beside the table that it is given.

    What grows are matrices of a cell per pair of columns: some for the correlations, and some for
    each component of each class. Rows do not count, as they are read in chunks.

    Args:
        num_columns: How many columns are modelled.
        num_classes: How many classes there are.
        num_components: How many components each class has.
    """
    matrices = MATRICES + COMPONENT_MATRICES * num_classes * num_components
    return PACKAGE_BYTES + CELL_BYTES * num_columns**2 * matrices


def _spell(seconds: float) -> str:
    for unit, size in (('days', 86_400), ('hours', 3_600), ('minutes', 60)):
        if seconds >= 2 * size:
            return f'{seconds / size:,.0f} {unit}'
    return f'{seconds:.1f} seconds'
