"""Pages whose figures are made of results, and whose text is written by hand."""

from __future__ import annotations

from collections.abc import Iterable


def fill(page: str, parts: dict[str, str]) -> str:
    """Put figures between their marks, ``<!-- name -->`` and ``<!-- /name -->``.

    Args:
        page: The page; its other text stays.
        parts: What stands between the marks of each name.

    Returns:
        The page.

    Raises:
        ValueError: If a mark is missing.
    """
    for name, part in parts.items():
        head, start, rest = page.partition(f'<!-- {name} -->\n')
        _, end, tail = rest.partition(f'\n<!-- /{name} -->')
        if not start or not end:
            raise ValueError(f'The page lacks the marks of {name!r}.')
        page = head + start + part + end + tail
    return page


def write_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a table of Markdown."""
    header, rows = list(header), list(rows)
    if not rows:
        return 'No results yet.'
    return '\n'.join(f'| {" | ".join(row)} |' for row in (header, ['---'] * len(header), *rows))
