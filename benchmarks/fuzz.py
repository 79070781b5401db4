"""Hostile and odd input, thousands of examples: how each of them ended.

    python benchmarks/fuzz.py --examples 2500

The suites share the examples: tables that are what their metadata says, tables with a faulty
column or out of order, odd values for every argument, and databases. What must hold of each is said
in ``hostile/verdict.py``: it is *valid*, or *refused* by one clear error that names what is wrong.
Anything else is a defect, and is printed with its first example; then the exit status is 1. A seed
gives the same examples again (noise is never seeded). ``tests/fuzz`` runs a share of it.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from hostile.arguments import calls, judge_call
from hostile.databases import databases, judge_database
from hostile.examples import run_through
from hostile.tables import bad_tables, broken_tables, good_tables
from hostile.verdict import judge
from hypothesis import strategies as st


class Suite(NamedTuple):
    """What is drawn, who judges it, and its share of the examples."""

    strategy: Callable[[], st.SearchStrategy[Any]]
    judge: Callable[[Any], str]
    share: float


SUITES = {
    'tables': Suite(good_tables, judge, 0.40),
    'faulty columns': Suite(bad_tables, judge, 0.15),
    'broken tables': Suite(broken_tables, judge, 0.05),
    'arguments': Suite(calls, judge_call, 0.30),
    'databases': Suite(databases, judge_database, 0.10),
}


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--examples', type=int, default=2500, help='in all (default: 2500)')
    parser.add_argument('--seed', type=int, default=0, help='of the examples (default: 0)')
    parser.add_argument('--suites', nargs='+', default=list(SUITES), choices=list(SUITES))
    return parser.parse_args()


def run(suite: Suite, num_examples: int, number: int) -> tuple[Counter[str], dict[str, str]]:
    """Run a suite to its end, whatever happens.

    Args:
        suite: The suite.
        num_examples: How many examples.
        number: The seed of the examples.

    Returns:
        How often each end was met; and of each defect, by where it is, the first example.
    """
    ends: Counter[str] = Counter()
    defects: dict[str, str] = {}

    def check(case: Any) -> None:
        try:
            ends[suite.judge(case)] += 1
        except Exception as error:  # every defect is to be found, not the first alone
            ends['defect'] += 1
            defects.setdefault(
                locate(error), f'{case!r}\n{"".join(traceback.format_exception(error))}'
            )

    run_through(check, suite.strategy(), num_examples=num_examples, number=number)
    return ends, defects


def locate(error: Exception) -> str:
    """Say where in the package, or else where at all, an error came from."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if f'{os.sep}sdv_threea{os.sep}' in frame.filename]
    last = (own or frames)[-1]
    where = f'{os.path.basename(last.filename)}:{last.lineno}'
    return f'{type(error).__name__} at {where}' + ('' if own else f': {str(error)[:60]}')


def main() -> None:
    """Run the suites, print how their examples ended, and fail if there is a defect."""
    arguments = parse_arguments()
    warnings.simplefilter('ignore')
    found: dict[str, str] = {}
    total: Counter[str] = Counter()
    for name in arguments.suites:
        suite, start = SUITES[name], time.perf_counter()
        share = suite.share / sum(SUITES[each].share for each in arguments.suites)
        ends, defects = run(suite, round(share * arguments.examples), arguments.seed)
        seconds = time.perf_counter() - start
        counts = ', '.join(f'{count} {end}' for end, count in sorted(ends.items()))
        print(f'{name:<14} {ends.total():>5} examples in {seconds:>4.0f} s: {counts}', flush=True)
        total += ends
        found |= {f'{name}: {where}': text for where, text in defects.items()}
    print(f'{"all":<14} {total.total():>5} examples, {total["defect"]} defects')
    for where, text in found.items():
        print(f'\n{where}\n{text}')
    sys.exit(bool(found))


if __name__ == '__main__':
    main()
