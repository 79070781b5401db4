"""The commands: fit, estimate, sample, statement, datasheet, report, audit.

Each function is a command. Its docstring is the help that users see, and its options come from the
decorators above it. Libraries that take long to import are imported inside the functions.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import pandas as pd

from sdv_threea.cli.errors import PlainGroup, RefusedError
from sdv_threea.cli.options import (
    FILE,
    PLACE,
    SOURCE,
    delta_option,
    epsilon_option,
    force_option,
    metadata_option,
    missing_option,
    neighbors_option,
    public_metadata_option,
    settings_options,
)
from sdv_threea.cli.outputs import staged
from sdv_threea.cli.steps import steps
from sdv_threea.cli.table_files import SUFFIXES, check_kind, find_tables, read_table, write_table
from sdv_threea.names import printable

EXAMPLES = """\b
Examples:
  sdv-threea fit adult.csv --metadata adult.json --epsilon 1 --target income --out adult.pkl
  sdv-threea sample adult.pkl --rows 30000 --out synthetic.csv
"""


@click.group(
    cls=PlainGroup,
    epilog=EXAMPLES,
    context_settings={
        'help_option_names': ['-h', '--help'],
        'max_content_width': 100,
        'show_default': True,
    },
)
@click.version_option(package_name='sdv-threea', message='%(prog)s %(version)s')
def main() -> None:
    """Release private tables under differential privacy, by the 3A framework.

    Tables are CSV (UTF-8, a line of names) or Parquet; a database is a folder with a file named
    after each of its tables. Exit codes: 0 done; 2 not done, as what was asked for or the data is
    not in order; 1 failed otherwise.
    """


@main.command()
@click.argument('data', type=SOURCE)
@metadata_option
@click.option(
    '--out',
    type=PLACE,
    required=True,
    help='The release, to sample from: .release; or a synthesizer of SDV, .pkl.',
)
@click.option(
    '--statement',
    type=PLACE,
    help='The privacy statement, .txt or .json.  [default: OUT.statement.txt]',
)
@settings_options
@force_option
def fit(
    data: Path, metadata: Path, out: Path, statement: Path | None, force: bool, **settings: Any
) -> None:
    """Release DATA under differential privacy.

    DATA is a table, or a folder of tables. Columns are read as the metadata says: state there what
    is a number, a date, a category. What pandas takes for missing (an empty cell, NA, null) is
    missing, unless --missing says otherwise.

    The synthesizer and its privacy statement may be published; the metadata may not, unless its
    ranges and values are public. Every fit spends a privacy budget of its own, and their costs add
    up.
    """
    from sdv_threea.cli.saved import (
        RELEASE,
        load_metadata,
        make_synthesizer,
        save,
        write_statement,
    )

    described = load_metadata(metadata)
    files = find_tables(data, described.tables)
    synthesizer = make_synthesizer(described, settings)
    statement = statement or out.with_name(f'{out.name}.statement.txt')
    with (
        staged([out, statement], force=force, inputs=[*files.values(), metadata]) as drafts,
        steps(len(files) + 2) as step,
    ):
        tables = {}
        for name, path in files.items():
            step(f'Reading {name}')
            tables[name] = read_table(
                path,
                described.tables[name].columns,
                use_values=settings['public_metadata'],
                coerce=settings['invalid_cells'] == 'coerce',
                only_empty=settings['missing'] == 'empty',
            )
        step('Fitting')
        synthesizer.fit(tables)
        step('Writing')
        save(synthesizer, drafts[out], as_release=out.suffix == RELEASE)
        write_statement(synthesizer.get_privacy_statement(), drafts[statement])


@main.command()
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
    """Tell what error to expect, without any data.

    It reads nothing, so it spends nothing: the noise follows from the shape of the table and the
    promise.
    """
    from sdv_threea.estimate import expected_error

    try:
        errors = expected_error(
            rows, columns, num_classes=classes, num_numerical=numerical, **settings
        )
    except ValueError as error:
        raise RefusedError(str(error)) from None
    click.echo(str(errors))


@main.command()
@click.argument('synthesizer', type=FILE)
@click.option(
    '--out',
    type=PLACE,
    required=True,
    help='The synthetic table; of a database, a folder for its tables.',
)
@click.option('--rows', type=click.IntRange(min=0), help='Of one table: the number of rows.')
@click.option(
    '--scale',
    type=click.FloatRange(min=0, min_open=True),
    help='Of a database: its size, as a multiple of the real one.  [default: 1]',
)
@click.option(
    '--format',
    'suffix',
    type=click.Choice([suffix.removeprefix('.') for suffix in SUFFIXES]),
    default='csv',
    help='Of a database: what its tables are written as.',
)
@click.option(
    '--rows-per-file',
    type=click.IntRange(min=1),
    help='Of one table: write a folder of Parquet files, none of which has more rows than this.',
)
@click.option(
    '--for-spreadsheets',
    is_flag=True,
    help='Of CSV: put an apostrophe before texts that a spreadsheet would run (=, +, -, @).',
)
@force_option
def sample(
    synthesizer: Path,
    out: Path,
    rows: int | None,
    scale: float | None,
    suffix: str,
    rows_per_file: int | None,
    for_spreadsheets: bool,
    force: bool,
) -> None:
    """Sample rows, at no cost in privacy.

    The same file gives the same rows: ask for more of them to have others. A .release can be opened
    from anybody. Load a .pkl only if you trust it, as a pickle can hold any program.
    """
    from sdv_threea.cli.saved import draw, list_tables, load, plan_draws, write_parts

    fitted = load(synthesizer)
    names, sizes = list_tables(fitted), plan_draws(fitted, rows, scale)
    if rows_per_file is not None:
        write_parts(fitted, int(sum(sizes)), out, rows_per_file)
        return
    places = {name: out / f'{name}.{suffix}' for name in names}
    if len(names) == 1:
        places = {names[0]: out}
    for place in places.values():
        check_kind(place)
    with (
        staged(places.values(), force=force, inputs=[synthesizer]) as drafts,
        steps(len(sizes) + len(names)) as step,
    ):
        drawn = []
        for size in sizes:
            step('Sampling')
            drawn.append(draw(fitted, size))
        for name, place in places.items():
            step(f'Writing {name}')
            rows_of_it = pd.concat([each[name] for each in drawn])
            write_table(rows_of_it, drafts[place], for_spreadsheets=for_spreadsheets)


@main.command()
@click.argument('synthesizer', type=FILE)
@click.option('--json', 'as_json', is_flag=True, help='As JSON.')
def statement(synthesizer: Path, as_json: bool) -> None:
    """Print a privacy statement.

    It says what SYNTHESIZER promises, to whom, and what each of its releases cost.
    A .release can be opened from anybody. Load a .pkl only if you trust it, as a pickle can hold
    any program.
    """
    from sdv_threea.cli.saved import load, to_json

    told = load(synthesizer).get_privacy_statement()
    click.echo(to_json(told) if as_json else printable(str(told)))


@main.command()
@click.argument('synthesizer', type=FILE)
@click.option(
    '--out',
    type=PLACE,
    required=True,
    help='The datasheet: .html, .md, or .json for Croissant, which machines read.',
)
@click.option(
    '--about', type=FILE, help='What only you can say, as JSON: title, license, creator...'
)
@click.option(
    '--data',
    'data',
    type=FILE,
    multiple=True,
    help='For Croissant: a file of a synthetic table, named after it; may be given several times.',
)
@force_option
def datasheet(
    synthesizer: Path, out: Path, about: Path | None, data: tuple[Path, ...], force: bool
) -> None:
    """Write what may be published about a release.

    The datasheet of SYNTHESIZER says what is promised and to whom, what is public, what each column
    shows, what was lost, and what each release cost. It is made of released numbers alone: no
    private row is read.

    Load only files that you trust, as a synthesizer is a pickle, which can hold any program.
    """
    from sdv_threea.cli.describing import write_datasheet

    write_datasheet(synthesizer, out, about, data, force=force)


@main.command()
@click.option('--real', type=SOURCE, required=True, help='The real data, which was fitted.')
@click.option('--synthetic', type=SOURCE, required=True, help='The synthetic data.')
@metadata_option
@click.option('--out', type=PLACE, required=True, help='The page, .html; or .json.')
@click.option('--table', metavar='TABLE', help='Of a database: compare one table only.')
@click.option('--synthesizer', type=FILE, help='Tell what is promised, too.')
@click.option('--test', type=SOURCE, help='Real rows kept aside: test models on them, too.')
@click.option('--target', metavar='[TABLE.]COLUMN', help='The column that the models predict.')
@missing_option
@click.option('--title', help='The heading.  [default: the names of the tables]')
@force_option
def report(metadata: Path, out: Path, force: bool, **options: Any) -> None:
    """Compare a synthetic table or database with the real one.

    The page is not for publication: its scores are of the real data, which no promise covers. Only
    who may see the real data may see it. With test rows and a target, LightGBM is trained on each
    of the two tables, and tested on real rows that neither has seen.
    """
    from sdv_threea.cli.comparison import compare

    if (options['test'] is None) != (options['target'] is None):
        raise RefusedError('--test and --target go together: give both, or neither.')
    compare(metadata, out, force=force, **options)


@main.command()
@click.argument('data', type=SOURCE)
@metadata_option
@settings_options
@click.option(
    '--canary',
    'kind',
    type=click.Choice(['far-out', 'rare-category', 'lone-class']),
    default='far-out',
    help='How the row stands out: numbers far above all others, a value that no other row has, or '
    'a class of its own.',
)
@click.option('--table', metavar='TABLE', help='Of a database: which of its tables has the row.')
@click.option('--column', metavar='COLUMN', help='The column of the rare category or lone class.')
@click.option('--value', help='The rare category, or the lone class.')
@click.option('--runs', type=click.IntRange(min=40), default=1000, help='How many fits.')
@click.option(
    '--confidence',
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    help='With which all bounds hold at once.',
)
@click.pass_context
def audit(context: click.Context, /, data: Path, metadata: Path, **options: Any) -> None:
    """Try to tell whether one row of DATA was fitted.

    DATA should be a public or made-up table: it is fitted many times over, and what is printed is
    not private. Half of the fits have a row that stands out, an observer guesses which, and its
    success bounds epsilon from below. The exit code is 1 if the bound refutes the promise; if not,
    that is no proof.
    """
    from sdv_threea.cli.trial import try_out

    canary = {name: options.pop(name) for name in ('kind', 'table', 'column', 'value')}
    look = {name: options.pop(name) for name in ('runs', 'confidence')}
    look['verbose'] = sys.stderr.isatty()
    result = try_out(data, metadata, options, canary, look)
    click.echo(printable(str(result)))
    context.exit(1 if result.refuted else 0)
