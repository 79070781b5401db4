"""Errors that may be shown to anybody: what they say is public."""

from __future__ import annotations


class InputError(ValueError):
    """What was asked for, or given, is not in order.

    The message names tables, columns, files and arguments, and shows no value of a private row. So
    the command line shows it as it is, where it keeps back the message of any other error.
    """


class ShortageError(MemoryError):
    """What was asked for does not go into memory: the message tells what is public alone."""
