"""One-line errors and warnings of the command line.

Exceptions and warnings of any package become lines on the terminal and exit codes. Messages that
may hold the values of a row are not shown.
"""

import re
import signal
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import click

from sdv_threea.errors import InputError, ShortageError
from sdv_threea.names import printable
from sdv_threea.warning import is_ours, lies_in

#: Packages whose warnings are shown: they are meant for users, and name columns but no values.
HEARD = ('sdv', 'sdv_threea')


class FailedError(click.ClickException):
    """An error with the exit code 1."""

    def format_message(self) -> str:
        """Return the message without control characters, because it may quote names from files."""
        return printable(self.message)


class RefusedError(FailedError):
    """A request that cannot be met: the exit code is 2, as for wrong usage."""

    exit_code = 2


class PlainCommand(click.Command):
    """A command with one-line errors and few warnings.

    Formal guarantees:
        * if the message of an exception may hold the values of rows, only the exception's type and
          the line of code that raised it are shown; there is no traceback
    """

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and turn its exceptions and warnings into lines."""
        with ending_in_order(), warnings.catch_warnings():
            warnings.simplefilter('default', UserWarning)
            warnings.showwarning = _show_warning
            try:
                return super().invoke(ctx)
            except (click.ClickException, click.exceptions.Exit, click.Abort):
                raise
            except Exception as error:
                raise explain(error) from None


class PlainGroup(click.Group):
    """A group of plain commands."""

    command_class = PlainCommand


def explain(error: Exception) -> click.ClickException:
    """Return the exception that click prints as one line instead of ``error``."""
    if isinstance(error, click.ClickException):
        return error
    if isinstance(error, OSError):
        return FailedError(f'{error.filename or "input or output"}: {error.strerror}.')
    if isinstance(error, InputError):
        return RefusedError(_say(error))
    if isinstance(error, ImportError | ShortageError):
        return FailedError(_say(error))
    if isinstance(error, _errors_about_input()):
        return RefusedError(_say(error))
    return FailedError(
        f'{type(error).__name__} at {_find_place(error)}. Its message is not shown, because it '
        'may hold values of rows.'
    )


def _show_warning(
    message: Warning | str, category: type[Warning], filename: str, *_: object, **__: object
) -> None:
    heard = is_ours(message) or lies_in(filename, HEARD)
    if issubclass(category, UserWarning) and heard:
        # Each item of a list stays on its line.
        lines = [_say(line) for line in str(message).splitlines() if line.strip()]
        click.echo(printable('\n  '.join([f'Warning: {lines[0]}', *lines[1:]])), err=True)


def _errors_about_input() -> tuple[type[Exception], ...]:
    """Return the exceptions whose messages name columns, rules and settings, but no values."""
    from sdv import errors
    from sdv.cag._errors import ConstraintNotMetError
    from sdv.metadata.errors import InvalidMetadataError

    from sdv_threea.rows.guard import UnreadableRowsError

    return (
        errors.InvalidDataError,
        errors.InvalidDataTypeError,
        errors.NotFittedError,
        errors.SynthesizerInputError,
        errors.VersionError,
        ConstraintNotMetError,
        InvalidMetadataError,
        UnreadableRowsError,
    )


def _find_place(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return 'an unknown place'
    path = Path(trace.tb_frame.f_code.co_filename)
    return f'{path.parent.name}/{path.name}, line {trace.tb_lineno}'


def _say(message: object) -> str:
    """Return a message in one line, in the words of the running command."""
    context = click.get_current_context(silent=True)
    options = context.command.params if context is not None else ()
    return name_options(' '.join(str(message).split()), options)


#: Python's methods, and their counterparts on the command line.
METHODS = {
    r'Save the synthesizer by save\(\)|save it by save\(\)': 'let --out end in .pkl',
    r'get_losses\(\)': '`sdv-threea losses`',
    r'(?<![.\w])check\(\)': '`sdv-threea check`',
    r'get_privacy_statement\(\)': '`sdv-threea statement`',
    r'see sdv_threea\.metadata': 'see `sdv-threea detect`',
    r'by sample_to_parquet': 'by --rows-per-file',
    r', or math\.inf for no privacy,': ', or --no-privacy,',
}

#: Values in Python's spelling: a text in quotes, or a word or number.
VALUE = r"""(?:'([^']*)'|([\w+-]+(?:\.\d+)?(?:e[+-]?\d+)?))"""

#: In our messages a quoted word after one of these words is the name of an argument. Quoted names
#: of tables and columns, which may be spelt the same, follow other words.
BEFORE = r'(?<=\bas |\bto )|(?<=rows of )|(?<=\bby )|(?<=\bpass )|(?<=\bwith )|(?<=Expected )'

#: Arguments whose options have other names.
RENAMED = {
    'num_rows': '--rows',
    'num_columns': '--columns',
    'num_classes': '--classes',
    'num_numerical': '--numerical',
    'target_column': '--target',
}


def name_options(message: str, options: Iterable[click.Parameter]) -> str:
    """Return a message with options in place of Python's arguments.

    ``public_metadata=True`` becomes ``--public-metadata``, and ``epsilon=4`` becomes ``--epsilon
    4``. Texts in quotes stay: they are names that the user chose.
    """
    for method, command in METHODS.items():
        message = re.sub(method, command, message)
    message = re.sub(
        r'\baccept=\[([^\]]*)\]',
        lambda found: ' '.join(f'--accept {word}' for word in re.findall(r'\w+', found[1])),
        message,
    )
    flags = {option.name: option.opts[0] for option in options if isinstance(option, click.Option)}
    known = {name: flag for name, flag in flags.items() if name} | {
        name: flag for name, flag in RENAMED.items() if flag in flags.values()
    }
    for name, flag in known.items():
        message = re.sub(rf"(?<!['\w-]){name}={VALUE}", _write_option(flag), message)
        message = re.sub(rf'(?:{BEFORE})\'{name}\'', flag, message)
        message = re.sub(rf"(?<!['\w-]){name}(?= must\b)", flag, message)
        if '_' in name:  # a name with an underscore is not an English word
            message = re.sub(rf"(?<!['\w-]){name}(?!['\w])", flag, message)
    return message


def _write_option(flag: str) -> Callable[[re.Match[str]], str]:
    def say(found: re.Match[str]) -> str:
        value = found[1] if found[2] is None else found[2]
        return flag if value == 'True' else f'{flag} {value}'

    return say


#: Signals, if the system has them. The exit code is ``SHELL`` plus the signal's number.
NAMES, SHELL = ('SIGTERM', 'SIGHUP'), 128


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Turn signals that would end the process into ``SystemExit``, which closes open files."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    known = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
    # Signals that are already ignored, for example under nohup, stay ignored.
    numbers = [number for number in known if signal.getsignal(number) is signal.SIG_DFL]
    before = {number: signal.signal(number, _stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, _: object) -> NoReturn:
    raise SystemExit(SHELL + number)
