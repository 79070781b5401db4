"""A release in a file holds all that sampling reads, and no code; damage and tricks are refused."""

import hashlib
import io
import math
import pickle
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from described import describe, describe_tables
from rdt.transformers import FloatFormatter
from restored import restore
from sdv.cag import FixedCombinations, Inequality, SingleTableProgrammableConstraint
from sdv.errors import NotFittedError, SynthesizerInputError, VersionError

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.accounting import Receipt
from sdv_threea.constraints import Formula, IfThen
from sdv_threea.storage import release_files
from sdv_threea.storage.release_files import MAGIC, DamagedError, read_plain, write_plain
from sdv_threea.synthesizers.restoring import check_claims
from sdv_threea.synthesizers.statement import PrivacyStatement


@pytest.fixture(scope='module')
def database():
    """Make a synthesizer of a unit, its children, and a public table with any kind of cell."""
    tables = {
        'person': {'key': 'id', 'x': 'numerical'},
        'ward': {'key': 'id', 'name': 'categorical', 'size': 'numerical'},
        'stay': {'person_key': 'id', 'ward_key': 'id', 'c': 'categorical'},
    }
    links = (('stay', f'{parent}_key', parent, 'key') for parent in ('person', 'ward'))
    metadata = describe_tables(tables, *links)
    how = {'privacy_unit': 'person', 'public_tables': ['ward'], 'target': {'stay': 'c'}}
    synthesizer = ClustMixMultiTableSynthesizer(metadata, epsilon=10.0, **how)
    synthesizer.set_table_parameters('stay', {'alpha': 0.25})
    rows = np.arange(200)
    wards = {'key': list('ab'), 'name': ['A', None], 'size': pd.array([1, None], 'Int64')}
    stays = {'person_key': rows // 2, 'ward_key': np.where(rows % 3, 'a', 'b')}
    synthesizer.fit(
        {
            'person': pd.DataFrame({'key': rows, 'x': rows}),
            'ward': pd.DataFrame(wards),
            'stay': pd.DataFrame({**stays, 'c': np.where(rows % 5, 'p', 'q')}),
        }
    )
    return synthesizer


@pytest.fixture(scope='module')
def small():
    metadata = describe({'x': 'numerical', 'y': 'numerical', 'c': 'categorical'}, 'people')
    synthesizer = ClustMixSynthesizer(metadata, epsilon=50.0)
    rows = np.arange(2000)
    people = pd.DataFrame({'x': rows, 'y': rows % 7, 'c': np.where(rows % 3, 'a', 'b')})
    synthesizer.fit({'people': people})
    return synthesizer


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize(
    'how',
    [{}, {'target_column': 'letter'}, {'target_column': 'whole'}, {'mixing': 'clusters'}],
    ids=str,
)
def test_a_release_samples_as_the_synthesizer_does(
    some_table, some_metadata, tmp_path, how, monkeypatch
):
    synthesizer = ClustMixSynthesizer(some_metadata, epsilon=20.0, **how)
    synthesizer.fit({'people': some_table})
    monkeypatch.setattr(pickle, 'loads', None)
    monkeypatch.setattr(pickle, 'load', None)
    loaded = restore(synthesizer, tmp_path / 'people.release', lambda each: each.sample(100))
    known = pd.DataFrame({'letter': ['a', 'b'] * 4})
    one, other = (each.sample_remaining_columns(known)['people'] for each in (loaded, synthesizer))
    pd.testing.assert_frame_equal(one, other)


def test_a_database_too(database, tmp_path):
    restore(database, tmp_path / 'database.release', lambda each: each.sample_scale(0.5))


def test_constraints_of_parameters_are_part_of_a_release(tmp_path):
    rng = np.random.default_rng(0)
    net, works = rng.gamma(2, 50, 800).round(2), rng.random(800) < 0.5
    bills = pd.DataFrame({'net': net, 'tip': rng.gamma(2, 5, 800).round(2), 'works': works})
    bills = bills.assign(total=(bills.net + bills.tip).round(2), job=np.where(works, 'a', None))
    bills = bills.assign(
        paid=bills.total + rng.integers(0, 3, 800), town=rng.choice(['x', 'y'], 800)
    )
    kinds = {'works': 'boolean', 'job': 'categorical', 'town': 'categorical'}
    metadata = describe({name: kinds.get(name, 'numerical') for name in bills}, 'people')
    rules = [
        Inequality('net', 'paid'),
        Formula('total', 'net + tip'),
        FixedCombinations(['job', 'town']),
        IfThen('works', {'job': None}, if_values=[False]),
    ]
    synthesizer = ClustMixSynthesizer(metadata, epsilon=9.0)
    synthesizer.add_constraints(rules)
    synthesizer.fit({'people': bills})
    loaded = restore(synthesizer, tmp_path / 'people.release', lambda each: each.sample(200))

    rows = loaded.sample(200)['people']
    assert ((rows['net'] + rows['tip']).round(2) == rows['total']).all()
    known = pd.DataFrame({'total': [60.0, 90.0] * 20, 'works': False})
    for each in (loaded, synthesizer):
        drawn = each.sample_remaining_columns(known)['people']
        assert drawn[['total', 'works']].equals(known.astype(drawn[['total', 'works']].dtypes))
        assert ((drawn['net'] + drawn['tip']).round(2) == drawn['total']).all()
        assert drawn['job'].isna().all() and (drawn['net'] <= drawn['paid']).all()


class Own(SingleTableProgrammableConstraint):
    """A constraint that is code."""

    def get_updated_metadata(self, metadata):
        return metadata

    def is_valid(self, data):
        return data['x'] <= data['y']


def test_what_is_code_is_refused(small, database, tmp_path):
    table = {'people': pd.DataFrame({'x': range(100), 'y': range(1, 101)})}
    metadata = describe(dict.fromkeys('xy', 'numerical'), 'people')
    constrained, chosen = (ClustMixSynthesizer(metadata, accept='noise') for _ in range(2))
    with pytest.raises(NotFittedError):
        chosen.save_release(tmp_path / 'none')
    constrained.add_constraints([Own()])
    chosen.auto_assign_transformers(table)
    chosen.update_transformers({'x': FloatFormatter()})
    for synthesizer in (constrained, chosen):
        synthesizer.fit(table)
        with pytest.raises(SynthesizerInputError, match='They are code'):
            synthesizer.save_release(tmp_path / 'none')
    assert list(tmp_path.iterdir()) == []


def test_a_flipped_bit_is_noticed(small, tmp_path):
    path = tmp_path / 'people.release'
    small.save_release(path)
    whole, rng = path.read_bytes(), np.random.default_rng(6)
    for place in rng.integers(0, 8 * len(whole), 50).tolist():
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        with pytest.raises(SynthesizerInputError, match='is damaged'):
            ClustMixSynthesizer.load_release(path)


def seal(path, content):
    """Write a file with a right checksum, as an attacker can."""
    path.write_bytes(MAGIC + hashlib.sha256(content).digest() + content)


class Trap:
    """Is made when a pickle of it is loaded."""

    def __reduce__(self):
        return open, ('trap', 'w')


@pytest.mark.parametrize('sort', ['array of objects', 'pickle', 'compressed'])
def test_no_code_runs_whatever_is_in_the_file(small, tmp_path, monkeypatch, sort):
    monkeypatch.chdir(tmp_path)
    archive = io.BytesIO()
    if sort == 'array of objects':
        np.savez(archive, json=np.array([Trap()], dtype=object))
    elif sort == 'compressed':
        np.savez_compressed(archive, json=np.zeros(10**7, np.uint8))
    else:
        with zipfile.ZipFile(archive, 'w') as members:
            members.writestr('json.npy', pickle.dumps(Trap()))
    seal(tmp_path / 'file', archive.getvalue())
    with pytest.raises(SynthesizerInputError, match='is damaged'):
        ClustMixSynthesizer.load_release('file')
    assert [each.name for each in tmp_path.iterdir()] == ['file']


@pytest.mark.parametrize(
    'kind',
    [
        'os:system', 'subprocess:Popen', 'sdv_threea.report.result:Report', 'builtins:eval',
        'sdv_threea.release:np', 'sdv_threea.joint.density:fit_joint', 'nothing', ':', '', 7,
        'sdv_threea.joint.density:dataclass', 'sdv_threea.joint.density:Counter',
    ],
)  # fmt: skip
def test_no_class_is_made_but_those_of_a_release(tmp_path, monkeypatch, kind):
    path = tmp_path / 'file'
    spelt = {'is': 'dict', 'items': [['x', {'is': kind, 'fields': {}}]]}
    monkeypatch.setattr(release_files, '_spell', lambda *_: spelt)
    write_plain(path, {})
    with pytest.raises(DamagedError):
        read_plain(path)


def test_values_that_do_not_fit_are_refused(small, tmp_path):
    small.save_release(tmp_path / 'file')
    facts = read_plain(tmp_path / 'file')
    exploding = {'key': {'sdtype': 'id', 'regex_format': r'\d{1000000}'}}
    for change in (
        {'release': 3}, {'dtypes': {}}, {'metadata': {}}, {'arguments': {'x': 1}},
        {'made_with': 'latest'}, {'made_with': None},
        {'metadata': {'tables': {'people': {'columns': exploding}}}},
    ):  # fmt: skip
        write_plain(tmp_path / 'other', {**facts, **change})
        with pytest.raises(SynthesizerInputError):
            ClustMixSynthesizer.load_release(tmp_path / 'other')
    write_plain(tmp_path / 'other', {**facts, 'made_with': '999.0'})
    with pytest.raises(VersionError):
        ClustMixSynthesizer.load_release(tmp_path / 'other')
    with pytest.raises(SynthesizerInputError, match='holds no release of'):
        ClustMixMultiTableSynthesizer.load_release(tmp_path / 'file')


@pytest.mark.parametrize('fixture', ['small', 'database'])
def test_a_release_that_promises_more_than_its_receipts_show_is_refused(fixture, request, tmp_path):
    synthesizer = request.getfixturevalue(fixture)
    synthesizer.save_release(tmp_path / 'file')
    facts = read_plain(tmp_path / 'file')
    promised = facts['arguments']
    for change in (
        {'arguments': {**promised, 'epsilon': 0.01}},
        {'arguments': {**promised, 'epsilon': 0.99 * promised['epsilon']}},
        {'arguments': {**promised, 'delta': 1e-9}},
        {'fits': 0}, {'fits': -1}, {'fits': 1.5}, {'fits': True}, {'fits': None}, {'fits': 10**400},
    ):  # fmt: skip
        write_plain(tmp_path / 'other', {**facts, **change})
        with pytest.raises(SynthesizerInputError, match='not as it was saved|is damaged'):
            type(synthesizer).load_release(tmp_path / 'other')
    write_plain(tmp_path / 'other', {**facts, 'fits': 3})
    loaded = type(synthesizer).load_release(tmp_path / 'other')
    assert 'this was fit 3' in str(loaded.get_privacy_statement())


PAID = Receipt(stage='a', released='b', sensitivity=1.0, noise_scale=10.0, mu=0.1, delta=1e-7)

HONEST = PrivacyStatement(
    epsilon=1.0,
    delta=1e-6,
    neighbors='add_remove',
    guarantee='end_to_end',
    mu=0.1,
    receipts=(PAID,),
)


def test_honest_claims_are_believed():
    check_claims(HONEST, modelled=True)
    check_claims(replace(HONEST, fits=10), modelled=True)
    paper = replace(HONEST, guarantee='paper', receipts=(PAID, replace(PAID, charged=False)))
    check_claims(paper, modelled=True)
    check_claims(replace(HONEST, mu=0.0, receipts=(), fits=0), modelled=False)
    assert 'refits' not in str(replace(HONEST, fits=0))
    free = replace(PAID, mu=math.inf, noise_scale=0.0)
    noiseless = replace(HONEST, epsilon=math.inf, guarantee='none', receipts=(free,))
    check_claims(noiseless, modelled=True)


@pytest.mark.parametrize(
    'edited',
    [
        {'epsilon': 0.01}, {'delta': 1e-8},
        {'receipts': (replace(PAID, noise_scale=1.0),)},
        {'receipts': (replace(PAID, charged=False),)},
        {'receipts': (PAID,) * 20},
        {'receipts': ()}, {'receipts': (PAID, replace(PAID, sensitivity=0.0, mu=0.0))},
        {'fits': 0}, {'fits': 0, 'receipts': ()}, {'fits': -1}, {'fits': True}, {'fits': 1.5},
        {'fits': None}, {'fits': 'x'},
    ],
    ids=str,
)  # fmt: skip
def test_claims_beyond_the_evidence_are_refused(edited):
    with pytest.raises(ValueError, match='receipt|how many fits'):
        check_claims(replace(HONEST, **edited), modelled=True)
