"""What a fit and a sample take is told before anything is read, and is about what they took."""

import math

import pytest

from sdv_threea.cost import CELL_BYTES, GIGABYTE, expect_memory, expected_cost

DAY, LARGE = 86_400.0, 250 * GIGABYTE

#: Seconds of one processor that fits took: rows, columns, classes, and of sampling as many rows.
MEASURED = [
    (10_000, 10, 2, 0.66, 0.07),
    (10_000, 15, 2, 0.83, 0.09),
    (10_000, 30, 2, 1.42, 0.16),
    (10_000, 100, 2, 4.64, 0.48),
    (10_000, 300, 2, 5.76, 0.61),
    (10_000, 1_000, 2, 22.8, 4.5),
    (10_000, 2_000, 2, 48.3, None),
    (10_000, 5_000, 2, 93.6, 23.0),
    (100_000, 15, 2, 2.93, 0.92),
    (100_000, 100, 2, 12.7, 5.27),
    (1_000_000, 15, 2, 6.8, 13.5),
    (10_000, 100, 1, 0.42, 0.14),
    (10_000, 300, 1, 1.86, 0.48),
    (10_000, 5_000, 1, 54.7, None),
    (100_000, 100, 1, 8.58, 4.58),
    (1_000_000, 15, 1, 2.27, 9.22),
]


@pytest.mark.parametrize(('rows', 'columns', 'classes', 'fit', 'sample'), MEASURED)
def test_seconds_are_within_a_factor_of_what_was_measured(rows, columns, classes, fit, sample):
    expected = expected_cost(rows, columns, num_classes=classes)

    assert fit / 3 < expected.fit_seconds < 3 * fit
    # Narrow tables without a target take less to sample than a cell of others would.
    assert sample is None or sample / 3 < expected.sample_seconds < 4 * sample


@pytest.mark.parametrize('columns', [10, 1_000, None])
@pytest.mark.parametrize('classes', [1, 2, 30])
def test_what_goes_into_a_large_machine_takes_less_than_a_day(columns, classes):
    """So memory is what is refused: no number of seconds is too large for a machine."""
    matrices = expect_memory(1_001, classes) - expect_memory(1, classes)
    columns = columns or int(1_000 * math.sqrt(LARGE / matrices))  # as many as it can hold
    expected = expected_cost(int(LARGE / CELL_BYTES / columns), columns, num_classes=classes)

    assert expected.fit_bytes < 1.1 * LARGE
    assert max(expected.fit_seconds, expected.sample_seconds) < DAY


@pytest.mark.parametrize(
    ('rows', 'columns', 'told'),
    [
        (1000, 10, 'A fit takes about 0.3 seconds of one processor and 0.4 GB'),
        (10**9, 15, 'sampling as many rows about 2 hours and 120.0 GB or more'),
        (10**11, 15, 'about 9 days'),
        (10_000, 5_000, 'about 75.2 seconds of one processor and 2.8 GB'),
    ],
)
def test_it_is_said_in_units_that_one_can_read(rows, columns, told):
    assert told in str(expected_cost(rows, columns))


def test_a_table_without_rows_or_columns_is_refused():
    for wrong in ((0, 1), (1, 0), (-1, 1)):
        with pytest.raises(ValueError, match='at least one'):
            expected_cost(*wrong)
