import warnings
from importlib.metadata import PackageNotFoundError, version

import pytest
from sdv.errors import SDVVersionWarning, SynthesizerInputError, VersionError

from sdv_threea.storage.version import UNKNOWN, check_version, get_version


def test_the_version_is_that_of_the_installation():
    try:
        assert get_version() == version('sdv-threea')
    except PackageNotFoundError:
        assert get_version() == UNKNOWN


@pytest.mark.parametrize(
    'versions',
    [
        ('1.2.0', '1.2.0'),
        ('1.2.0', '1.2'),
        (UNKNOWN, '1.2.0'),
        ('1.2.0', UNKNOWN),
        (UNKNOWN, UNKNOWN),
    ],
)
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
    with pytest.raises(SynthesizerInputError, match='does not say by a version'):
        check_version(made_with, '1.2.0')
