"""Every page says what its committed results say."""

import sys
from pathlib import Path

import pytest

#: Benchmarks that write a page, by themselves or with the results of others.
WRITERS = (
    'audit', 'constants', 'cost', 'disclosure', 'labels', 'losses', 'marginals', 'relational',
    'sequences', 'stated', 'utility',
)  # fmt: skip


@pytest.mark.parametrize('name', WRITERS)
def test_a_page_is_made_of_its_results(load_script, monkeypatch, name):
    """If it is not, run ``python benchmarks/NAME.py --page``."""
    written = {}
    monkeypatch.setitem(sys.modules, 'kaleido', None)  # pictures stay as they are
    monkeypatch.setattr(Path, 'write_text', lambda path, text, **_: written.update({path: text}))
    with load_script(name) as script:
        script.BENCHMARK.write_pages(script.BENCHMARK.read())
    assert written
    for path, text in written.items():
        assert path.read_text('utf-8') == text


def test_a_mark_that_is_missing_is_told(load_script):
    with load_script('pages') as pages:
        page = 'before\n<!-- a -->\nold\n<!-- /a -->\nafter\n'
        assert pages.fill(page, {'a': 'new'}) == page.replace('old', 'new')
        with pytest.raises(ValueError, match="the marks of 'b'"):
            pages.fill(page, {'b': 'new'})
