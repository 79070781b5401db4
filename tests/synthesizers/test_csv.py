"""What SDV's arguments write to folders reads back the same."""

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_threea import ClustMixSynthesizer
from sdv_threea.storage import files
from sdv_threea.storage.files import write_csv

KEY, CATEGORY, NUMBER = {'sdtype': 'id'}, {'sdtype': 'categorical'}, {'sdtype': 'numerical'}
ODD = ['a\rb', 'a\nb', ' blanks ', '"quoted"', 'NA', 'null', 'a,b']


@pytest.fixture
def rows():
    at = np.arange(700)
    return pd.DataFrame({'key': at, 'c': np.resize(ODD, len(at)), 'x': at})


def read(path):
    return pd.read_csv(path, keep_default_na=False, na_values=[''])


@pytest.mark.parametrize('batch_size', [None, 30])
def test_of_one_table(rows, tmp_path, batch_size):
    columns = {'c': CATEGORY, 'x': NUMBER}
    metadata = Metadata.load_from_dict({'tables': {'people': {'columns': columns}}})
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
        found = read(folder / 'people.csv')
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
