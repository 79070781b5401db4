"""Warnings, logs and prints of a fit: caught, and counted by word as features of the fit."""

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
    """Catch the warnings, logs and prints of this process; nothing is shown.

    A warning is caught each time, not once per line of code. Loggers keep their levels and filters.
    The list of messages is complete when the block has ended.
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
    """Return the number of messages and of each word, by name, as features for an observer."""
    counts: dict[str, float] = {'messages': float(len(messages))}
    for message in messages:
        for word in message.split():
            name = f'{word[:LONGEST_WORD]!r} is said'
            counts[name] = counts.get(name, 0.0) + 1.0
    return counts


def _write(record: logging.LogRecord) -> str:
    if isinstance(record.msg, Mapping):  # an event of SDV
        return ' '.join(f'{name}: {value}' for name, value in record.msg.items())
    return record.getMessage()
