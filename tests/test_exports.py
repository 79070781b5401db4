"""What the package shows to the world, and its place inside SDV."""

import importlib
import pkgutil
from importlib.metadata import PackageNotFoundError, entry_points, version

import pytest

import sdv_threea


def installed():
    try:
        return version('sdv-threea')
    except PackageNotFoundError:
        return None


needs_installation = pytest.mark.skipif(
    not installed(), reason='SDV finds plug-ins by their installation: pip install --editable .'
)


def test_the_front_door_leads_to_the_synthesizer():
    from sdv_threea.synthesizers.single_table import ClustMixSynthesizer

    assert sdv_threea.ClustMixSynthesizer is ClustMixSynthesizer
    assert 'ClustMixSynthesizer' in sdv_threea.__all__
    assert set(sdv_threea.__all__) <= set(dir(sdv_threea))


def test_everything_promised_exists_and_nothing_else_is_at_the_door():
    for name in sdv_threea.__all__:
        assert getattr(sdv_threea, name) is not None
    with pytest.raises(AttributeError, match='no attribute'):
        sdv_threea.ClustMixSynthesiser  # noqa: B018


def test_every_room_lists_what_exists():
    for _, name, is_package in pkgutil.iter_modules(sdv_threea.__path__, 'sdv_threea.'):
        if is_package:
            room = importlib.import_module(name)
            assert [each for each in getattr(room, '__all__', []) if not hasattr(room, each)] == []


@needs_installation
def test_the_entry_points_are_where_sdv_looks():
    ours = {
        each.name: each for each in entry_points(group='sdv_modules') if 'ClustMix' in each.name
    }

    assert {name: point.load() for name, point in ours.items()} == {
        'sdv.single_table:ClustMixSynthesizer': sdv_threea.ClustMixSynthesizer,
        'sdv.multi_table:ClustMixMultiTableSynthesizer': sdv_threea.ClustMixMultiTableSynthesizer,
        'sdv.sequential:ClustMixSequentialSynthesizer': sdv_threea.ClustMixSequentialSynthesizer,
    }


@needs_installation
@pytest.mark.parametrize(
    'first',
    [
        'import sdv',
        'import sdv.single_table',
        'import sdv_threea',
        'import sdv_threea.storage.metadata',
        'import sdv_threea.constraints.stated',
        'import sdv_threea.conditions.translation',
    ],
)
def test_sdv_has_the_class_whoever_is_imported_first(run_anew, first):
    done = run_anew(
        f'{first}\n'
        'from sdv.single_table import ClustMixSynthesizer as inside\n'
        'from sdv_threea import ClustMixSynthesizer as ours\n'
        'assert inside is ours'
    )
    assert done.returncode == 0, done.stderr
    assert 'arning' not in done.stderr
