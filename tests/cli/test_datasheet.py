"""The command ``datasheet``: a page, Markdown or Croissant, whole or not at all."""

from __future__ import annotations

import json

import pytest


@pytest.mark.parametrize(
    ('suffix', 'shown'),
    [('.html', '<h1>Datasheet: Ours</h1>'), ('.md', '# Datasheet: Ours'), ('.json', '"Ours"')],
)
def test_the_end_of_the_name_says_what_is_written(fitted, call, tmp_path, suffix, shown):
    (tmp_path / 'about.json').write_text(json.dumps({'title': 'Ours'}))
    out = tmp_path / f'sheet{suffix}'
    options = ['--out', out, '--about', tmp_path / 'about.json']
    done = call('datasheet', fitted / 'adult.pkl', *options)

    assert done.exit_code == 0
    assert done.stderr.startswith(f'Wrote {out} (')
    assert shown in out.read_text('utf-8')
    again = call('datasheet', fitted / 'adult.pkl', *options)
    assert again.exit_code == 2


def test_what_cannot_be_written_is_refused_with_the_reason(fitted, call, tmp_path, list_files):
    (tmp_path / 'list.json').write_text('[1]')
    (tmp_path / 'broken.json').write_text('{')
    (tmp_path / 'odd.json').write_text('{"licence": "MIT"}')
    page = ['--out', tmp_path / 'sheet.html']
    for options, complaint in (
        (['--out', tmp_path / 'sheet.pdf'], 'must end in .html'),
        ([*page, '--data', fitted / 'train.csv'], 'let --out end in .json'),
        ([*page, '--about', tmp_path / 'list.json'], 'must be a JSON object'),
        ([*page, '--about', tmp_path / 'broken.json'], 'is not JSON'),
        ([*page, '--about', tmp_path / 'odd.json'], "no place for ['licence']"),
        (
            ['--out', tmp_path / 'sheet.json', '--data', fitted / 'train.csv'],
            'train.csv is not a table of this release',
        ),
    ):
        done = call('datasheet', fitted / 'adult.pkl', *options)
        assert (done.exit_code, complaint in done.stderr) == (2, True), done.stderr
    assert list_files(tmp_path) == ['broken.json', 'list.json', 'odd.json']
