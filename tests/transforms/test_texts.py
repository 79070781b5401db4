"""Numbers that are written as texts: read cell by cell in a notation, and written in it."""

import warnings

import numpy as np
import pandas as pd
import pytest
from described import describe
from sdv.errors import InvalidDataError

from sdv_threea import ClustMixSynthesizer
from sdv_threea.transformers import NumberTexts

DOLLARS = {'prefix': '$'}
EUROS = {'suffix': ' €', 'thousands': '.', 'decimal': ','}
PERCENT = {'suffix': ' %', 'places': 0, 'thousands': ''}


@pytest.mark.parametrize(
    ('notation', 'cell', 'number'),
    [
        (DOLLARS, '$1,234.50', 1234.5), (DOLLARS, '-$3.00', -3.0), (DOLLARS, '$-3.00', -3.0),
        (DOLLARS, '($3.00)', -3.0), (DOLLARS, ' $ 1234.5 ', 1234.5), (DOLLARS, '0', 0.0),
        (DOLLARS, 7, 7.0), (EUROS, '1.234,50 €', 1234.5), (EUROS, '12', 12.0),
        (PERCENT, '37 %', 37.0), (PERCENT, '37%', 37.0),
    ],
)  # fmt: skip
def test_a_cell_is_read_in_its_notation(notation, cell, number):
    assert NumberTexts(**notation).read([cell]).tolist() == [number]


@pytest.mark.parametrize(
    'cell',
    ['', '$', 'about $5', '$1,23', '1.234,50', '37 %', '٣', 'nan', None, True, '($3.00', '--3'],
)
def test_what_spells_no_number_is_none(cell):
    assert np.isnan(NumberTexts(**DOLLARS).read([cell])).all()


@pytest.mark.parametrize(
    ('notation', 'texts'),
    [
        (DOLLARS, ['$1,234,567.50', '-$0.05', '$0.00']),
        (EUROS, ['1.234.567,50 €', '-0,05 €']),
        (PERCENT, ['1037 %', '-4 %']),
    ],
)
def test_what_is_written_reads_the_same(notation, texts):
    transformer = NumberTexts(**notation)
    assert transformer.write(transformer.read(texts)).tolist() == texts
    assert transformer.write(np.array([np.nan])).tolist() == [None]


@pytest.mark.parametrize('wrong', [{'places': -1}, {'places': 0.5}, {'decimal': ','}])
def test_a_notation_that_cannot_be_is_refused(wrong):
    with pytest.raises(ValueError, match='must be'):
        NumberTexts(**wrong)


@pytest.mark.parametrize(
    ('example', 'notation'),
    [
        ('$1,234.50', ('$', '', ',', '.', 2)),
        ('37 %', ('', ' %', ',', '.', 0)),
        ('1.234,5 €', ('', ' €', '.', ',', 1)),
        ('-12,5', ('', '', '.', ',', 1)),
        ('1,234', ('', '', ',', '.', 0)),
        ("CHF 1'234'567.05", ('CHF ', '', "'", '.', 2)),
        ('1.234.567', ('', '', '.', ',', 0)),
    ],
)
def test_a_notation_is_read_from_an_example(example, notation):
    made = NumberTexts.like(example)
    assert tuple(made.notation.values()) == notation
    assert made.write(made.read([example])).tolist() == [example]


@pytest.mark.parametrize('wrong', ['', 'dollars', '1 of 2 parts, 3'])
def test_other_examples_are_refused(wrong):
    with pytest.raises(ValueError, match='no number with a sign'):
        NumberTexts.like(wrong)


def test_a_column_of_texts_is_learned_as_a_number_and_sampled_as_texts():
    rng = np.random.default_rng(0)
    price = pd.Series(NumberTexts('$').write(rng.gamma(2, 500, 900).round(2)))
    table = pd.DataFrame({'price': price.mask(rng.random(900) < 0.2)})
    metadata = describe({'price': 'categorical'})
    made = ClustMixSynthesizer(metadata, epsilon=20.0)
    made.auto_assign_transformers({'t': table})
    made.update_transformers({'price': NumberTexts('$')})
    assert made.check().columns[0].resolution.startswith('±')
    with pytest.raises(InvalidDataError, match='cannot take') as refused:
        made.fit({'t': table.replace({price[0]: 'secret'})})
    assert 'secret' not in str(refused.value)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        made.fit({'t': table})
    sampled = made.sample(900)['t']['price']

    assert sampled.dropna().str.fullmatch(r'-?\$[\d,]+\.\d\d').all()
    assert abs(sampled.isna().mean() - 0.2) < 0.1
    means = [NumberTexts('$').read(each.dropna()).mean() for each in (sampled, table['price'])]
    assert means[0] == pytest.approx(means[1], rel=0.2)
