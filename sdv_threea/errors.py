"""Errors whose messages are public."""

from __future__ import annotations


class InputError(ValueError):
    """A request or an input is invalid.

    The message names tables, columns, files and arguments, and shows no value of a private row. So
    the command line shows it, and hides the message of any other error.
    """


class ShortageError(MemoryError):
    """The memory does not suffice; the message holds public facts only."""
