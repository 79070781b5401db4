"""The page of proofs is up to date. If it is not, run ``python docs/make_proofs.py``."""

import math
import re

import numpy as np
import pytest
from dp_accounting.rdp import compute_epsilon

from sdv_threea.accounting import delta_from_mu, mu_from_epsilon
from sdv_threea.settings import THRESHOLD_SHARE, Settings


@pytest.fixture(scope='module')
def page(script):
    return script.PROOFS.read_text('utf-8')


def read_rows(table):
    return [line.strip('| ').split(' | ') for line in table.splitlines()[2:]]


def test_the_tables_of_the_page_are_those_of_the_script(script, page):
    assert script.fill(page, script.list_parts()) == page


def test_the_cost_of_a_step_falls_with_the_square_of_the_scale_as_the_page_says(script, page):
    squares = [float(row[2]) for row in read_rows(script.write_noise())]

    assert squares == pytest.approx([1 / 24] * len(squares), rel=0.03)
    assert '1 / (24 s^2)' in page


@pytest.mark.parametrize('rho', [1e-4, 0.03, 0.5, 4.0])
def test_zcdp_is_converted_as_others_convert_it(script, rho):
    orders = 1 + np.exp(np.linspace(-6, 10, 4001))
    expected, _ = compute_epsilon(orders, orders * rho, 9e-7)

    assert script.find_epsilon(rho, 9e-7) == pytest.approx(expected, rel=1e-4)
    # It is weaker than what the noise is proved to be, and by as much as the page shows.
    assert delta_from_mu(math.sqrt(2 * rho), script.find_epsilon(rho, 9e-7)) < 9e-7


def test_the_thresholds_are_those_of_the_statement_on_the_other_page(script):
    thresholds = script.read_thresholds()
    columns, noises = zip(*thresholds, strict=True)

    # The target; eight categories and booleans beside it, looked at twice; six numbers.
    assert columns == (1, 8, 8, 6)
    mu = mu_from_epsilon(1.0, (1 - THRESHOLD_SHARE) * Settings().delta)
    # In the second look a record counts one, whatever the number of columns.
    counts = 1, 8, 1, 6
    spent = sum(count / noise**2 for count, noise in zip(counts, noises, strict=True))
    assert spent < 0.23 * mu**2


def test_one_row_has_the_delta_that_is_set_aside(script):
    one, *others = read_rows(script.write_groups())

    assert one[3] == one[4] == f'{Settings().delta * THRESHOLD_SHARE:.1e}'
    assert float(one[2]) == Settings().epsilon
    # What the page says beside the table: less than ten rows in proportion, a hundred not at all.
    grown = {int(row[0]): (float(row[3]), float(row[4])) for row in others}
    assert all(linear == found for size, (linear, found) in grown.items() if size < 10)
    assert grown[100][1] > 0.1
    assert all(found > linear for size, (linear, found) in grown.items() if size >= 20)


def test_every_proof_ends_and_every_test_file_is_there(page):
    claims = re.findall(r'\*\*(Lemma|Theorem) \d\.\*\*', page)

    assert len(claims) == page.count('∎') == 5
    assert 'tests/proofs' in page
