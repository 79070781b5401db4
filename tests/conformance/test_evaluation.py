"""The reports, plots and metrics of SDV and SDMetrics, run on what is sampled."""

import pytest
from sdmetrics.single_table import (
    BinaryDecisionTreeClassifier,
    LogisticDetection,
    NewRowSynthesis,
)
from sdmetrics.single_table.privacy import (
    DCRBaselineProtection,
    DCROverfittingProtection,
    DisclosureProtection,
    DisclosureProtectionEstimate,
)
from sdv.evaluation import (
    evaluate_quality,
    get_column_pair_plot,
    get_column_plot,
    run_diagnostic,
)
from sdv.evaluation.utils import get_combination_overlap, get_pii_overlap

NAME = 'people'


@pytest.fixture
def frames(people, sampled):
    """Real and synthetic rows, without keys and personal information."""
    dropped = ['key', 'email']
    return people.drop(columns=dropped), sampled.drop(columns=dropped)


@pytest.fixture
def described(frames, build_metadata, people_metadata):
    columns = people_metadata.tables[NAME].columns
    return build_metadata({name: columns[name] for name in frames[0]})


def test_the_diagnostic_has_nothing_to_complain_of(people, sampled, people_metadata):
    report = run_diagnostic({NAME: people}, {NAME: sampled}, people_metadata, verbose=False)
    scores = report.get_properties().set_index('Property')['Score']
    assert scores['Data Structure'] == 1.0
    assert scores['Data Validity'] > 0.9


def test_the_quality_report_recognises_the_table(people, sampled, people_metadata):
    report = evaluate_quality({NAME: people}, {NAME: sampled}, people_metadata, verbose=False)
    assert report.get_score() > 0.6
    assert len(report.get_details('Column Shapes', table_name=NAME)) == 9


@pytest.mark.parametrize('name', ['age', 'city', 'level', 'member', 'joined'])
def test_a_column_can_be_plotted(people, sampled, people_metadata, name):
    both = {NAME: people}, {NAME: sampled}
    plot = get_column_plot(*both, people_metadata, table_name=NAME, column_name=name)
    assert len(plot.data) == 2


@pytest.mark.parametrize('names', [('age', 'income'), ('city', 'member'), ('city', 'age')])
def test_two_columns_can_be_plotted(people, sampled, people_metadata, names):
    both = {NAME: people}, {NAME: sampled}
    plot = get_column_pair_plot(*both, people_metadata, table_name=NAME, column_names=list(names))
    assert len(plot.data) >= 2


def test_distances_to_the_closest_record_can_be_compared_with_random_rows(frames, described):
    frames = [frame.head(200) for frame in frames]
    score = DCRBaselineProtection.compute(*frames, described.to_dict(), table_name=NAME)
    assert 0 <= score <= 1


def test_distances_to_the_closest_record_show_no_overfitting(build_people, frames, described):
    frames = [frame.head(200) for frame in frames]
    holdout = build_people(200, seed=9)[frames[0].columns]
    score = DCROverfittingProtection.compute(*frames, holdout, described.to_dict(), table_name=NAME)
    assert score > 0.8


def test_disclosure_can_be_measured(frames):
    frames = [frame.head(100) for frame in frames]
    known, sensitive = ['city', 'level'], ['member']
    for metric in (DisclosureProtection, DisclosureProtectionEstimate):
        options = {} if metric is DisclosureProtection else {'verbose': False, 'num_iterations': 2}
        score = metric.compute(
            *frames, known_column_names=known, sensitive_column_names=sensitive, **options
        )
        assert 0 <= score <= 1


def test_rows_are_new(frames, described):
    score = NewRowSynthesis.compute(
        *frames, metadata=described.to_dict(), table_name=NAME, synthetic_sample_size=150
    )
    assert score > 0.99


def test_models_can_be_trained_on_what_is_sampled(build_people, frames, described):
    score = BinaryDecisionTreeClassifier.compute(
        test_data=build_people(seed=9)[frames[0].columns],
        train_data=frames[1],
        metadata=described.to_dict(),
        table_name=NAME,
        target='member',
    )
    assert score > 0.3


def test_a_detector_can_be_trained_on_what_is_sampled(frames, described):
    score = LogisticDetection.compute(*frames, metadata=described.to_dict(), table_name=NAME)
    assert 0 <= score <= 1


def test_no_personal_information_overlaps(people, sampled):
    both = {NAME: people}, {NAME: sampled}
    assert get_pii_overlap(*both, NAME, 'email', verbose=False) is not None
    assert not set(people['email']) & set(sampled['email'])


def test_the_overlap_of_combinations_can_be_asked_for(people, sampled):
    both = {NAME: people}, {NAME: sampled}
    assert get_combination_overlap(*both, NAME, ['city', 'level'], verbose=False) is not None
