"""Errors whose messages are public."""

#: The reasons to stop a fit that a user may accept: free text or personal information is released
#: word for word, persons have several rows, no column is learned, ranges contradict constraints, or
#: noise exceeds nearly all counts.
ACCEPTABLE = ('verbatim', 'unit', 'made_up', 'ranges', 'noise')


class InputError(ValueError):
    """A request or an input is invalid.

    The message names tables, columns, files and arguments, but no value of a private row. So the
    command line shows this message; it hides the message of any other error.
    """


class ShortageError(MemoryError):
    """The memory does not suffice; the message contains public facts only."""
