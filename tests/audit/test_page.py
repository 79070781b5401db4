"""The examples on the page about audits run as they are written."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / 'docs' / 'lab' / 'audit.md'


def test_the_examples_run(capsys):
    measured, guessed = re.findall(r'```python\n(.*?)```', PAGE.read_text('utf-8'), re.DOTALL)
    exec(measured, {})
    assert 'is claimed for all neighbours' in capsys.readouterr().out
    assert 'runs=200' in guessed
    exec(guessed.replace('runs=200', 'runs=40'), {})
    assert 'epsilon=1 was claimed' in capsys.readouterr().out
