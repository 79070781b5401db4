"""The reports, plots and metrics of SDV and SDMetrics, run on what is sampled."""

import pytest
from sdv.evaluation import evaluate_quality, get_column_pair_plot, get_column_plot, run_diagnostic

NAME = 'people'


def test_the_diagnostic_has_nothing_to_complain_of(people, sampled, people_metadata):
    report = run_diagnostic({NAME: people}, {NAME: sampled}, people_metadata, verbose=False)
    scores = report.get_properties().set_index('Property')['Score']
    assert scores['Data Structure'] == 1.0
    assert scores['Data Validity'] > 0.9


def test_the_quality_report_recognises_the_table(people, sampled, people_metadata):
    report = evaluate_quality({NAME: people}, {NAME: sampled}, people_metadata, verbose=False)
    assert report.get_score() > 0.6
    assert len(report.get_details('Column Shapes', table_name=NAME)) == 9


@pytest.mark.parametrize('name', ['age', 'city', 'joined'])
def test_a_column_can_be_plotted(people, sampled, people_metadata, name):
    both = {NAME: people}, {NAME: sampled}
    plot = get_column_plot(*both, people_metadata, table_name=NAME, column_name=name)
    assert len(plot.data) == 2


@pytest.mark.parametrize('names', [('age', 'income'), ('city', 'age')])
def test_two_columns_can_be_plotted(people, sampled, people_metadata, names):
    both = {NAME: people}, {NAME: sampled}
    plot = get_column_pair_plot(*both, people_metadata, table_name=NAME, column_names=list(names))
    assert len(plot.data) >= 2
