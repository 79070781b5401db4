"""Messages of the Python package in the words of the command line.

In go messages that name arguments and methods. Out come messages that name options and commands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import click

#: Methods, and their counterparts on the command line.
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

#: Words before an argument in quotes. Names of tables and columns, which may be equal to it, follow
#: other words.
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
    """Return a message with options instead of the arguments of Python.

    ``public_metadata=True`` becomes ``--public-metadata``, and ``epsilon=4`` becomes ``--epsilon
    4``. Texts in quotes stay: they are names of the user.
    """
    for method, command in METHODS.items():
        message = re.sub(method, command, message)
    message = re.sub(r'\baccept=\[([^\]]*)\]', _say_accepted, message)
    flags = {option.name: option.opts[0] for option in options if isinstance(option, click.Option)}
    known = {name: flag for name, flag in flags.items() if name} | {
        name: flag for name, flag in RENAMED.items() if flag in flags.values()
    }
    for name, flag in known.items():
        message = re.sub(rf"(?<!['\w-]){name}={VALUE}", _say(flag), message)
        message = re.sub(rf'(?:{BEFORE})\'{name}\'', flag, message)
        message = re.sub(rf"(?<!['\w-]){name}(?= must\b)", flag, message)
        if '_' in name:  # no word of a sentence
            message = re.sub(rf"(?<!['\w-]){name}(?!['\w])", flag, message)
    return message


def _say_accepted(found: re.Match[str]) -> str:
    return ' '.join(f'--accept {word}' for word in re.findall(r'\w+', found[1]))


def _say(flag: str) -> Callable[[re.Match[str]], str]:
    def say(found: re.Match[str]) -> str:
        value = found[1] if found[2] is None else found[2]
        return flag if value == 'True' else f'{flag} {value}'

    return say
