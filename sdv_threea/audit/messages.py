"""What a fit says: its warnings, its log and what it prints.

All of that gets out of a fit, just like what it returns. So it is caught here, and its words are
counted for an observer.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from unittest.mock import patch

#: Words are cut to this length.
LONGEST_WORD = 80


@contextmanager
def listen() -> Iterator[list[str]]:
    """Catch what this process warns, logs and prints, so that it is not shown.

    A warning is caught each time it is given, not once per line of code. Loggers keep their levels
    and filters, but no handler gets a record.

    Yields:
        The list of messages, which is complete when the block has ended.
    """
    heard: list[str] = []
    printed = StringIO()

    def take(_: logging.Logger, record: logging.LogRecord) -> None:
        heard.append(f'{record.levelname} {_write(record)}')

    with (
        warnings.catch_warnings(record=True) as warned,
        patch.object(logging.Logger, 'callHandlers', take),
        redirect_stdout(printed),
        redirect_stderr(printed),
    ):
        warnings.simplefilter('always')
        try:
            yield heard
        finally:
            heard += [f'{each.category.__name__} {each.message}' for each in warned]
            heard += printed.getvalue().splitlines()


def count_words(messages: list[str]) -> dict[str, float]:
    """Count the words of messages, for an observer who looks for words that come or go.

    Args:
        messages: The messages.

    Returns:
        How often each word occurs, and how many messages there are, by name.
    """
    counts: dict[str, float] = {'messages': float(len(messages))}
    for message in messages:
        for word in message.split():
            name = f'{word[:LONGEST_WORD]!r} is said'
            counts[name] = counts.get(name, 0.0) + 1.0
    return counts


def _write(record: logging.LogRecord) -> str:
    """Return a log record as text."""
    if isinstance(record.msg, Mapping):  # an event of SDV
        return ' '.join(f'{name}: {value}' for name, value in record.msg.items())
    return record.getMessage()
