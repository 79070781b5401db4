"""SDMetrics' scores of a table: all pairs count, and rows behind them are shares."""

import warnings

import numpy as np
import pandas as pd
import pytest
from described import describe

from sdv_threea.report.quality import measure_quality


@pytest.fixture
def metadata():
    columns = {
        'size': {'sdtype': 'numerical'},
        'day': {'sdtype': 'datetime', 'datetime_format': '%d/%m/%Y'},
        'colour': {'sdtype': 'categorical'},
        'key': {'sdtype': 'id'},
    }
    return describe(columns, 'things')


def make_table(rng, num_rows=800):
    colour = rng.choice(['red', 'blue', None], size=num_rows, p=[0.6, 0.3, 0.1])
    days = pd.Timestamp('2024-01-01') + pd.to_timedelta(rng.integers(0, 300, num_rows), unit='D')
    size = rng.normal(size=num_rows) + 2 * (colour == 'red')
    key = [f'k{row}' for row in range(num_rows)]
    return pd.DataFrame(
        {'size': size, 'day': days.strftime('%d/%m/%Y'), 'colour': colour, 'key': key}
    )


@pytest.fixture
def tables():
    rng = np.random.default_rng(3)
    return make_table(rng), make_table(rng)


def test_scores_fall_with_the_columns_and_with_the_relations(tables, metadata):
    real, other = tables
    good = measure_quality(real, other, metadata)
    shuffled = other.assign(size=np.random.default_rng(1).permutation(other['size']))
    unrelated = measure_quality(real, shuffled, metadata)
    shifted = measure_quality(real, other.assign(size=other['size'] + 3), metadata)

    assert 0.9 < good.overall < 1
    assert unrelated.shapes == pytest.approx(good.shapes)
    assert unrelated.pairs < good.pairs - 0.03
    assert shifted.shapes < good.shapes - 0.2
    assert good.overall == pytest.approx((good.shapes + good.pairs) / 2)


def test_a_far_value_does_not_cost_the_score_in_common_bins(tables, metadata):
    """SDMetrics cuts each table over its own range, so one far value costs all scores of pairs."""
    real, other = tables
    far = other.assign(size=other['size'].where(other.index > 0, 50 * other['size'].max()))
    near, far = (measure_quality(real, each, metadata) for each in (other, far))

    assert far.overall < near.overall - 0.05
    assert far.in_common_bins == pytest.approx(near.in_common_bins, abs=0.01)
    assert near.in_common_bins == pytest.approx(near.overall, abs=0.03)


def test_an_invalid_table_shows_in_the_diagnostic(tables, metadata):
    real, other = tables
    assert measure_quality(real, other.assign(colour='green'), metadata).diagnostic < 1


def test_stated_formats_and_constraints_are_checked_and_no_real_cell_is_quoted(tables, metadata):
    real, other = (table.assign(top=table['size'] + 1) for table in tables)
    metadata.add_column('top', 'things', sdtype='numerical')
    rule = {'low_column_name': 'size', 'high_column_name': 'top', 'table_name': 'things'}
    constraint = {'class_name': 'Inequality', 'parameters': rule}
    broken = other.assign(top=other['size'] - 1)
    real.loc[0, 'top'] = -99
    with warnings.catch_warnings():
        warnings.filterwarnings('error', category=UserWarning)
        quality = measure_quality(real, broken, metadata, constraints=[constraint])

    valid = quality.details['Data Validity'].set_index(['Column', 'Metric'])['Score']
    assert valid['day', 'DatetimeFormatAdherence'] == 1
    assert quality.details['Constraint Validity']['Score'].tolist() == [0]
