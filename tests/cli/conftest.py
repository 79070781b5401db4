"""Folders of tables, metadata and a synthesizer, and a way to run commands."""

import pytest
from click.testing import CliRunner

from sdv_threea.cli.commands import main
from sdv_threea.datasets import load_adult, load_hospital

NUM_ROWS, NUM_PATIENTS = 3000, 1500


@pytest.fixture(scope='session')
def call():
    """Run a command in this process; the result has ``exit_code``, ``stdout`` and ``stderr``."""
    runner = CliRunner()
    return lambda *arguments: runner.invoke(main, [str(each) for each in arguments])


@pytest.fixture(scope='session')
def adult(tmp_path_factory):
    """Make a folder with some rows of Adult, rows kept aside, and its metadata."""
    folder = tmp_path_factory.mktemp('adult')
    train, test, metadata = load_adult()
    train.head(NUM_ROWS).to_csv(folder / 'train.csv', index=False)
    test.head(NUM_ROWS).to_csv(folder / 'test.csv', index=False)
    metadata.save_to_json(str(folder / 'metadata.json'))
    return folder


@pytest.fixture(scope='session')
def fitted(adult, call):
    """Add a synthesizer ``adult.pkl`` and its statement to that folder."""
    done = call(
        'fit', adult / 'train.csv', '--metadata', adult / 'metadata.json', '--epsilon', 4,
        '--delta', 1e-5, '--target', 'income', '--out', adult / 'adult.pkl',
    )  # fmt: skip
    assert (done.exit_code, done.stdout) == (0, '')
    # What the release has lost is said, and what was written, and nothing else.
    lost, *lines = done.stderr.splitlines()
    assert lost.startswith('Warning: This release has lost some of the table: ')
    written = [line for line in lines if not line.startswith('  ')]
    assert [line.partition(' (')[0] for line in written] == [
        f'Wrote {adult / name}' for name in ('adult.pkl', 'adult.pkl.statement.txt')
    ]
    return adult


@pytest.fixture(scope='session')
def hospital(tmp_path_factory):
    """Make a folder of tables, and their metadata beside it."""
    folder = tmp_path_factory.mktemp('hospital')
    tables, metadata = load_hospital()
    tables['patient'] = tables['patient'].head(NUM_PATIENTS)
    kept = tables['encounter']['patient_nbr'].isin(tables['patient']['patient_nbr'])
    tables['encounter'] = tables['encounter'][kept]
    (folder / 'tables').mkdir()
    for name, table in tables.items():
        table.to_csv(folder / 'tables' / f'{name}.csv.gz', index=False)
    metadata.save_to_json(str(folder / 'metadata.json'))
    return folder


@pytest.fixture(scope='session')
def fit_options():
    """Make the options of a fit of a folder's table; more of them, or others, by name."""

    def make(folder, **others):
        options = {'--metadata': folder / 'metadata.json', '--epsilon': 4} | others
        return [each for option in options.items() for each in option]

    return make


@pytest.fixture(scope='session')
def list_files():
    """List the names of all files in a folder."""
    return lambda folder: sorted(path.name for path in folder.rglob('*') if path.is_file())
