"""The command ``datasheet``: a page, Markdown or Croissant, whole or not at all."""

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
