"""Resolution follows spread: neither the offset of a column nor its unit matters."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from chance import draw_from

from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.closer import find_points
from sdv_threea.describe.ranges import Sketch
from sdv_threea.domain import Domain, Number

SIZE = 3000


@pytest.fixture
def find(ask):
    """Return the ends of a column and the width of its bins, with the same small noise."""

    def find(values):
        noise = draw_from(np.random.default_rng(1))
        table, domain = pd.DataFrame({'x': values}), Domain((Number(name='x', step=0.0),))
        description, _ = ask(table, noise, domain, mu=1.0, num_records=float(SIZE))
        sketch = description.sketches['x']
        return sketch.bounds, float(np.average(np.diff(sketch.edges)[:, 0], weights=sketch.counts))

    return find


def test_several_clusters_are_refined_each(find):
    """Two cities: their longitudes lie far from each other, and each in one bin."""
    values = np.append(np.linspace(-74.1, -73.8, SIZE // 2), np.linspace(151.0, 151.3, SIZE // 2))
    (low, high), _ = find(values)

    assert low == pytest.approx(-74.1, abs=0.05)
    assert high == pytest.approx(151.3, abs=0.05)


@pytest.mark.parametrize('seed', range(4))
def test_a_cluster_that_noise_masks_in_finer_bins_stays_in_its_coarse_ones(ask, seed):
    """Laboratory results of four tests, each with a unit of its own."""
    rng = np.random.default_rng(seed)
    means, deviations = np.array([[-150.0, 6.5, 40_000.0, 0.002], [5.0, 0.8, 9_000.0, 0.0003]])
    values = rng.normal(means, deviations, (400, 4)).ravel()
    table, domain = pd.DataFrame({'x': values}), Domain((Number(name='x', step=0.0),))
    description, _ = ask(table, draw_from(rng), domain, mu=0.1, num_records=float(values.size))
    low, high = description.sketches['x'].bounds

    assert np.mean((values >= low) & (values < high)) > 0.9


def test_a_lone_bin_that_further_looks_made_tiny_is_a_single_number():
    edges = np.array([[0.5, 0.999999995], [0.999999995, 1.000000001], [1.000000001, 9]])
    sketch = Sketch(edges, np.array([-20.0, 900.0, 15.0]), 20.0)
    constants = DescribeConstants()

    assert find_points(sketch, 9, constants) == {1.0: 900.0}
    assert find_points(replace(sketch, edges=1e3 + edges), 9, constants) == {1001.0: 900.0}
    assert not find_points(replace(sketch, edges=edges + [0, 0.01]), 9, constants)


@pytest.mark.parametrize('seed', range(8))
def test_a_single_cluster_that_noise_masks_has_no_far_range(ask, seed):
    """In the bins of the look before, noise far away stood out from nothing."""
    rng = np.random.default_rng(seed)
    values = rng.normal(72, 12, 540)
    table, domain = pd.DataFrame({'x': values}), Domain((Number(name='x', step=0.0),))
    description, _ = ask(table, draw_from(rng), domain, mu=0.06, num_records=540.0)
    low, high = description.sketches['x'].bounds

    assert high - low < 2.5 * np.ptp(values)
    assert np.mean((values >= low) & (values < high)) > 0.8
