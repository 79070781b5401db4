"""Options that several commands have: kinds of paths, and the settings of a release."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

#: An existing file; an existing file or folder; and a path that need not exist.
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
SOURCE = click.Path(exists=True, path_type=Path)
PLACE = click.Path(path_type=Path)

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
    help='How tables differ that are hard to tell apart.',
)

public_metadata_option = click.option(
    '--public-metadata',
    is_flag=True,
    help='Ranges and values in the metadata are public. Those that SDV detected are not!',
)

missing_option = click.option(
    '--missing',
    type=click.Choice(['usual', 'empty']),
    default='usual',
    help='Which cells of CSV files are missing: also NA, null, None and such, or empty ones alone.',
)

SETTINGS = (
    epsilon_option,
    delta_option,
    click.option(
        '--target',
        'targets',
        multiple=True,
        metavar='COLUMN',
        help='The column that models will predict; of a database TABLE.COLUMN, once per table.',
    ),
    neighbors_option,
    public_metadata_option,
    click.option(
        '--invalid-cells',
        type=click.Choice(['raise', 'coerce']),
        default='raise',
        help='Refuse a table with cells that break the metadata, or replace them and say nothing.',
    ),
    missing_option,
    click.option(
        '--unreleased',
        metavar='VALUE',
        help='Of one table: what samples show in the place of values too rare to be released: '
        "'missing' (the default), 'spread' for released ones, or a value such as Other.",
    ),
    click.option(
        '--privacy-unit', metavar='TABLE', help='Of a database: whose rows are the units.'
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


def settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the settings of a release to a command, as options.

    The command gets them by name, as :func:`~sdv_threea.cli.saved.make_synthesizer` takes them.
    """
    # The help lists the option that was added last first, so the first one is added last.
    for option in reversed(SETTINGS):
        command = option(command)
    return command
