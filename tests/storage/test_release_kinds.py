"""The names of released classes in files outlive the places where the classes are."""

from dataclasses import is_dataclass
from pathlib import Path

import pytest

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.storage.release_files import read_plain, write_plain
from sdv_threea.storage.release_kinds import KINDS, NAMES_OF_0_1_0, find_kind, name_kind

#: Releases that version 0.1.0 has saved.
SAVED = Path(__file__).parent / 'saved'

#: Every name that a published file may hold. A name may be added, and none may ever go.
NAMES = {
    'Category', 'Chain', 'ChainColumn', 'ChainLink', 'ChainParents', 'Children', 'Classes',
    'DatabaseRelease', 'Domain', 'Expectation', 'ForeignKey', 'Interplay', 'Joint',
    'JointConstants', 'KernelFeatures', 'LabelModel', 'Layout', 'Ledger', 'Loss', 'Magnitudes',
    'Mixture', 'NormalScores', 'Number', 'NumberModel', 'Receipt', 'RelationalConstants',
    'Release', 'ReluNtk', 'Schema', 'Share', 'TableRelease', 'Term', 'Trees', 'Triples',
}  # fmt: skip


def test_every_name_that_was_ever_written_is_read():
    assert set(KINDS) >= NAMES
    assert set(NAMES_OF_0_1_0.values()) == NAMES


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
