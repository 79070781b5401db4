"""The page on privacy is what its script writes, and its words say what its tables say.

If it is not, run ``docs/make_privacy.py``.
"""

import ast
import importlib
import importlib.util
import re
import warnings

import numpy as np
import pytest
from scripts import script_fixture

from sdv_threea import ClustMixSynthesizer
from sdv_threea.accounting import delta_from_mu
from sdv_threea.constants import MAX_LATTICE
from sdv_threea.datasets import load_adult
from sdv_threea.privacy.mechanism import FINEST_SCALE
from sdv_threea.settings import SHARES
from sdv_threea.statistics.describe import QUESTIONS
from sdv_threea.statistics.registry import REGISTRY

script = script_fixture('make_privacy', 'docs')


@pytest.fixture(scope='module')
def page(script):
    return script.PAGE.read_text('utf-8')


def fit(synthesizer, data):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit(data)
    return synthesizer


def test_every_proof_is_where_the_table_says():
    for kind in REGISTRY.values():
        for proof in kind.proofs:
            module, name = f'sdv_threea.{proof}'.rsplit('.', 1)
            text = getattr(importlib.import_module(module), name).__doc__
            assert 'Formal guarantees:' in text, proof


def test_the_tables_of_the_page_are_those_of_the_script(script, page):
    assert script.fill(page, script.list_parts()) == page


def test_the_picture_is_that_of_the_script(script):
    assert script.PICTURE.read_text('utf-8') == script.draw_budget()
    assert list(script.STAGES) == list(SHARES)


def test_the_words_beside_the_picture_say_its_shares(page):
    (words,) = re.findall(r'!\[Shares of the budget by stage: (.*?)]', page)
    shares = {stage: float(share) for stage, share in re.findall(r'(\w+) (\d+) %', words)}
    assert shares == pytest.approx({stage: 100 * share for stage, share in SHARES.items()})


def test_the_statement_on_the_page_is_that_of_such_a_fit(script, page):
    """Prices and names are the same in every fit; noise and what follows from it are not.

    How often a grid is refined follows from noisy counts, and so do the prices of these looks.
    """
    looks = {QUESTIONS[each].title for each in ('ranges', 'closer', 'tails')}

    def list_releases(text):
        stages = '(describe|approximate|adapt|anonymize)'
        lines = re.findall(rf'^  {stages} +(\S+) +(\S+) +\S+ +\S+  (.*)', text, re.M)
        assert {title for *_, title in lines} & looks
        return [
            (stage, float(mu), float(delta))
            for stage, mu, delta, title in lines
            if title not in looks
        ]

    shown = page.split('<!-- statement -->')[1].split('<!-- /statement -->')[0]
    assert list_releases(shown) == list_releases(script.write_statement())


def test_the_arithmetic_on_the_page_holds(page):
    (code,) = re.findall(r'```python\n(.*?)```', page, re.S)
    adult, _, metadata = load_adult()
    synthesizer = ClustMixSynthesizer(metadata, epsilon=2.0)
    fit(synthesizer, {'adult': adult.head(500)})
    assert len([node for node in ast.parse(code).body if isinstance(node, ast.Assert)]) == 2
    exec(compile(code, 'privacy.md', 'exec'), {'synthesizer': synthesizer})


def test_the_words_say_what_the_table_says(script, page):
    """How often the best guesser is right, at epsilon 1 and 8."""
    rows = [line.strip('| ').split(' | ') for line in script.write_meaning().splitlines()]
    right = {row[0]: round(float(row[-1].strip('%'))) for row in rows[2:]}
    words = ' '.join(page.split())
    assert f'right {right["1"]} times in 100, at ε = 8 it is {right["8"]} times' in words
    assert f'more than {MAX_LATTICE} possible values' in words
    assert FINEST_SCALE == 2**16


def test_the_chances_on_the_page_are_those_of_the_best_attacker(script):
    """One draw of N(0, 1) or N(mu, 1): the likelihood ratio test is the best, so integrate it."""
    from scipy.stats import norm

    mu, scores = 0.7, np.linspace(-12, 12, 200_001)
    absent, present = norm.pdf(scores), norm.pdf(scores, mu)
    step = scores[1] - scores[0]
    right = np.maximum(absent, present).sum() * step / 2
    assert right == pytest.approx(norm.cdf(mu / 2), abs=1e-6)
    assert delta_from_mu(mu, 0.0) == pytest.approx(2 * right - 1, abs=1e-6)
    larger = (present * np.cumsum(absent)).sum() * step**2
    assert larger == pytest.approx(norm.cdf(mu / np.sqrt(2)), abs=1e-4)
    first = [line.split(' | ') for line in script.write_meaning().splitlines() if '| 1 |' in line]
    assert float(first[0][2]) == pytest.approx(norm.cdf(float(first[0][1]) / np.sqrt(2)), abs=1e-3)
