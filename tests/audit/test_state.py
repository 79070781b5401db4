"""Every number and every word of a fitted object is found, however deep."""

from __future__ import annotations

import datetime
import math
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch

from sdv_threea.audit.state import PER_ARRAY, flatten


@dataclass
class Thing:
    held: object


def values(thing):
    return set(flatten(Thing(thing)).values())


def test_numbers_are_found_wherever_they_are():
    Pair = namedtuple('Pair', ['one', 'other'])
    for holder in (
        42,
        np.float32(42),
        [[42]],
        (1, {'deep': [42]}),
        {42},
        np.array([[1, 42]]),
        np.array(['word', 42], dtype=object),
        pd.Series([42], index=['word']),
        pd.Series([1], index=[42]),
        pd.DataFrame({'column': [42.0]}),
        pd.DataFrame({'column': pd.array([42, None], dtype='Int64')}),
        torch.tensor([42.0]),
        Pair(1, Thing(42)),
        {'key': Thing(Thing(42))},
    ):
        assert 42 in values(holder), holder


def test_words_are_found_wherever_they_are():
    for holder in (
        'canary',
        ['canary'],
        {'values': ('canary',)},
        {'canary': None, 'other': 1, 'canary_': 'canary'},
        np.array(['canary'], dtype=object),
        np.array(['canary']),
        pd.Index(['canary']),
        pd.Categorical(['canary']),
        frozenset({'canary'}),
        b'canary',
    ):
        assert any('canary' in path for path in flatten(Thing(holder))), holder


def test_a_day_is_a_word():
    assert '.held is 2020-01-02' in flatten(Thing(datetime.date(2020, 1, 2)))


def test_the_same_place_has_the_same_name():
    one, other = (flatten(Thing({'a': [number, 2.0]})) for number in (1, 5))
    assert one.keys() == other.keys()
    assert (one['.held.a[0]'], other['.held.a[0]']) == (1, 5)


def test_circles_and_code_are_passed_over():
    circle = Thing([1])
    circle.held.append(circle)
    assert set(flatten(circle).values()) == {1}
    assert flatten(Thing([np.random.default_rng(), math, len, Thing])) == {}
    assert flatten(Thing(lambda: 42)) == {}


def test_only_what_would_be_pickled_is_seen():
    class Discreet(Thing):
        def __getstate__(self):
            return {'shown': 1}

    class Closed(Thing):
        def __reduce_ex__(self, protocol):
            raise TypeError

        def __getstate__(self):
            raise TypeError('not to be pickled')

    assert flatten(Discreet(42)) == {'.shown': 1}
    assert flatten(Closed(42)) == {}


def test_large_arrays_are_read_in_part():
    assert len(flatten(Thing(np.zeros(PER_ARRAY + 50)))) == PER_ARRAY


def test_attributes_of_a_word_of_a_class_of_its_own_are_seen():
    class Named(str):
        __slots__ = ('__dict__',)

    word = Named('flu')
    word.patient = 'John'
    assert set(flatten([word])) == {"[0] is 'flu'", "[0].patient is 'John'"}
