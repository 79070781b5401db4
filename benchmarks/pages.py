"""Pages whose figures are made of results, and whose text is written by hand."""

from __future__ import annotations


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
