"""Of a number and its difference, the one of which the same counts tell more."""

from dataclasses import replace

import numpy as np
import pytest

from sdv_threea.describe.description import Description
from sdv_threea.describe.narrower import keep_narrower
from sdv_threea.describe.ranges import Sketch
from sdv_threea.domain import Domain, Number


def describe(gap_counts):
    columns = (Number(name='a', low=0, high=90), Number(name='b', low=40, high=60))
    gap = Number(name='a#b', low=0, high=80)
    edges = np.array([[0.0, 1], [1, 2], [2, 40], [40, 80]])
    sketch = Sketch(edges, np.array(gap_counts, dtype=np.float64), 1.0)
    return Description(Domain((*columns, gap), 'a', (('b', 'a#b'),)), {'a#b': sketch})


@pytest.mark.parametrize(
    ('counts', 'kept', 'beside'), [([80, 90, 5, -9], 'a#b', ('b',)), ([10, 20, 90, 90], 'b', ())]
)
def test_the_narrower_is_modelled_and_the_range_of_a_number_stays(counts, kept, beside):
    description = describe(counts)
    domain = keep_narrower(description, description.domain.either).domain

    assert (domain.names, domain.target) == (('a', kept), 'a')
    assert tuple(own.name for own in domain.beside) == beside


@pytest.mark.parametrize(('target', 'other'), [('a#b', 'b'), ('b', 'a#b'), ('a', 'a')])
@pytest.mark.parametrize('counts', [[80, 90, 5, -9], [10, 20, 90, 90]])
def test_a_target_that_is_left_out_gives_way_to_the_other_of_its_pair(counts, target, other):
    description = describe(counts)
    domain = replace(description.domain, target=target)
    kept = keep_narrower(replace(description, domain=domain), domain.either).domain

    assert kept.target == (target if target in kept.names else other)
    assert kept.target in kept.names
