"""The commands ``check``, ``estimate``, ``ledger``: forecasts and costs, without data."""

from pathlib import Path
from typing import Any

import click

from sdv_threea.cli.options import (
    PLACE,
    delta_option,
    epsilon_option,
    metadata_option,
    neighbors_option,
    public_metadata_option,
    settings_options,
    settle_promise,
)
from sdv_threea.cli.refusals import PlainCommand
from sdv_threea.cli.sources import check_description
from sdv_threea.names import printable


@click.command(cls=PlainCommand)
@metadata_option
@click.option(
    '--rows', type=click.IntRange(min=1), help='Of one table: about how many rows it has.'
)
@settings_options
def check(metadata: Path, rows: int | None, **settings: Any) -> None:
    """Forecast how each column will be released, without any data.

    A table shows which columns are learned, which are made up, and which facts to state in the
    metadata to change that. Below are the reasons that would stop a fit. The command reads only the
    metadata, so it spends nothing. Its options are those of ``fit``.
    """
    settle_promise(settings)
    check_description(metadata, settings['targets'])

    from sdv_threea.cli.fitting import check_metadata

    click.echo(printable(str(check_metadata(metadata, rows, settings))))


@click.command(cls=PlainCommand)
@click.option('--rows', type=int, required=True, help='About how many rows the table has.')
@click.option('--columns', type=int, required=True, help='How many columns, without keys.')
@click.option('--classes', type=int, default=1, help='How many values the target has; 1 for none.')
@click.option(
    '--numerical', type=int, help='How many columns are numbers or dates.  [default: half of them]'
)
@epsilon_option
@delta_option
@neighbors_option
@public_metadata_option
def estimate(rows: int, columns: int, classes: int, numerical: int | None, **settings: Any) -> None:
    """Forecast error, time and memory, without any data.

    The command reads nothing: the shape of the table and the promise determine the noise.
    """
    from sdv_threea.cost import expected_cost
    from sdv_threea.estimate import expected_error

    errors = expected_error(rows, columns, num_classes=classes, num_numerical=numerical, **settings)
    click.echo(f'{errors}\n\n{expected_cost(rows, columns, num_classes=classes)}')


@click.command(cls=PlainCommand)
@click.argument('file', type=PLACE)
@click.option('--limit', type=float, metavar='EPSILON', help='Refuse fits beyond this total.')
@click.option('--delta', type=float, default=1e-5, help='The total delta of the limit.')
def ledger(file: Path, limit: float | None, delta: float) -> None:
    """Print the joint cost of all releases of a data set.

    `sdv-threea fit --ledger FILE` adds the whole budget of the fit to FILE before the fit starts,
    so a killed fit counts too. A fit beyond the limit is refused. FILE (SQLite) holds nothing
    private.
    """
    from sdv_threea.storage.ledger_files import BudgetLedger

    opened = BudgetLedger(file)
    if limit is not None:
        opened.limit(limit, delta)
    total, fits = opened.total(), opened.fits()
    lines = fits.to_string(index=False).splitlines() if len(fits) else []
    click.echo(printable('\n'.join([str(total), *lines])))
