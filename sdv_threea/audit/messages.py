"""What a fit says: what it warns of, logs and prints is released as much as what it returns."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from unittest.mock import patch

#: Words are cut to this length.
LONGEST = 80


@contextmanager
def listen() -> Iterator[list[str]]:
    """Take in what is warned, logged and printed by this process, in place of showing it.

    Warnings are taken in each time, not once per place. Loggers keep their levels and filters, but
    no handler sees a record.

    Yields:
        The messages: complete when the block has ended.
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
    """Count the words of messages, for an observer who looks for some that come or go.

    Args:
        messages: The messages.

    Returns:
        How often each word occurs, and how many messages there are, by name.
    """
    counts: dict[str, float] = {'messages': float(len(messages))}
    for message in messages:
        for word in message.split():
            name = f'{word[:LONGEST]!r} is said'
            counts[name] = counts.get(name, 0.0) + 1.0
    return counts


def _write(record: logging.LogRecord) -> str:
    if isinstance(record.msg, Mapping):  # an event of SDV
        return ' '.join(f'{name}: {value}' for name, value in record.msg.items())
    return record.getMessage()
