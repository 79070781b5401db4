"""Run the conformance suite and write what it finds to ``docs/lab/conformance.md``.

    python docs/make_conformance.py

A row of the page is a test of ``tests/conformance``, named by its function. The reasons where the
classes differ are in the markers of the tests; see ``tests/conformance/conftest.py``.
"""

from __future__ import annotations

import ast
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
SUITE = ROOT / 'tests' / 'conformance'
PAGE = ROOT / 'docs' / 'lab' / 'conformance.md'

#: The classes, as the tests name them.
CLASSES = ('GaussianCopula', 'ClustMix')

#: How words are written that are not English.
SPELLING = {'sdv': 'SDV', 'numpy': 'NumPy'}

#: The words for how a test went, from bad to good; the worst of its cases counts.
OUTCOMES = ('**fails**', 'skipped', 'no', 'yes')

HEADER = ['| behaviour | GaussianCopula | ClustMix | why |', '|---|---|---|---|']

INTRODUCTION = """\
# Conformance: ClustMixSynthesizer beside GaussianCopulaSynthesizer

Written by `python docs/make_conformance.py`: do not edit. Each row is a behaviour that a test in
`tests/conformance` checks on both classes, with the same code. `ClustMixSynthesizer` is fitted with
epsilon 5 on tables of a few hundred rows.

{total} behaviours: {same} are the same, {different} differ on purpose, {fails} are bugs of SDV 2.0
where ours works.{broken}
"""


@dataclass
class Behaviour:
    """A behaviour: where it is tested, what it says, and how the test went for each class."""

    theme: str
    sentence: str
    reasons: dict[str, str] = field(default_factory=dict)
    outcomes: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def cells(self) -> list[str]:
        """The cells of its row: the behaviour, what each class does, and why they differ."""
        cases = max(map(len, self.outcomes.values()), default=0)
        first = f'{self.sentence} ({cases} cases)' if cases > 1 else self.sentence
        found = [self._word(name) for name in CLASSES]
        if 'theirs' in self.reasons and found == ['yes', 'yes']:
            found = [self.reasons['theirs'], self.reasons['ours']]
        return [first, *found, self.reasons.get('why', '')]

    @property
    def is_broken(self) -> bool:
        """Whether a class does not do what it should, or was not asked."""
        return self._word('ClustMix') != 'yes' or self._word('GaussianCopula') in OUTCOMES[:2]

    def _word(self, name: str) -> str:
        return min(self.outcomes[name] or ['skipped'], key=OUTCOMES.index)


class Recorder:
    """A plug-in of pytest that records how the behaviours are met."""

    def __init__(self, behaviours: dict[str, Behaviour]) -> None:
        self.behaviours = behaviours
        self._items: dict[str, tuple[Behaviour, str]] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Take down which behaviour and class an item is about, and why classes differ."""
        for item in items:
            behaviour = self.behaviours[item.originalname]  # type: ignore[attr-defined]
            name = item.callspec.params['make']  # type: ignore[attr-defined]
            self._items[item.nodeid] = behaviour, name
            for marker in item.iter_markers():
                if marker.name == 'differs':
                    behaviour.reasons |= marker.kwargs
                elif marker.name == 'sdv_fails':
                    behaviour.reasons['why'] = f'A bug of SDV: {marker.args[0]}'

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Take down how an item went."""
        behaviour, name = self._items[report.nodeid]
        if hasattr(report, 'wasxfail'):
            behaviour.outcomes[name].append('no')
        elif report.outcome == 'failed' or report.when == 'call':
            behaviour.outcomes[name].append('yes' if report.outcome == 'passed' else '**fails**')
        elif report.outcome == 'skipped':
            behaviour.outcomes[name].append('skipped')


def list_behaviours(folder: Path = SUITE) -> Iterator[tuple[str, Behaviour]]:
    """Yield the name of every test of the suite, and the behaviour that it says."""
    for path in sorted(folder.glob('test_*.py')):
        module = ast.parse(path.read_text('utf-8'))
        theme = (ast.get_docstring(module) or path.stem).splitlines()[0].rstrip('.')
        for node in module.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith('test_'):
                yield node.name, Behaviour(theme, spell(node.name.removeprefix('test_')))


def spell(name: str) -> str:
    """Turn the name of a test into a sentence."""
    words = [SPELLING.get(word, word) for word in name.split('_')]
    return ' '.join([words[0][:1].upper() + words[0][1:], *words[1:]])


def write_page(behaviours: list[Behaviour]) -> str:
    """Return the page, in Markdown."""
    broken = sum(each.is_broken for each in behaviours)
    fails = sum(each.cells[1] == 'no' for each in behaviours)
    different = sum('theirs' in each.reasons for each in behaviours)
    introduction = INTRODUCTION.format(
        total=len(behaviours),
        same=len(behaviours) - fails - different,
        different=different,
        fails=fails,
        broken=f' **{broken} are not met.**' if broken else '',
    )
    lines = [introduction]
    for theme in dict.fromkeys(each.theme for each in behaviours):
        lines += [
            f'## {theme}\n',
            '| behaviour | GaussianCopula | ClustMix | why |',
            '|---|---|---|---|',
        ]
        lines += [f'| {" | ".join(each.cells)} |' for each in behaviours if each.theme == theme]
        lines.append('')
    return '\n'.join(lines)


def main() -> int:
    """Run the suite and write the page; return 0 if every behaviour is met."""
    os.environ['CONFORMANCE'] = 'both'
    behaviours = dict(list_behaviours())
    arguments = ['-q', '--no-header', f'--rootdir={ROOT}', str(SUITE)]
    code = pytest.main(arguments, [Recorder(behaviours)])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return int(code)
    PAGE.write_text(write_page(list(behaviours.values())), 'utf-8')
    return int(any(each.is_broken for each in behaviours.values()))


if __name__ == '__main__':
    sys.exit(main())
