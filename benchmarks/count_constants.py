"""Count the constants of the package: what was chosen, and the limits and formats beside it.

    python benchmarks/count_constants.py            # a line per folder
    python benchmarks/count_constants.py --names    # and the names

*Chosen* is a number of the algorithm that another value could replace: a field of a class of
constants, a name in ``sdv_threea/constants.py``, a share of the budget, or a name of :data:`CHOSEN`
that still stands in its module. All other names of numbers in modules are limits of numbers, memory
and time, formats, and the layout of pages: nobody would move them to learn more of a table.
"""

from __future__ import annotations

import argparse
import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / 'sdv_threea'

#: Numbers of the algorithm in modules whose folders do not have them in ``constants.py`` yet.
CHOSEN = {
    'describe': 'NO_NOISE',
    'encoding': 'MOST_EXPLAINED',
    'settings': 'MIXED',
    'relational': 'REFERRING NUM_TRIED LEAST_PART',
}


def list_chosen(path: Path, tree: ast.Module) -> Iterator[str]:
    """Yield the names of numbers that a module chooses: fields, or names of the module."""
    room = path.relative_to(PACKAGE).parts[0].removesuffix('.py')
    known = CHOSEN.get(room, '').split()
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and path.name.endswith('constants.py'):
            fields = (each for each in node.body if isinstance(each, ast.AnnAssign))
            yield from (f'{node.name}.{ast.unparse(each.target)}' for each in fields)
        elif path.name.endswith('constants.py'):
            yield from name_numbers(node)
        elif room == 'settings' and 'SHARES' in name_numbers(node):
            assert isinstance(node, ast.Assign)
            assert isinstance(node.value, ast.Dict)
            yield from (f'SHARES[{ast.unparse(key)}]' for key in node.value.keys if key)
        else:
            yield from (name for name in name_numbers(node) if name in known)


def name_numbers(node: ast.stmt) -> list[str]:
    """Return the names that an assignment gives numbers, or what holds some; none otherwise."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return []
    numbers = (each for each in ast.walk(node.value) if isinstance(each, ast.Constant))
    if not any(type(each.value) in (int, float) for each in numbers):
        return []
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    return [ast.unparse(each) for each in parts]


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--names', action='store_true')
    options = parser.parse_args()
    chosen, others = defaultdict(list), defaultdict(list)
    for path in sorted(PACKAGE.rglob('*.py')):
        tree, room = ast.parse(path.read_text('utf-8')), path.relative_to(PACKAGE).parts[0]
        own = list(list_chosen(path, tree))
        chosen[room] += own
        named = [name for node in tree.body for name in name_numbers(node)]
        others[room] += [name for name in named if name not in own and name != 'SHARES']
    for room in sorted({*chosen, *others}):
        if chosen[room] or others[room]:
            print(f'{room:20}{len(chosen[room]):>5} chosen{len(others[room]):>5} others')
            if options.names:
                print('   chosen:', *chosen[room], '\n   others:', *others[room])
    both = (sum(map(len, each.values())) for each in (chosen, others))
    print('all                 {:>5} chosen{:>5} others'.format(*both))


if __name__ == '__main__':
    main()
