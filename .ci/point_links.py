"""Let the package point to where it is kept: links of README.md, and the addresses of the project.

A package index shows README.md by itself, so links and pictures must be absolute there. Where the
repository is kept is known to the workflow that releases it, and is written nowhere else::

    python .ci/point_links.py https://example.org/someone/sdv-threea v0.1.0
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

#: Below which heading of pyproject.toml the addresses are.
HEADING = '[project.urls]\n'


def point_links(text: str, base: str, tag: str) -> str:
    """Make the relative links and pictures of a page of Markdown absolute.

    Args:
        text: The page.
        base: The address of the repository.
        tag: The version whose files are meant.
    """
    text = re.sub(r'(!\[[^\]]*\]\()(?!https?:|#)', rf'\g<1>{base}/raw/{tag}/', text)
    return re.sub(r'((?<!!)\[[^\]!]*\]\()(?!https?:|#)', rf'\g<1>{base}/blob/{tag}/', text)


def add_addresses(project: str, base: str, tag: str) -> str:
    """Add the addresses of the source, the pages, the changes and the issues to pyproject.toml."""
    addresses = {
        'Source': base,
        'Documentation': f'{base}/blob/{tag}/docs/index.md',
        'Changelog': f'{base}/blob/{tag}/CHANGELOG.md',
        'Issues': f'{base}/issues',
    }
    lines = ''.join(f"{name} = '{address}'\n" for name, address in addresses.items())
    before, heading, after = project.partition(HEADING)
    return before + heading + lines + after


def main(base: str, tag: str) -> None:
    """Write both files anew."""
    for name, change in {'README.md': point_links, 'pyproject.toml': add_addresses}.items():
        path = ROOT / name
        path.write_text(change(path.read_text('utf-8'), base.rstrip('/'), tag), encoding='utf-8')


if __name__ == '__main__':
    main(*sys.argv[1:])
