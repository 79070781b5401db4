"""Texts that spell numbers, declared on the command line by an example, and in a file of rules."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from sdv_threea.cli.commands import main

COLUMNS = {name: {'sdtype': 'categorical'} for name in ('price', 'share')}


@pytest.fixture
def files(tmp_path):
    rng, size = np.random.default_rng(0), 1_000
    prices = [f'${each:,.2f}' for each in rng.gamma(2, 500, size)]
    shares = [f'{each} %' for each in rng.integers(0, 100, size)]
    pd.DataFrame({'price': prices, 'share': shares}).to_csv(tmp_path / 'shop.csv', index=False)
    described = {'tables': {'shop': {'columns': COLUMNS}}, 'relationships': []}
    parameters = {'column_name': 'share', 'suffix': ' %', 'places': 0}
    rules = [{'class_name': 'NumberTexts', 'parameters': parameters}]
    (tmp_path / 'shop.json').write_text(json.dumps(described))
    (tmp_path / 'rules.json').write_text(json.dumps(rules))
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(main, [str(each) for each in arguments])


@pytest.mark.filterwarnings('ignore')
def test_both_ways_to_declare_them_last_through_a_release_file(files):
    known = '--metadata', files / 'shop.json', '--epsilon', 9, '--number-text', 'price=$1,234.50'
    rules, out = ('--constraints', files / 'rules.json'), files / 'shop.release'
    fitted = run('fit', files / 'shop.csv', *known, *rules, '--out', out)
    assert fitted.exit_code == 0, fitted.output
    assert run('sample', out, '--rows', 50, '--out', files / 'new.csv').exit_code == 0

    new = pd.read_csv(files / 'new.csv')
    assert new['price'].dropna().str.fullmatch(r'-?\$[\d,]+\.\d\d').all()
    assert new['share'].dropna().str.fullmatch(r'-?\d+ %').all()
    assert new.notna().mean().min() > 0.5


def test_the_check_knows_them_and_others_are_refused(files):
    known = 'check', '--metadata', files / 'shop.json', '--epsilon', 1, '--number-text'
    told = run(*known, 'price=$1,234.50').output.splitlines()
    assert '±' in told[1]
    assert '±' not in told[2]
    assert "'prize' is not a column" in run(*known, 'prize=$1').output
    assert "'dollars' is no number" in run(*known, 'price=dollars').output
