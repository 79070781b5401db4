"""What one row could do to others once, end to end: each of these was found, and none is so now."""

from functools import partial

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from described import describe, describe_tables

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer

pytestmark = pytest.mark.filterwarnings('ignore:No value of the columns')

SECRET = 'John Smith, SSN 078-05-1120'


def make_single(sdtype, **settings):
    return ClustMixSynthesizer(describe({'x': sdtype}, 'child'), **settings)


def make_related(sdtype, **settings):
    tables = {'parent': {'key': 'id'}, 'child': {'parent': 'id', 'x': sdtype}}
    metadata = describe_tables(tables, ('child', 'parent', 'parent', 'key'))
    return ClustMixMultiTableSynthesizer(metadata, max_children=1, **settings)


class Fit:
    """A fit of one column, as a table or as the child of another.

    Args:
        make: Makes the synthesizer.
        column: The private column.
        sdtype: Its sdtype.
        settings: Of the synthesizer.
    """

    def __init__(self, make, column, sdtype, **settings):
        self.synthesizer = make(sdtype, **settings)
        tables = {'child': pd.DataFrame({'x': column})}
        if make is make_related:
            keys = np.arange(len(column))
            tables = {'parent': pd.DataFrame({'key': keys}), 'child': tables['child']}
            tables['child'].insert(0, 'parent', keys)
        self.synthesizer.fit(tables)

    @property
    def released(self):
        """The released values."""
        if isinstance(self.synthesizer, ClustMixSynthesizer):
            return self.synthesizer._model.domain['x'].values  # noqa: PD011
        return self.synthesizer._model.tables['child'].released.domain['x'].values  # noqa: PD011

    def sample(self):
        if isinstance(self.synthesizer, ClustMixSynthesizer):
            return self.synthesizer.sample(300)['child']['x']
        return self.synthesizer.sample_scale(0.1)['child']['x']


@pytest.fixture(params=[make_single, make_related], ids=['single', 'related'])
def fit(request):
    """Fit a column of a table, and of one that hangs off another."""
    return partial(Fit, request.param)


@pytest.mark.parametrize('storage', [object, 'string'])
def test_a_text_with_nul_does_not_take_the_place_of_others(fit, storage):
    values = [f'flu\0 {SECRET}', *['flu', 'cold', 'hiv'] * 1000]
    fitted = fit(pd.Series(values, dtype=storage), 'categorical', epsilon=1.0)

    assert set(fitted.released) == {'flu', 'cold', 'hiv'}
    assert set(fitted.sample().dropna()) <= {'flu', 'cold', 'hiv'}
    assert SECRET.encode() not in cloudpickle.dumps(fitted.synthesizer)


class Text(str):
    """A text with something beside it."""


def test_an_object_of_the_table_is_neither_saved_nor_sampled(fit):
    values = [Text(each) for each in ['flu', 'cold'] * 300]
    for each in values:
        each.owner = SECRET
    fitted = fit(pd.Series(values, dtype=object), 'categorical', epsilon=50.0)

    assert SECRET.encode() not in cloudpickle.dumps(fitted.synthesizer)
    assert {type(each) for each in fitted.sample()} == {str}


def copy_text(text):
    """Make an equal text that is another object."""
    return ''.join(list(text))


@pytest.mark.parametrize('kind', [copy_text, pd.Timestamp])
def test_which_cells_share_an_object_does_not_show_in_a_pickle(fixed, kind):
    metadata = describe(dict.fromkeys('xy', 'categorical'), 'child')
    values = ['2020-01-01', '2020-01-02'] * 300
    once = {each: kind(each) for each in values}
    sizes = []
    for made in ([once[each] for each in values], list(map(kind, values))):
        other = made if made[0] is made[2] else list(map(kind, values))
        table = pd.DataFrame({'x': made, 'y': other}, dtype=object)
        synthesizer = ClustMixSynthesizer(metadata, epsilon=50.0)
        synthesizer.fit({'child': table})
        sizes.append(len(cloudpickle.dumps(synthesizer._model)))

    assert sizes[0] == sizes[1]
