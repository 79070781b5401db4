"""Options that several commands share: kinds of paths, format of CSV, settings of a release."""

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from sdv_threea.cli.refusals import RefusedError
from sdv_threea.cli.sources import check_source
from sdv_threea.errors import ACCEPTABLE


class Source(click.Path):
    """An existing file of a table, of a kind that can be read, or a folder of such files."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; refuse other kinds of files before any library is loaded."""
        path = Path(super().convert(value, param, ctx))  # type: ignore[arg-type]
        check_source(path)
        return path


#: An existing file; an existing file or folder of tables; a path that need not exist.
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
SOURCE = Source(exists=True, path_type=Path)
PLACE = click.Path(path_type=Path)

#: The ending of the name of a release file.
RELEASE = '.release'

metadata_option = click.option(
    '--metadata', type=FILE, required=True, help="SDV's metadata, as JSON."
)

force_option = click.option('--force', is_flag=True, help='Replace outputs that exist.')

epsilon_option = click.option(
    '--epsilon', type=float, required=True, help='The promise: smaller is more private.'
)

delta_option = click.option(
    '--delta', type=float, default=1e-6, help='The promise: well below 1 / rows.'
)

neighbors_option = click.option(
    '--neighbors',
    type=click.Choice(['add_remove', 'replace_one']),
    default='add_remove',
    help='How neighbouring tables differ, which the release keeps indistinguishable.',
)

public_metadata_option = click.option(
    '--public-metadata',
    is_flag=True,
    help='Ranges and values in the metadata are public. (Those that SDV detected are not!)',
)

separator_option = click.option(
    '--separator',
    default=',',
    help="Of CSV files: the character between cells, such as ';' or tab.",
)

encoding_option = click.option(
    '--encoding', default='utf-8', help='Of CSV files: the encoding, such as cp1252.'
)

missing_option = click.option(
    '--missing',
    type=click.Choice(['usual', 'empty']),
    default='usual',
    help='Which cells of CSV files are missing: also NA, null, None and such, or only empty ones.',
)

verbose_option = click.option(
    '--verbose', 'timed', is_flag=True, help='Print the seconds of each step.'
)

memory_option = click.option(
    '--memory-limit',
    type=click.FloatRange(min=0, min_open=True),
    metavar='GB',
    help='The most memory to use, in gigabytes.  [default: all of the machine]',
)

#: The format of CSV files that are read.
READING = (separator_option, encoding_option, missing_option)

SETTINGS = (
    click.option('--epsilon', type=float, help='The promise: smaller is more private.'),
    click.option(
        '--no-privacy',
        is_flag=True,
        help='Promise nothing, in place of --epsilon: for data that need no protection.',
    ),
    delta_option,
    click.option(
        '--target',
        'targets',
        multiple=True,
        metavar='COLUMN',
        help='The column that models will predict; of a database TABLE.COLUMN, once per table.',
    ),
    click.option(
        '--alpha',
        type=click.FloatRange(0, 1),
        default=0.5,
        help='Rows for training models that predict the target (0.5), or for analysis (1).',
    ),
    neighbors_option,
    public_metadata_option,
    click.option(
        '--invalid-cells',
        type=click.Choice(['raise', 'coerce']),
        default='raise',
        help='Refuse a table with cells that break the metadata, or replace them silently.',
    ),
    *READING,
    memory_option,
    verbose_option,
    click.option(
        '--accept',
        multiple=True,
        type=click.Choice(ACCEPTABLE),
        help='Go on despite this reason to stop; may be repeated. See `sdv-threea check`.',
    ),
    click.option(
        '--unreleased',
        metavar='VALUE',
        help='Of one table: the replacement of values too rare to be released: '
        "'missing' (the default), 'spread' for released ones, or a value such as Other.",
    ),
    click.option(
        '--sentinel',
        'sentinels',
        multiple=True,
        metavar='[COLUMN=]VALUE',
        help='Of one table: a number or date that stands for something else, such as age=999; may '
        'be repeated.',
    ),
    click.option(
        '--pseudonyms',
        multiple=True,
        metavar='[TABLE.]COLUMN[=NUMBER|WORD]',
        help='Personal information that repeats: made-up names, as many and as often as the noisy '
        'counts say. NUMBER: how many there are, if public; columns with a WORD share names. May '
        'be repeated.',
    ),
    click.option(
        '--number-text',
        'number_texts',
        multiple=True,
        metavar='[TABLE.]COLUMN=EXAMPLE',
        help="A category whose texts spell numbers, with a made-up example: 'price=$1,234.50'; may "
        'be repeated.',
    ),
    click.option(
        '--privacy-unit', metavar='TABLE', help='Of a database: the table whose rows are the units.'
    ),
    click.option(
        '--public-table',
        'public_tables',
        multiple=True,
        metavar='TABLE',
        help='Of a database: a table to be copied as it is; may be repeated.',
    ),
    click.option(
        '--max-children',
        type=click.IntRange(min=1),
        help='Of a database: most rows that refer to one; by default estimated privately.',
    ),
)


DETECTION = (
    click.option('--dictionary', type=FILE, help='A data dictionary, which is public: CSV, JSON.'),
    click.option('--out', type=PLACE, help='Metadata, .json; a data dictionary to fill in, .csv.'),
    click.option('--public', is_flag=True, help='The rows of DATA are public: read them all.'),
    click.option('--ask', 'asks', is_flag=True, help='Ask for open facts, in the terminal.'),
    click.option('--table', metavar='NAME', help='Of one table: its name.  [default: as the file]'),
    separator_option,
    encoding_option,
)


def _add(
    options: tuple[Callable[..., Any], ...], command: Callable[..., Any]
) -> Callable[..., Any]:
    # The help lists the last added option first.
    for option in reversed(options):
        command = option(command)
    return command


#: Decorators that add options to a command: those of ``detect``, of commands that read files, or of
#: a fit. A command with the options of a fit calls :func:`settle_promise` on them.
detect_options, reading_options, settings_options = (
    partial(_add, options) for options in (DETECTION, READING, SETTINGS)
)


def settle_promise(settings: dict[str, Any]) -> None:
    """Replace ``epsilon`` and ``no_privacy`` by one ``epsilon``, infinite for no privacy."""
    epsilon, none = settings['epsilon'], settings.pop('no_privacy')
    if none and epsilon not in (None, math.inf):
        raise RefusedError('--epsilon and --no-privacy contradict each other: give one of them.')
    if not none and epsilon is None:
        context = click.get_current_context()
        asked = next(each for each in context.command.params if each.name == 'epsilon')
        raise click.MissingParameter(
            'To release a table without any privacy, use --no-privacy.', context, asked
        )
    if not none and epsilon == math.inf:
        raise RefusedError('--epsilon inf promises nothing. If that is meant, use --no-privacy.')
    if not none and not epsilon > 0:
        raise RefusedError(f'--epsilon must be above 0, got {epsilon:g}.')
    settings['epsilon'] = math.inf if none else epsilon
