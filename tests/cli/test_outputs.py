"""Output files appear whole, or not at all."""

from __future__ import annotations

import os

import pytest

from sdv_threea.cli.errors import RefusedError
from sdv_threea.cli.outputs import staged


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def write(drafts):
    for place, draft in drafts.items():
        draft.write_text(f'new {place.name}')


def test_files_appear_together_at_the_end(tmp_path):
    places = [tmp_path / 'a.csv', tmp_path / 'b.csv.gz']
    with staged(places, force=False) as drafts:
        write(drafts)
        assert not any(place.exists() for place in places)
        assert all(draft.name.endswith(place.name) for place, draft in drafts.items())

    assert [place.read_text() for place in places] == ['new a.csv', 'new b.csv.gz']
    assert names(tmp_path) == ['a.csv', 'b.csv.gz']


@pytest.mark.parametrize('error', [ValueError, KeyboardInterrupt])
def test_nothing_is_left_behind_when_the_work_fails(tmp_path, error):
    old = tmp_path / 'old.csv'
    old.write_text('old')
    places = [old, tmp_path / 'folder' / 'new.csv']
    with pytest.raises(error), staged(places, force=True) as drafts:
        write(drafts)
        raise error

    assert old.read_text() == 'old'
    assert names(tmp_path) == ['old.csv']


def test_a_folder_is_made_but_not_its_parent(tmp_path):
    with staged([tmp_path / 'folder' / 'a.csv'], force=False) as drafts:
        write(drafts)
    assert names(tmp_path / 'folder') == ['a.csv']

    with (
        pytest.raises(RefusedError, match='no folder'),
        staged([tmp_path / 'one' / 'two' / 'a.csv'], force=False),
    ):
        raise AssertionError


def test_what_exists_is_replaced_by_force_alone(tmp_path):
    old = tmp_path / 'old.csv'
    old.write_text('old')
    with pytest.raises(RefusedError, match='--force'), staged([old], force=False):
        raise AssertionError
    with staged([old], force=True) as drafts:
        write(drafts)
    assert old.read_text() == 'new old.csv'


def test_an_input_is_never_replaced_whatever_it_is_called(tmp_path):
    source = tmp_path / 'source.csv'
    source.write_text('private')
    alias = tmp_path / 'alias.csv'
    alias.symlink_to(source)
    with (
        pytest.raises(RefusedError, match='is an input'),
        staged([alias], force=True, inputs=[source]),
    ):
        raise AssertionError
    assert source.read_text() == 'private'


@pytest.mark.parametrize('places', [['same', 'same'], ['folder']])
def test_places_that_cannot_hold_a_file_are_refused(tmp_path, places):
    (tmp_path / 'folder').mkdir()
    with pytest.raises(RefusedError), staged([tmp_path / place for place in places], force=True):
        raise AssertionError


def test_files_may_be_read_by_whom_the_user_lets(tmp_path):
    mask = os.umask(0o027)
    try:
        with staged([tmp_path / 'a.csv'], force=False) as drafts:
            write(drafts)
    finally:
        os.umask(mask)
    assert (tmp_path / 'a.csv').stat().st_mode & 0o777 == 0o640
