"""The names of released classes in files outlive the places where the classes are."""

import warnings
from dataclasses import fields, is_dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from sdv.errors import SDVVersionWarning, SynthesizerInputError, VersionError

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.storage.files import UNKNOWN, check_version, get_version
from sdv_threea.storage.release_files import read_plain, write_plain
from sdv_threea.storage.release_kinds import KINDS, PLACES_OF_0_1_0, find_kind, make_kind, name_kind

#: Releases that version 0.1.0 has saved.
SAVED = Path(__file__).parent / 'saved'

#: Every name that a published file may hold. A name may be added, and none may ever go.
NAMES = {
    'Agreement', 'Attribute', 'Category', 'Chain', 'ChainColumn', 'ChainLink', 'ChainParents',
    'Children', 'Classes', 'DatabaseRelease', 'Domain', 'Ends', 'Expectation', 'ForeignKey',
    'Interplay', 'Joint', 'JointConstants', 'KernelFeatures', 'LabelModel', 'Layout', 'Ledger',
    'Loss', 'Magnitudes', 'Mixture', 'NormalScores', 'Number', 'NumberModel', 'Part', 'Pseudonyms',
    'Receipt', 'References', 'RelationalConstants', 'Release', 'ReluNtk', 'Schema', 'Share', 'Sum',
    'TableRelease', 'Term', 'Trees', 'Triples',
}  # fmt: skip


def test_every_name_that_was_ever_written_is_read():
    assert set(KINDS) == NAMES, 'add a new name here, too: it is in files from now on'
    assert set(PLACES_OF_0_1_0.values()) <= NAMES


@pytest.mark.parametrize('name', sorted(KINDS))
def test_a_name_stands_for_a_class_whose_values_have_that_name(name):
    kind = find_kind(name)

    assert is_dataclass(kind)
    assert name_kind(object.__new__(kind)) == name


def test_a_name_tells_no_place():
    assert not any(':' in name or '.' in name for name in KINDS)


@pytest.mark.parametrize('name', ['labels', 'number'])
def test_a_table_that_version_0_1_0_has_saved_is_read(name):
    loaded = ClustMixSynthesizer.load_release(SAVED / f'{name}.release')

    assert len(loaded.sample(20)['people']) == 20
    assert loaded.get_privacy_statement().epsilon == 20.0


def test_a_database_that_version_0_1_0_has_saved_is_read():
    loaded = ClustMixMultiTableSynthesizer.load_release(SAVED / 'database.release')
    drawn = loaded.sample_scale(0.5)

    assert set(drawn['visits']['person']) <= set(drawn['people']['pid'])
    assert loaded.get_privacy_statement().fits == 1


def test_what_a_file_says_was_left_out_is_the_plan_of_its_release():
    release = read_plain(SAVED / 'labels.release')['release']
    known = {each.name: getattr(release, each.name) for each in fields(release)}
    del known['plan']
    said = ('pairs of columns: noise would exceed their counts',)

    assert make_kind('Release', known | {'left_out': said}).plan == said
    assert make_kind('Release', known | {'left_out': (), 'plan': said}).plan == said
    assert make_kind('Release', known).plan == ()


def test_a_file_written_anew_holds_no_place_of_a_class(tmp_path):
    write_plain(tmp_path / 'new', read_plain(SAVED / 'database.release'))

    assert b'sdv_threea' not in (tmp_path / 'new').read_bytes()
    assert read_plain(tmp_path / 'new').keys() == read_plain(SAVED / 'database.release').keys()


def test_sequences_that_version_0_1_0_took_for_rows_are_read_as_rows(tmp_path):
    facts = read_plain(SAVED / 'labels.release')
    facts['metadata']['tables']['people']['sequence_index'] = 'age'
    write_plain(tmp_path / 'old', facts)
    loaded = ClustMixSynthesizer.load_release(tmp_path / 'old')

    assert len(loaded.sample(5)['people']) == 5
    assert loaded.metadata.tables['people'].sequence_index is None


def test_the_version_is_that_of_the_installation():
    try:
        assert get_version() == version('sdv-threea')
    except PackageNotFoundError:
        assert get_version() == UNKNOWN


@pytest.mark.parametrize(
    'versions',
    [
        ('1.2.0', '1.2.0'), ('1.2.0', '1.2'), (UNKNOWN, '1.2.0'), ('1.2.0', UNKNOWN),
        (UNKNOWN, UNKNOWN),
    ],
)  # fmt: skip
def test_the_same_version_and_checkouts_are_silent(versions):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        check_version(*versions)


@pytest.mark.parametrize('installed', ['1.1.9', '1.2.0rc1', '1.2.0.dev3', '0.10.0'])
def test_a_newer_synthesizer_is_an_error(installed):
    with pytest.raises(VersionError, match='upgrade'):
        check_version('1.2.0', installed)


@pytest.mark.parametrize('installed', ['1.2.1', '1.10.0', '1.2.0.post1'])
def test_an_older_synthesizer_is_a_warning(installed):
    with pytest.warns(SDVVersionWarning, match=r'made with sdv-threea 1\.2\.0'):
        check_version('1.2.0', installed)


@pytest.mark.parametrize('made_with', ['', 'latest', '1.x', '9' * 5000, None, 7, ['1.2.0'], {}])
def test_what_is_no_version_is_one_clear_error(made_with):
    with pytest.raises(SynthesizerInputError, match='does not name the version'):
        check_version(made_with, '1.2.0')
