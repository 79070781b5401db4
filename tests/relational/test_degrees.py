"""References to rows of other units: how far a unit moves what is said of them, and samples."""

import math

import numpy as np
import pandas as pd
import pytest
from described import describe_tables

from sdv_threea import ClustMixMultiTableSynthesizer
from sdv_threea.constants import RelationalConstants
from sdv_threea.relational.degrees import Sizes, _spread
from sdv_threea.relational.magnitudes import FIRST
from sdv_threea.relational.model import References
from sdv_threea.relational.spreading import spread_references
from sdv_threea.rows.codes import Listed
from sdv_threea.rows.units.links import (
    Ends,
    Reading,
    Referred,
    count_references,
    count_repeats,
    mark_repeats,
    read_repeats,
)
from sdv_threea.rows.units.membership import NOBODY, Group
from sdv_threea.schema import Link
from sdv_threea.statistics import registry

LINK, OWNER = Link('b', ('to',), 'a'), Link('b', ('of',), 'a')

#: Values at both ends: codes 1 to 4, in bins of two. Equal codes of a bin count in one table.
CODER = Listed((1, 2, 3, 4), nullable=False, unlisted=-1)
OF_CODE, NONE = np.array([-1, 0, 0, 1, 1]), np.full(5, -1)
ENDS = (
    Ends(True, 'value', 'value', OF_CODE, OF_CODE, np.arange(5)),
    Ends(True, 'value', 'value', OF_CODE, OF_CODE, NONE),
)
WEIGHTS = (2, 1)


@pytest.fixture
def read(in_order):
    """Return a function that counts as a release does, and chooses rows in their order."""

    def read(*made):
        group = make_group(*made)
        pairs = read_repeats(LINK, OWNER, 1, 0, group)
        tables = tuple(
            (math.prod(ends.shape), own) for ends, own in zip(ENDS, WEIGHTS, strict=True)
        )
        return count_references(FIRST, tables, read_references(group, 1)), count_repeats(pairs)

    return read


def make_group(units, theirs, referred, values, owners):
    """Make a group whose rows have these values; a row of the parent has that of its unit."""
    rows = {
        'b': pd.DataFrame({'value': values}),
        'a': pd.DataFrame({'value': theirs % 4 + 1}),
    }
    parents, by_table = {LINK: referred, OWNER: owners}, {'a': theirs, 'b': units}
    numbers = {name: np.arange(len(each)) for name, each in by_table.items()}
    return Group(rows, parents, by_table, numbers, numbers)


def read_references(group, bound):
    """Read the references of one group to itself."""
    own = (('value', CODER),)
    places = tuple((0, 0, ends) for ends in ENDS)
    reading = Reading(LINK, None, (own, (), own), places, bound, (1, 2, 3))
    return reading.take(group, [sent for _, sent in reading.send(0, group)])


def take_away(unit, units, theirs, referred, values, owners):
    """Take a unit away, and let references of others to its rows lead nowhere."""
    stays, above = units != unit, theirs != unit
    places = np.append(np.where(above, np.cumsum(above) - 1, -2 - np.arange(len(theirs))), NOBODY)
    return units[stays], theirs[above], places[referred[stays]], values[stays], owners[stays]


def list_hostile(within):
    """List tables of units with many rows, stars that all refer to, and pairs that repeat."""
    rng = np.random.default_rng(5)
    for _ in range(150):
        num, rows = 6, int(rng.integers(2, 30))
        theirs = rng.integers(0, num, int(rng.integers(1, 10))) + 100 * (not within)
        units = rng.integers(0, num, rows)
        weights = rng.dirichlet(np.full(len(theirs), rng.choice([0.1, 1.0, 10.0])))
        referred = rng.choice(len(theirs), rows, p=weights)
        referred[rng.random(rows) < 0.1] = NOBODY
        yield units, theirs, referred, rng.integers(1, 1 + rng.choice([2, 4]), rows), units
    if within:  # 0 refers to 8, as 2 does with a row of another bin; 3 and 5 refer to 0
        units, values = np.array([0, 2, 3, 5]), np.array([1, 3, 1, 1])
        yield units, np.array([0, 8]), np.array([1, 1, 0, 0]), values, units


@pytest.mark.parametrize('within', [True, False])
def test_a_hostile_unit_moves_what_is_said_of_references_no_farther_than_declared(read, within):
    squares = sum(own**2 for own in WEIGHTS)
    facts = {'squares': squares, 'within': within, 'neighbors': 'add_remove'}
    bounds = [kind.sensitivity(**facts) for kind in (registry.LINKS, registry.REPEATS)]
    most, replaced = np.zeros(2), 0.0
    for made in list_hostile(within):
        whole = read(*made)
        moves = []
        for unit in np.unique(np.concatenate(made[:2])):
            rest = read(*take_away(unit, *made))
            moves.append(whole[0] - rest[0])
            apart = [np.linalg.norm(a - b) for a, b in zip(whole, rest, strict=True)]
            most = np.maximum(most, np.array(apart) / bounds)
        apart = [np.linalg.norm(one - other) for one in moves for other in moves]
        replaced = max(replaced, *apart)
    assert (most <= 1 + 1e-9).all()
    assert most[0] > (0.999 if within else 0.75)
    assert most[1] == pytest.approx(1)
    facts['neighbors'] = 'replace_one'
    assert replaced <= registry.LINKS.sensitivity(**facts)


def test_all_references_are_read_without_noise():
    units, theirs = np.array([0, 0, 1, 2]), np.arange(4)
    referred, values = np.array([1, 1, 3, 1]), np.array([1, 2, 4, 3])
    found = read_references(make_group(units, theirs, referred, values, units), None)
    assert found.references.tolist() == [3, 0, 1, 0]
    # Rows 1 and 3 have the values 2 and 4, of bins 0 and 1; equal values are in the last row.
    assert found.cells.T.tolist() == [[0, 4, 5, 2], [0, 0, 3, 2]]


def test_uneven_references_are_told_from_even_ones():
    rng, num = np.random.default_rng(0), 3000
    sizes, scale = Sizes(num, 4 * num, num, num), 30.0
    shares = []
    for spread in (0.0, 2.0):
        weights = rng.lognormal(0, spread, num)
        numbers = np.bincount(rng.choice(num, num, p=weights / weights.sum()), minlength=num)
        counts = count_references(FIRST, (), Referred(numbers, numbers[:, None][:, :0]))
        noisy = counts + rng.normal(0, scale, len(counts))
        found = _spread(noisy, scale, sizes)
        shares.append(found[0] if len(found) else None)
    assert shares[0] is None
    assert 0.3 < shares[1] < 0.7


def refer(num_rows=4000, num_parents=1000, tables=(), **known):
    """Refer to rows of five kinds; return the kinds of both ends, too."""
    rng = np.random.default_rng(3)
    owners = np.sort(rng.integers(0, 1000, num_rows))
    ours, theirs = (rng.integers(0, 5, size) for size in (1000, num_parents))
    ends = (Ends(False, 'kind', 'kind', np.arange(5), np.arange(5), np.full(5, -1)),) * len(tables)
    uneven = (True,) * len(tables)
    known = References(ends=ends, tables=tables, uneven=uneven, **known)
    terms = known, RelationalConstants(), rng
    units, codes = np.arange(num_parents), [(ours[owners], theirs)] * len(tables)
    found = spread_references(owners, owners, units, codes, *terms)
    return owners, found, (ours[owners], theirs[found])


def as_cells(table):
    """Return the table of cells of five kinds, none of which are equal."""
    return np.vstack([table / table.sum(), np.zeros(5)])


def test_references_are_even_and_lead_to_others_where_nothing_is_known():
    owners, found, _ = refer()
    counts = np.bincount(found, minlength=1000)
    assert counts.max() - counts.min() <= 1
    assert (owners != found).all()
    assert not pd.DataFrame({'from': owners, 'to': found}).duplicated().any()


#: None, 3, and 24 to 31 references.
UNEVEN = np.zeros(len(FIRST) + 1)
UNEVEN[[0, 3, 9]] = 0.7, 0.2, 0.1


def check_uneven(found):
    counts = np.sort(np.bincount(found, minlength=1000))[::-1]
    assert (counts == 0).mean() == pytest.approx(0.7, abs=0.02)
    assert counts[:100].sum() / len(found) == pytest.approx(2750 / 3350, abs=0.03)


def test_references_are_as_uneven_as_released():
    check_uneven(refer(chances=UNEVEN)[1])


@pytest.mark.parametrize('chances', [np.zeros(0), UNEVEN])
@pytest.mark.parametrize('shift', [0, 1, 2])
def test_kinds_refer_to_kinds_as_released(chances, shift):
    """To the same kind, or in a circle: the next one, or the one after it."""
    _, found, (ours, theirs) = refer(
        tables=(as_cells(np.roll(np.eye(5), shift, 1)),), chances=chances
    )
    assert (theirs == (ours + shift) % 5).mean() > 0.98
    if len(chances):
        check_uneven(found)


@pytest.mark.parametrize('kind', [0, 3])
def test_all_references_lead_to_one_kind_and_stay_uneven(kind):
    """A fifth of the rows gets all of them."""
    table = np.zeros((5, 5))
    table[:, kind] = 1.0
    chances = np.zeros(len(FIRST) + 1)
    chances[[0, 3, 9]] = 0.85, 0.1, 0.05
    _, found, (_, theirs) = refer(tables=(as_cells(table),), chances=chances)
    assert (theirs == kind).mean() > 0.99
    counts = np.sort(np.bincount(found, minlength=1000))[::-1]
    assert (counts == 0).mean() == pytest.approx(0.85, abs=0.02)


def test_two_tables_hold_together():
    """Odd rows refer to odd rows by one table, and most kinds keep within themselves by another."""
    rng = np.random.default_rng(2)
    ours, theirs = rng.integers(0, 8, 6000), rng.integers(0, 8, 900)
    odd, pair = np.arange(8) % 2, np.arange(8) // 2
    ends = [
        Ends(True, str(at), str(at), each, each, np.full(8, -1))
        for at, each in enumerate((odd, pair))
    ]
    apart = np.full((4, 4), 0.2 / 3)
    np.fill_diagonal(apart, 0.8)
    tables = [np.vstack([each / each.sum(), 0 * each[0]]) for each in (np.eye(2), apart)]
    known = References(ends=tuple(ends), tables=tuple(tables), uneven=(False,) * 2)
    owners = 1000 + np.arange(6000)
    terms = [(ours, theirs)] * 2, known, RelationalConstants(), rng
    found = theirs[spread_references(owners, owners, np.arange(900), *terms)]
    assert (odd[found] == odd[ours]).mean() > 0.97
    assert (pair[found] == pair[ours]).mean() == pytest.approx(0.8, abs=0.03)


def test_values_of_many_codes_in_a_bin_are_equal_as_often_as_released():
    rng = np.random.default_rng(4)
    ours, theirs = rng.integers(0, 60, 6000), rng.integers(0, 60, 900)
    ends = (Ends(True, 'city', 'city', np.zeros(60, int), np.zeros(60, int), np.arange(60)),)
    known = References(ends=ends, tables=(np.array([[0.3], [0.7]]),), uneven=(False,))
    owners = 1000 + np.arange(6000)
    terms = [(ours, theirs)], known, RelationalConstants(), rng
    found = spread_references(owners, owners, np.arange(900), *terms)
    assert (theirs[found] == ours).mean() == pytest.approx(0.7, abs=0.02)


def test_rows_of_one_owner_refer_to_the_same_row_as_often_as_released():
    owners, found, _ = refer(repeats=(0.6, 0.01))
    near = owners[1:] == owners[:-1]
    assert (found[1:] == found[:-1])[near].mean() == pytest.approx(0.6, abs=0.04)
    assert (owners != found).all()


def test_units_in_which_an_owner_refers_twice_to_a_row_are_marked():
    owners = np.array([0, 0, 1, 1, 2, 3, 3, -1, -1, 4, 4])
    units = np.array([5, 5, 5, 5, 6, 7, 7, 8, 9, 1, 1])
    referred = np.array([2, 3, 3, 3, 0, -1, -1, 1, 1, 0, 1])

    assert mark_repeats(owners, units, referred).tolist() == [False, True, False]


@pytest.mark.parametrize('repeats', [False, True])
def test_no_owner_refers_twice_to_a_public_row_if_none_does(repeats):
    """Four lines of an order have four products, or any of twelve."""
    rng = np.random.default_rng(0)
    chosen = rng.integers(0, 12, (600, 4))
    if not repeats:
        chosen = rng.permuted(np.tile(np.arange(12), (600, 1)), axis=1)[:, :4]
    tables = {
        'order': pd.DataFrame({'id': range(600)}),
        'product': pd.DataFrame({'id': range(12)}),
        'line': pd.DataFrame({'order': np.repeat(np.arange(600), 4), 'product': chosen.ravel()}),
    }
    about = {name: dict.fromkeys(table, 'id') for name, table in tables.items()}
    metadata = describe_tables(about, *(('line', key, key, 'id') for key in ('order', 'product')))
    made = ClustMixMultiTableSynthesizer(
        metadata, epsilon=5.0, public_tables=['product'], verbose=False
    )
    made.fit(tables)
    again = made.sample_scale(1.0)['line'].duplicated().mean()

    assert (again > 0.05) if repeats else again == 0
