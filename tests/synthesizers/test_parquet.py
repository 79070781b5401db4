"""Samples in Parquet files: one table to whoever reads them."""

import builtins
import math
import sys

import numpy as np
import pandas as pd
import pyarrow
import pytest
from described import describe
from pyarrow import parquet

from sdv_threea import ClustMixSynthesizer
from sdv_threea.storage import files
from sdv_threea.storage.files import write_csv

NAME = 'people'

#: Columns of which half is missing: of thirty rows none or all with a chance below 1e-8.
GAPS = ['flag_missing', 'letter_missing', 'whole_missing', 'code_object', 'half', 'rare']

#: What objects come back as: dtypes in which values may be missing.
OPEN = {'flag_missing': 'boolean', 'code_object': 'Int64', 'truth': 'boolean', 'half': 'float64'}


@pytest.fixture(scope='module')
def fitted(build_table, build_metadata, mixed_columns):
    """A synthesizer of columns of every kind, some of them objects that are no texts."""
    table, rng = build_table(400, 5), np.random.default_rng(5)
    table['code_object'] = pd.Series(rng.integers(1, 4, 400)).astype(object)
    table['half'] = pd.Series(rng.integers(1, 4, 400) / 2).astype(object)
    table['rare'] = 'x'
    for name in GAPS:
        table[name] = table[name].mask(rng.random(400) < 0.5)
    table['truth'] = pd.Categorical(rng.random(400) < 0.5)
    table['grade'] = pd.Categorical(rng.integers(1, 4, 400), ordered=True)
    new = dict.fromkeys(['code_object', 'half', 'truth', 'grade', 'rare'], 'categorical')
    columns = mixed_columns | {name: {'sdtype': sdtype} for name, sdtype in new.items()}
    settings = {'epsilon': math.inf}
    synthesizer = ClustMixSynthesizer(build_metadata(columns, 'key'), **settings)
    synthesizer.fit({NAME: table})
    return synthesizer


@pytest.fixture(scope='module')
def simple(build_metadata):
    columns = {'key': {'sdtype': 'id'}, 'low': {'sdtype': 'numerical'}}
    metadata = build_metadata(columns | {'high': {'sdtype': 'numerical'}}, 'key')
    low = np.arange(300) % 7
    synthesizer = ClustMixSynthesizer(metadata, epsilon=5.0)
    synthesizer.fit({NAME: pd.DataFrame({'key': range(300), 'low': low, 'high': low + 2})})
    return synthesizer


@pytest.fixture(params=[1, 7, 1_000])
def rows_per_file(request):
    return request.param


@pytest.mark.filterwarnings('ignore')
def test_the_folder_has_the_rows_that_sample_gives(fitted, tmp_path, rows_per_file):
    fitted.reset_sampling()
    expected = fitted.sample(14, batch_size=rows_per_file)[NAME]
    fitted.reset_sampling()
    files = fitted.sample_to_parquet(14, tmp_path / 'rows', rows_per_file, show_progress=False)
    found = pd.read_parquet(tmp_path / 'rows')

    assert [file.name for file in files] == [
        f'part-{number:05}.parquet' for number in range(-(-14 // rows_per_file))
    ]
    assert all(parquet.ParquetFile(file).metadata.num_rows <= rows_per_file for file in files)
    assert list(found) == list(expected)
    for name in expected:
        assert found[name].isna().tolist() == expected[name].isna().tolist()
        assert found[name].dropna().tolist() == expected[name].dropna().tolist()


@pytest.mark.filterwarnings('ignore')
def test_all_files_have_one_schema_whatever_they_lack(fitted, tmp_path, mixed_columns):
    files = fitted.sample_to_parquet(30, tmp_path / 'rows', 1, show_progress=False)
    schemas = [parquet.read_schema(file) for file in files]
    parts = [pd.read_parquet(file) for file in files]

    assert all(each.equals(schemas[0], check_metadata=True) for each in schemas)
    assert not any(pyarrow.types.is_null(each.type) for each in schemas[0])
    for name in GAPS:
        assert {bool(part[name].isna().all()) for part in parts} == {True, False}
    for part in parts:
        kinds = part.dtypes.map(lambda dtype: 'category' if str(dtype) == 'category' else dtype)
        assert kinds.equals(parts[0].dtypes)
    assert parts[0].dtypes[list(OPEN)].astype(str).to_dict() == OPEN


def test_keys_are_unique_over_all_files_and_rows_come_again_after_a_reset(simple, tmp_path):
    simple.reset_sampling()
    simple.sample_to_parquet(100, tmp_path / 'one', 9, show_progress=False)
    simple.sample_to_parquet(100, tmp_path / 'two', 9, show_progress=False)
    simple.reset_sampling()
    simple.sample_to_parquet(100, tmp_path / 'again', 9, show_progress=False)
    one, two, again = (pd.read_parquet(tmp_path / name) for name in ('one', 'two', 'again'))

    assert pd.concat([one, two])['key'].is_unique
    pd.testing.assert_frame_equal(one, again)
    assert not one.drop(columns='key').equals(two.drop(columns='key'))


def test_without_pyarrow_it_is_told_what_to_install(simple, tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.split('.')[0] == 'pyarrow']:
        monkeypatch.delitem(sys.modules, name)
    real = builtins.__import__

    def refuse(name, *others, **options):
        if name.split('.')[0] == 'pyarrow':
            raise ImportError(name)
        return real(name, *others, **options)

    monkeypatch.setattr(builtins, '__import__', refuse)
    with pytest.raises(ImportError, match=r"pip install 'sdv-threea\[parquet\]'"):
        simple.sample_to_parquet(5, tmp_path / 'rows')

    assert list(tmp_path.iterdir()) == []


def test_values_of_several_types_are_refused_by_name(build_metadata, tmp_path):
    synthesizer = ClustMixSynthesizer(
        build_metadata({'mixed': {'sdtype': 'categorical'}}), epsilon=math.inf
    )
    synthesizer.fit({NAME: pd.DataFrame({'mixed': [1, 'one'] * 100})})
    with pytest.raises(ValueError, match="Column 'mixed' cannot be stored in Parquet"):
        synthesizer.sample_to_parquet(50, tmp_path / 'rows', 1, show_progress=False)

    assert list(tmp_path.iterdir()) == []


ODD = ['a\rb', 'a\nb', ' blanks ', '"quoted"', 'NA', 'null', 'a,b']


@pytest.fixture
def rows():
    at = np.arange(700)
    return pd.DataFrame({'key': at, 'c': np.resize(ODD, len(at)), 'x': at})


def read_csv(path):
    return pd.read_csv(path, keep_default_na=False, na_values=[''])


@pytest.mark.parametrize('batch_size', [None, 30])
def test_of_one_table(rows, tmp_path, batch_size):
    metadata = describe({'c': 'categorical', 'x': 'numerical'}, 'people')
    synthesizer = ClustMixSynthesizer(metadata, epsilon=100.0)
    synthesizer.fit({'people': rows[['c', 'x']]})
    for name, sample in {
        'plain': lambda how: synthesizer.sample(100, **how),
        'known': lambda how: synthesizer.sample_remaining_columns(
            pd.DataFrame({'c': ODD * 10}), **how
        ),
    }.items():
        folder = tmp_path / name
        how = {'batch_size': batch_size, 'output_folder_path': str(folder)}
        sampled = sample(how)['people']
        assert set(sampled['c']) <= set(ODD)
        found = read_csv(folder / 'people.csv')
        pd.testing.assert_frame_equal(found, sampled.reset_index(drop=True))
    check_whole_or_nothing(synthesizer.sample, 10, tmp_path, ['people'])
    for wrong in ('', 7):
        with pytest.raises(ValueError, match='output_folder_path must be'):
            synthesizer.sample(10, output_folder_path=wrong)


def check_whole_or_nothing(sample, size, tmp_path, names):
    """A failure while the last table is written leaves no file, and nothing that exists is lost."""
    written = []

    def fail(rows, path, **how):
        written.append(path)
        write_csv(rows, path, **how)
        if len(written) == len(names):
            raise OSError(28, 'No space left on device')

    folder = tmp_path / 'new'
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, 'write_csv', fail)
        with pytest.raises(OSError, match='No space'):
            sample(size, output_folder_path=str(folder))
    assert len(written) == len(names)
    assert list(folder.iterdir()) == []

    sample(size, output_folder_path=str(folder))
    assert sorted(path.stem for path in folder.iterdir()) == names
    before = [path.read_bytes() for path in folder.iterdir()]
    with pytest.raises(FileExistsError, match='already exists'):
        sample(size, output_folder_path=str(folder))
    assert [path.read_bytes() for path in folder.iterdir()] == before
    with pytest.raises(FileExistsError):
        sample(size, output_folder_path=str(folder / f'{names[0]}.csv'))
