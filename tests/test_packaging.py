"""What a package needs around it: files that the distributions carry, and pages that agree."""

import datetime
import re
import runpy
import tomllib
from pathlib import Path

import pytest

import sdv_threea

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / 'pyproject.toml').read_text('utf-8'))


def test_the_source_distribution_carries_what_the_tests_read():
    text = (ROOT / 'MANIFEST.in').read_text('utf-8')
    included = [name for line in re.findall('^include (.*)$', text, re.M) for name in line.split()]

    assert [name for name in included if not (ROOT / name).exists()] == []
    grafted = set(re.findall(r'^graft (\S+)$', text, re.M))
    assert grafted >= {'.ci', '.github', 'benchmarks', 'docs', 'examples', 'tests'}


def test_files_that_are_no_code_are_in_the_wheel():
    carried = PROJECT['tool']['setuptools']['package-data']
    package = Path(sdv_threea.__file__).parent
    found = set()
    for room, patterns in carried.items():
        folder = package.parent / Path(*room.split('.'))
        matched = [path for pattern in patterns for path in folder.glob(pattern)]
        assert matched, room
        found |= set(matched)
    others = {
        path
        for path in package.rglob('*')
        if path.is_file() and path.suffix != '.py' and '__pycache__' not in path.parts
    }
    assert others - found == set()


def test_the_citation_names_the_version_and_the_licence():
    text = (ROOT / 'CITATION.cff').read_text('utf-8')
    assert f'version: {PROJECT["project"]["version"]}\n' in text
    assert f'license: {PROJECT["project"]["license"]}\n' in text


def test_the_changelog_is_that_of_a_release():
    """A version has a day, the same in the citation, and tells nobody what was before the first."""
    version = PROJECT['project']['version']
    text = (ROOT / 'CHANGELOG.md').read_text('utf-8')
    heading, day = re.search(r'^## \[(.*)\] - (.*)$', text, re.M).groups()
    assert (heading, day) == (version, datetime.date.fromisoformat(day).isoformat())
    assert f'date-released: {day}\n' in (ROOT / 'CITATION.cff').read_text('utf-8')

    *_, first = re.split(r'^## ', text, flags=re.M)
    assert re.findall(r'^### (.*)$', first, re.M) == ['Added']


@pytest.mark.parametrize('name', ['tests', 'docs', 'release'])
def test_a_workflow_runs_what_is_there(name):
    text = (ROOT / '.github' / 'workflows' / f'{name}.yml').read_text('utf-8')
    targets = re.findall(r'^(\w+):', (ROOT / 'Makefile').read_text('utf-8'), re.M)

    for target in re.findall(r'make (\w+)', text):
        assert target in targets
    for script in re.findall(r'run: (\.ci/\w+)', text):
        assert (ROOT / script).exists()
    assert 'permissions:' in text


def test_a_release_points_to_the_repository_that_makes_it():
    """A package index shows the README by itself, where relative links lead nowhere."""
    made = runpy.run_path(str(ROOT / '.ci' / 'point_links.py'))
    base, tag = 'https://example.org/someone/sdv-threea', 'v9.9'
    text = (ROOT / 'README.md').read_text('utf-8')
    pointed = made['point_links'](text, base, tag)

    links = re.findall(r'\]\(([^)\s]+)', pointed)
    assert len(links) == len(re.findall(r'\]\(([^)\s]+)', text)) > 10
    assert [link for link in links if not link.startswith(('https://', '#'))] == []
    assert f'({base}/raw/{tag}/docs/pictures/report.png)' in pointed
    assert f'({base}/blob/{tag}/LICENSE)' in pointed
    for path in re.findall(rf'{base}/(?:raw|blob)/{tag}/([^)#]+)', pointed):
        assert (ROOT / path).exists(), path

    project = (ROOT / 'pyproject.toml').read_text('utf-8')
    urls = tomllib.loads(made['add_addresses'](project, base, tag))['project']['urls']
    assert urls == PROJECT['project']['urls'] | {
        'Source': base,
        'Documentation': f'{base}/blob/{tag}/docs/index.md',
        'Changelog': f'{base}/blob/{tag}/CHANGELOG.md',
        'Issues': f'{base}/issues',
    }


def test_the_pythons_that_are_tested_are_those_that_are_named():
    text = (ROOT / '.github' / 'workflows' / 'tests.yml').read_text('utf-8')
    tested = re.findall(r"'(3\.\d+)'", re.search(r'python: \[(.*)\]', text)[1])
    named = re.findall(r'Python :: (3\.\d+)', ' '.join(PROJECT['project']['classifiers']))
    assert tested == named == ['3.11', '3.12', '3.13']


def test_every_attack_has_a_test_that_is_there():
    named = set(re.findall(r'`(test_\w+\.py)`', (ROOT / 'SECURITY.md').read_text('utf-8')))
    assert len(named) > 20
    assert named <= {path.name for path in (ROOT / 'tests').rglob('test_*.py')}
