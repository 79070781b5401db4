"""Every number and every word of a fitted object is found, however deep."""

from __future__ import annotations

import datetime
import logging
import math
import sys
import warnings
from collections import deque, namedtuple
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import torch

from sdv_threea.audit import observations
from sdv_threea.audit.observations import LONGEST_WORD, PER_ARRAY, count_words, flatten, listen


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


LARGE = PER_ARRAY + 50


@pytest.mark.parametrize('at', [0, PER_ARRAY - 1, PER_ARRAY, LARGE - 1])
@pytest.mark.parametrize(
    'hold',
    [
        np.array, list, tuple, pd.Series, pd.Index, torch.tensor, set,
        lambda numbers: np.array(numbers, dtype=object),
        lambda numbers: np.array(numbers) * 1j,
        lambda numbers: np.array(numbers).astype('M8[s]'),
        lambda numbers: [f'{number:>{LONGEST_WORD + 9}}' for number in numbers],
        lambda numbers: [[number] for number in numbers],
        lambda numbers: pd.DataFrame({'one': 0.0, 'other': numbers}),
        lambda numbers: ' '.join(map(str, numbers)),
        lambda numbers: {number: Thing(number) for number in numbers},
    ],
)  # fmt: skip
def test_every_entry_of_a_large_thing_makes_a_difference(hold, at):
    numbers = [float(number) for number in range(LARGE)]
    others = [*numbers[:at], -1.0, *numbers[at + 1 :]]

    assert flatten(Thing(hold(numbers))) == flatten(Thing(hold(numbers)))
    assert flatten(Thing(hold(numbers))) != flatten(Thing(hold(others)))


def test_entries_in_another_order_make_a_difference():
    one = [*range(LARGE)]
    for hold in (np.array, list):
        assert flatten(hold(one)) != flatten(hold(one[:-2] + one[:-3:-1]))


def test_a_word_is_found_at_any_place_of_a_long_list():
    assert any('canary' in path for path in flatten([*map(str, range(LARGE)), 'canary']))


def test_entries_beyond_those_that_are_kept_make_a_difference(monkeypatch):
    monkeypatch.setattr(observations, 'IN_ALL', 5)
    numbers = {str(at): float(at) for at in range(9)}
    for name in numbers:
        assert flatten(numbers) != flatten(numbers | {name: -1.0})
    assert len(flatten(numbers)) == 7


def test_objects_without_attributes_are_read_as_their_pickles_would_be():
    for one, other in (
        (Decimal('1.5'), Decimal('1.6')),
        (datetime.timedelta(1), datetime.timedelta(2)),
        (datetime.time(1), datetime.time(2)),
        (1j, 2j),
        (deque([1]), deque([2])),
        (10**400, -(10**400)),
        ({1, 2}, {2, 3}),
    ):
        assert flatten([one]) == flatten([one])
        assert flatten([one]) != flatten([other]), one


def test_attributes_of_a_word_of_a_class_of_its_own_are_seen():
    class Named(str):
        __slots__ = ('__dict__',)

    word = Named('flu')
    word.patient = 'John'
    assert set(flatten([word])) == {"[0] is 'flu'", "[0].patient is 'John'"}


def test_warnings_logs_and_prints_are_heard_and_not_shown(capsys, recwarn):
    logger = logging.getLogger('sdv_threea.of.a.test')
    with listen() as heard:
        warnings.warn('a warning', stacklevel=1)
        logger.warning('a log of %s', 3)
        sys.stdout.write('a print\n')
        sys.stderr.write('an error\n')
    assert heard == ['WARNING a log of 3', 'UserWarning a warning', 'a print', 'an error']
    assert capsys.readouterr() == ('', '')
    assert not recwarn.list


def test_the_same_warning_is_heard_each_time():
    for _ in range(2):
        with listen() as heard:
            warnings.warn('again', stacklevel=1)
        assert heard == ['UserWarning again']


def test_levels_and_filters_of_loggers_hold():
    logger = logging.getLogger('sdv_threea.of.another.test')
    logger.setLevel(logging.INFO)

    def censor(record):
        record.msg = {name: each for name, each in record.msg.items() if name != 'ROWS'}
        return True

    logger.addFilter(censor)
    with listen() as heard:
        logger.info({'EVENT': 'Fit', 'ROWS': 3})
        logger.debug({'EVENT': 'unheard'})
    assert heard == ['INFO EVENT: Fit']


def test_what_was_said_before_an_error_is_heard():
    with suppress(ZeroDivisionError), listen() as heard:
        sys.stdout.write('before')
        raise ZeroDivisionError
    assert heard == ['before']


def test_words_are_counted():
    counts = count_words(['no value of c', 'no value of d'])
    assert counts['messages'] == 2
    assert counts["'no' is said"] == 2
    assert counts["'d' is said"] == 1
