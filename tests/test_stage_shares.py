"""How the budget is shared by what is public and by how many records there are."""

import math
from dataclasses import replace

import numpy as np
import pytest
from small_people import PRIVATE, PUBLIC, make_table, retarget
from together import COUNTS, make_counts
from unpaired import Unpaired

from sdv_threea.accounting import delta_from_mu
from sdv_threea.constants import HALF, TIMES_FOR_NUMBERS
from sdv_threea.describe.description import Description
from sdv_threea.describe.questions import ask_questions
from sdv_threea.domain import TIME_STEPS, Category, Domain, Number
from sdv_threea.encoding.classes import Classes
from sdv_threea.pipeline import release
from sdv_threea.planning.plan import finish_plan, make_plan, plan_target, settle_plan
from sdv_threea.planning.shares import Known, asks_size, drowns_pairs, share_by_size, share_stages
from sdv_threea.planning.targets import guess_target, take_last
from sdv_threea.settings import SHARES, Settings

#: Of which nothing is stated.
BLANK = Domain(
    tuple(each if each.name != 'smoker' else Category(name='smoker') for each in PRIVATE.columns),
    'label',
)


def know(settings=None, **known):
    """State what a plan follows from, with the whole budget."""
    settings = settings or Settings()
    return Known(settings, settings.budget(thresholds=True), **known)


def test_classes_are_counted_if_there_are_any_and_columns_get_their_share_if_not():
    fixed = Unpaired(shares=SHARES | {'size': 0.0})
    one, other = (
        [
            each
            for each in release(make_table(500), domain, fixed).ledger.receipts
            if each.stage == 'approximate'
        ]
        for domain in (PUBLIC, retarget(PUBLIC, None))
    )
    assert one[0].released == 'sizes of 2 classes and histograms of 4 columns'
    assert one[1].released.startswith('histograms of 4 columns in each of 2 classes, times ')
    assert other[0].released == 'sizes of 1 class and histograms of 5 columns'
    assert 'histograms' not in other[1].released
    parts = [each.mu**2 for each in one[:2]]
    assert parts[1] / parts[0] == pytest.approx(SHARES['classes'] / SHARES['columns'])
    # Without a target no labels are adapted: their share goes to all.
    sums = [sum(share_stages(each, fixed).values()) for each in (PUBLIC, retarget(PUBLIC, None))]
    assert other[0].mu ** 2 * sums[1] == pytest.approx(sum(parts) * sums[0])


def test_stages_with_nothing_to_do_leave_their_share_to_others():
    closed = Domain(tuple(PUBLIC[name] for name in ('town', 'smoker', 'label')), 'label')
    whole = share_stages(BLANK, Unpaired())
    assert whole == SHARES
    # Where nothing is left to be found, the number of records is not asked for.
    without = {stage: share for stage, share in SHARES.items() if stage != 'size'}
    assert share_stages(closed, Unpaired()) == without | {'describe': 0.0}
    single = share_stages(retarget(PRIVATE, None), Settings())
    assert set(single) == set(SHARES) - {'classes'} | {'pairs', 'functions'}
    assert single['pairs'] + single['functions'] == pytest.approx(SHARES['classes'])
    fixed = share_stages(retarget(PRIVATE, None), Unpaired())
    assert set(fixed) == set(SHARES) - {'classes'}
    for shares in (single, fixed):
        assert math.isclose(sum(shares.values()), 1.0 - SHARES['adapt'])
        assert shares['adapt'] == 0
    number = retarget(PRIVATE, 'age')
    shares = share_stages(number, Settings())
    assert shares['adapt'] == TIMES_FOR_NUMBERS * SHARES['adapt']
    assert shares | {'adapt': 0.0} == single  # pairs say what a number has to do with others
    assert share_stages(number, Settings(), aside=True)['adapt'] == SHARES['adapt']
    assert share_stages(number, Unpaired())['classes'] == SHARES['classes']
    few, many = (share_by_size(number, know(num_rows=size))['adapt'] for size in (500, 50_000))
    assert (few, many) == (0, TIMES_FOR_NUMBERS * SHARES['adapt'])
    pairs = {'pairs', 'functions'}
    for alpha in (1, 0.99, 0):
        shares = share_stages(PRIVATE, Settings(alpha=alpha))
        assert set(shares) == set(SHARES) | pairs
        parts = [shares[each] for each in pairs | {'classes'}]
        assert sum(parts) == pytest.approx(SHARES['classes'])
        assert shares['classes'] == pytest.approx(HALF * SHARES['classes'])
    for mixing in ('clusters', 'random'):
        assert not pairs & set(share_stages(PRIVATE, Settings(alpha=1, mixing=mixing)))


SENSORS = tuple(Number(name=f'x{at}') for at in range(30))
KIND = Category(name='kind')


PLACE = Category(name='place')
MANY = Category(name='many', values=tuple(range(21)))


@pytest.mark.parametrize('drowned', [False, True])
def test_the_only_category_is_taken_for_the_target(drowned):
    columns = (*SENSORS, KIND)
    assert guess_target(Domain(columns), know(), drowned=drowned) == Domain(columns, 'kind')


@pytest.mark.parametrize('columns', [(KIND, PLACE), (*SENSORS, KIND, PLACE), (KIND, PLACE, MANY)])
def test_where_noise_drowns_pairs_the_last_category_is_taken_for_the_target(columns):
    """Of those that are not stated to have too many values."""
    assert guess_target(Domain(columns), know(), drowned=True) == Domain(columns, 'place')
    assert guess_target(Domain(columns), know(), drowned=False).target is None
    # No given column is a target.
    assert guess_target(Domain(columns), know(num_given=len(columns)), drowned=True).target is None


DATE = Number(name='date', steps=TIME_STEPS)


@pytest.mark.parametrize('last', [PLACE, SENSORS[0], Category(name='z', values=('a',))])
@pytest.mark.parametrize('others', [SENSORS[1:], (KIND, *SENSORS[1:], DATE), (MANY,)])
def test_the_last_column_is_taken_for_the_target_if_there_is_none_yet(last, others):
    domain = Domain((*others, last))
    assert take_last(domain, know()) == Domain(domain.columns, last.name)
    assert take_last(domain, know(Settings(alpha=1))) is domain


def test_pairs_of_few_records_drown_and_sooner_if_there_are_many_columns():
    def drown(num_rows, columns=(*SENSORS, KIND), **settings):
        return drowns_pairs(Domain(columns), know(Settings(**settings), num_rows=num_rows))

    assert [drown(rows) for rows in (-5, 700, 100_000)] == [True, True, False]
    assert [drown(700, columns) for columns in ((KIND, PLACE), SENSORS)] == [False, True]
    assert [drown(700, epsilon=epsilon) for epsilon in (1, 8, math.inf)] == [True, False, False]
    # Of so many columns no pairs are counted.
    assert drown(1e9, SENSORS * 5, epsilon=math.inf)


@pytest.mark.parametrize(
    ('columns', 'target', 'options'),
    [
        ((*SENSORS, KIND), 'x0', {}),
        ((*SENSORS, KIND), None, {'mixing': 'random'}),
        ((*SENSORS, KIND), None, {'guarantee': 'paper'}),
        ((*SENSORS, MANY), None, {}),
        ((*SENSORS, DATE), None, {}),
        ((KIND,), None, {}),
        (SENSORS[:1], None, {}),
        ((), None, {}),
    ],
    ids=['target', 'mixing', 'paper', 'many values', 'date', 'only', 'only number', 'nothing'],
)
@pytest.mark.parametrize('drowned', [False, True])
def test_nothing_is_taken_for_the_target_where_another_choice_is_there_or_none(
    columns, target, options, drowned
):
    domain, known = Domain(columns, target), know(Settings(**options))
    assert guess_target(domain, known, drowned=drowned) is domain
    assert take_last(domain, known) is domain


@pytest.mark.parametrize(
    ('num_rows', 'options', 'stays'),
    [
        (6_000, {}, True),
        (6_000, {'epsilon': math.inf}, True),
        (6_000, {'neighbors': 'replace_one'}, True),
        (6_000, {'alpha': 1}, False),
        (6_000, {'mixing': 'random'}, False),
        (700, {}, False),  # pairs have few bins
        (60, {}, False),  # they would drown
    ],
    ids=str,
)
def test_a_number_remains_the_target_if_pairs_are_counted_beside_it(num_rows, options, stays):
    settings = Settings(**{'delta': 1e-5} | options)
    released = release(make_counts(num_rows, missing=0.3), Domain(COUNTS), settings)

    adapted = released.adapted
    assert (adapted is not None and not adapted.of_classes) == stays
    assert released.domain.target in (('lent',) if stays else (None, 'works'))
    assert (released.joint is not None) >= stays
    stages = {each.stage for each in released.ledger.receipts}
    assert ('adapt' in stages) >= stays
    if settings.epsilon < math.inf:  # nothing is left, and no more is spent
        spent = delta_from_mu(released.ledger.mu, settings.epsilon) + released.ledger.delta
        assert 0.999 * settings.delta < spent <= settings.delta


@pytest.mark.parametrize(
    ('num_rows', 'last', 'aside'),
    [(3_000, 5.0, True), (3_000, 99.0, False), (40_000, 5.0, False), (400, 5.0, False)],
    ids=['codes', 'numbers', 'pairs are counted anyway', 'pairs drown anyway'],
)
def test_the_only_category_is_set_aside_if_pairs_of_codes_would_drown_otherwise(
    num_rows, last, aside
):
    kind = Category(name='kind', values=('no', 'yes'), nullable=False)
    asked = (
        Number(name=f'q{at}', low=0.0, high=last, step=1.0, nullable=False) for at in range(25)
    )
    domain = Domain((kind, *asked))
    plan = make_plan(domain, know(num_rows=num_rows))

    _, settled = settle_plan(plan, Description(plan.domain), (num_rows, 10.0), dict.__getitem__)

    assert (plan.aside, settled.aside, settled.domain.target) == (False, aside, 'kind')
    assert math.fsum(settled.parts.values()) == pytest.approx(1)
    before, after = (
        sum(each.parts[name] for name in ('pairs', 'functions')) for each in (plan, settled)
    )
    assert (after > before) == aside


@pytest.mark.parametrize(
    ('num_records', 'num_codes', 'adapted'),
    [(1e6, 10, 'number'), (100.0, 10, ''), (1e6, 2, '')],
    ids=['many', 'few', 'a constant'],
)
def test_a_number_that_is_not_adapted_leaves_its_share_and_the_plan_says_why(
    num_records, num_codes, adapted
):
    known = know(num_rows=1e6)
    plan = plan_target(Domain(COUNTS, 'lent'), known, aside=False)
    at = plan.domain.names.index('lent')
    columns = [np.full(10, num_records / 10)] * len(COUNTS)
    columns[at] = np.full(num_codes, num_records / num_codes)
    classes = Classes(3, at, np.zeros(num_codes, dtype=np.int64), ordered=True)
    totals = np.full(3, num_records / 3)

    finished = finish_plan(plan, classes, columns, totals, plan.prices().__getitem__)

    assert finished.adapted == adapted
    assert finished.promised == (('adapt',) if adapted else ())
    assert ('adapt' in finished.skipped) == (not adapted)


LABEL = {'name': 'label', 'values': ('a', 'b', 'c'), 'nullable': False}


@pytest.mark.parametrize(
    ('facts', 'options', 'stays'),
    [
        ({}, {}, True),
        ({}, {'epsilon': math.inf}, True),
        ({'values': None}, {'epsilon': 3.0}, True),  # all of them are found
        ({'values': None}, {'neighbors': 'replace_one', 'epsilon': 3.0}, True),
        ({'nullable': True}, {}, False),
        ({'values': tuple(range(21))}, {}, False),
        ({}, {'alpha': 1}, False),
        ({}, {'mixing': 'random'}, False),
    ],
    ids=str,
)
def test_the_last_category_is_adapted_aside_if_its_values_are_classes(facts, options, stays):
    table = make_counts(6_000)
    table['label'] = np.where(table['lent'] > 110, 'a', table['wet'].map({'yes': 'b', 'no': 'c'}))
    settings = Settings(**{'delta': 1e-5} | options)
    domain = Domain((*COUNTS, Category(**{**LABEL, **facts})))
    released = release(table, domain, settings)

    assert (released.domain.target, released.adapted is not None) == (
        ('label', True) if stays else (None, False)
    )
    assert (released.joint is not None) == ('mixing' not in options)
    if settings.epsilon < math.inf:
        spent = delta_from_mu(released.ledger.mu, settings.epsilon) + released.ledger.delta
        assert 0.999 * settings.delta < spent <= settings.delta


@pytest.mark.parametrize(('rare', 'part'), [(0.004, 1.0), (0.2, 0.0)])
def test_classes_of_the_last_column_get_a_part_of_the_price_of_pairs_if_one_is_rare(
    rare, part, gaussian
):
    table = make_counts(10_000)
    odd = np.random.default_rng(1).random(len(table)) < rare
    table['label'] = np.where(odd, 'yes', 'no').astype(object)
    domain = Domain((*COUNTS, Category(name='label', values=('no', 'yes'), nullable=False)))
    plain = Settings(epsilon=1.0, delta=1e-5, shares=SHARES | {'size': 0.05})

    receipts = release(table, domain, plain, noise=gaussian).ledger.receipts

    columns, classes = (
        next(each.mu**2 for each in receipts if each.released.startswith(start))
        for start in ('sizes of 2 classes', 'histograms of 4 columns in each')
    )
    shares = share_stages(replace(domain, target='label'), plain, aside=True)
    paid = shares['classes'] + part * shares['functions']
    assert classes / columns == pytest.approx(paid / shares['columns'])


def test_the_number_of_records_is_asked_for_where_something_is_to_be_found():
    settings = Settings()
    assert asks_size(PRIVATE, settings)
    assert asks_size(PUBLIC, settings)
    listed = tuple(each for each in PUBLIC.columns if isinstance(each, Category))
    assert not asks_size(Domain(listed, 'label'), settings)
    assert not asks_size(PRIVATE, Settings(guarantee='paper'))
    assert not asks_size(PRIVATE, Settings(shares=SHARES | {'size': 0.0}))
    receipts = release(make_table(500), PRIVATE, settings).ledger.receipts
    assert receipts[0].released == 'number of records'
    assert receipts[0].mu ** 2 == pytest.approx(SHARES['size'] * 0.23553**2, rel=1e-3)


@pytest.mark.parametrize(('stated', 'saves'), [(['smoker'], False), (['smoker', 'label'], True)])
@pytest.mark.parametrize('num_rows', [100, 1e6])
def test_what_is_stated_adds_no_noise_to_what_is_asked_and_saves_its_price(stated, saves, num_rows):
    """While classes are asked for, their least share takes what others save."""
    known = know(Unpaired(), num_rows=num_rows)
    constants = known.settings.constants.describe
    columns = tuple(PUBLIC[name] if name in stated else BLANK[name] for name in BLANK.names)
    asked, parts = [], []
    for domain in (BLANK, Domain(columns, 'label')):
        shares = share_by_size(domain, known)
        parts.append(shares['describe'] / sum(shares.values()))
        asked.append(ask_questions(domain, math.sqrt(parts[-1]), 'add_remove', None, constants))
    for name, question in asked[1].items():
        assert question.scale <= (1 + 1e-9) * asked[0][name].scale
    assert (parts[1] < 0.9 * parts[0]) == saves
