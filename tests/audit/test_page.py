"""The example of the page runs as it is written."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / 'docs' / 'audit.md'


def test_the_example_runs(capsys):
    (program,) = re.findall(r'```python\n(.*?)```', PAGE.read_text('utf-8'), re.DOTALL)
    assert 'runs=200' in program
    exec(program.replace('runs=200', 'runs=40'), {})
    assert 'epsilon=1 was claimed' in capsys.readouterr().out
