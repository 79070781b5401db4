"""The commands of ``sdv-threea``.

Each function is a command: its docstring is the help for users, its decorators are the options. It
checks its arguments first, because SDV and the module that does the work take seconds to load.
"""

import sys
from pathlib import Path
from typing import Any

import click

from sdv_threea.cli.estimating import check, estimate, ledger
from sdv_threea.cli.options import (
    FILE,
    PLACE,
    SOURCE,
    detect_options,
    encoding_option,
    force_option,
    memory_option,
    metadata_option,
    reading_options,
    separator_option,
    settings_options,
    settle_promise,
    verbose_option,
)
from sdv_threea.cli.outputs import check_places
from sdv_threea.cli.refusals import PlainGroup, RefusedError
from sdv_threea.cli.sources import check_description, check_kind, read_format
from sdv_threea.names import printable

#: The endings of the file name of a datasheet.
KINDS = ('.html', '.htm', '.md', '.json')

EXAMPLES = """\b
Examples:
  sdv-threea demo
  sdv-threea fit adult.csv --metadata adult.json --epsilon 1 --target income --out adult.release
  sdv-threea sample adult.release --rows 30000 --out synthetic.csv
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

    Tables are CSV (with a line of names; UTF-8 and commas, unless --encoding and --separator are
    set), TSV or Parquet; Excel can be read too. A database is a folder with a file named after each
    of its tables. Exit codes: 0: done; 2: the arguments or the data are wrong, and nothing was
    done; 1: any other failure.
    """


@main.command()
@click.argument('folder', type=PLACE, default='.')
@force_option
def demo(folder: Path, force: bool) -> None:
    """Write a public table to try the other commands on.

    FOLDER gets adult.csv, adult_test.csv (rows kept aside) and their metadata, adult.json.
    """
    from sdv_threea.cli.outputs import write_adult

    write_adult(folder, force=force)


@main.command()
@click.argument('data', type=SOURCE, required=False)
@detect_options
@force_option
def detect(
    data: Path | None, dictionary: Path | None, out: Path | None, force: bool, **settings: Any
) -> None:
    """Propose metadata, without reading a row.

    DATA is a table or a folder of tables. Only its column names are read: the first line of a CSV
    file, the schema of a Parquet file. A data dictionary may add facts. The command prints the
    facts that you still have to state by hand. A fit never reads a column without a stated type.
    """
    from sdv_threea.cli.detecting import detect_files

    detect_files(data, dictionary, out, settings, force=force)


@main.command()
@click.argument('data', type=SOURCE)
@metadata_option
@click.option(
    '--out',
    type=PLACE,
    required=True,
    help='The release, to sample from: .release; or a pickled synthesizer, .pkl.',
)
@click.option(
    '--statement',
    type=PLACE,
    help='The privacy statement, .txt or .json.  [default: OUT.statement.txt]',
)
@click.option(
    '--constraints',
    type=FILE,
    help="Rules that rows obey, as SDV's get_constraints(path) writes them to JSON.",
)
@click.option('--ledger', type=PLACE, help='The ledger of the data set: see `sdv-threea ledger`.')
@settings_options
@force_option
def fit(
    data: Path, metadata: Path, out: Path, statement: Path | None, force: bool, **settings: Any
) -> None:
    """Release DATA under differential privacy.

    DATA is a table, or a folder of tables. Columns are read as the metadata says: state there which
    columns are numbers, dates and categories. Cells that pandas reads as missing (an empty cell,
    NA, null) are missing, unless --missing says otherwise.

    The synthesizer and its privacy statement may be published; the metadata may not, unless its
    ranges and values are public. Every fit spends a privacy budget of its own; the costs add up.
    """
    settle_promise(settings)
    read_format(settings)
    statement = statement or out.with_name(f'{out.name}.statement.txt')
    check_places([out, statement], force=force, inputs=[data, metadata])
    tables = {'--public-table': settings['public_tables']}
    if settings['privacy_unit'] is not None:
        tables['--privacy-unit'] = [settings['privacy_unit']]
    check_description(metadata, settings['targets'], tables)

    from sdv_threea.cli.fitting import fit_files

    fit_files(data, metadata, out, statement, settings, force=force)


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
    type=click.Choice(['csv', 'csv.gz', 'parquet']),
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
@separator_option
@encoding_option
@memory_option
@verbose_option
@force_option
def sample(
    synthesizer: Path, out: Path, rows: int | None, scale: float | None, force: bool, **options: Any
) -> None:
    """Sample rows, at no cost in privacy.

    The same file always gives the same first rows. Ask for more rows to get new ones. A .release is
    safe to open. Load a .pkl only if you trust it, because a pickle can run any program.
    """
    read_format(options)
    if rows is not None and scale is not None:
        raise RefusedError('--rows is for one table, and --scale for a database: give one of them.')
    if rows is not None and options['rows_per_file'] is None:
        check_kind(out)
        check_places([out], force=force, inputs=[synthesizer])

    from sdv_threea.cli.drawing import sample_files

    sample_files(synthesizer, out, rows, scale, force=force, **options)


@main.command()
@click.argument('synthesizer', type=FILE)
@click.option('--json', 'as_json', is_flag=True, help='As JSON.')
def statement(synthesizer: Path, as_json: bool) -> None:
    """Print a privacy statement.

    The statement has the promise of SYNTHESIZER, whom it protects, and the cost of each release. A
    .release is safe to open. Load a .pkl only if you trust it, because it can run any program.
    """
    from sdv_threea.cli.saved import load, to_json

    told = load(synthesizer).get_privacy_statement()
    click.echo(to_json(told) if as_json else printable(str(told)))


@main.command()
@click.argument('synthesizer', type=FILE)
@click.option('--json', 'as_json', is_flag=True, help='As JSON.')
def losses(synthesizer: Path, as_json: bool) -> None:
    """Print which real values no sample can have.

    Each column of SYNTHESIZER has a line on the values that were too rare to be released, and the
    share of the rows that have them. The lines are computed from released numbers, so they cost
    nothing and may be published. A .release is safe to open. Load a .pkl only if you trust it,
    because a pickle can run any program.
    """
    from sdv_threea.cli.drawing import say_losses

    click.echo(printable(say_losses(synthesizer, as_json=as_json)))


@main.command()
@click.argument('synthesizer', type=FILE)
@click.option(
    '--out',
    type=PLACE,
    required=True,
    help='The datasheet: .html, .md, or .json for Croissant, which machines read.',
)
@click.option(
    '--about', type=FILE, help='Facts that only you know, as JSON: title, license, creator...'
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
    """Write a datasheet, which may be published with the rows.

    The datasheet of SYNTHESIZER has the promise and whom it protects, the public facts, the values
    of each column in samples, the values that samples lack, and the cost of each release. It is
    made only from released numbers: no private row is read.

    A .release is safe to open. Load a .pkl only if you trust it, because it can run any program.
    """
    if out.suffix not in KINDS:
        raise RefusedError(f'--out must end in {", ".join(KINDS)}, got {out.name!r}.')
    if data and out.suffix != '.json':
        raise RefusedError('--data is for Croissant: let --out end in .json.')
    inputs = [synthesizer, *([about] if about else []), *data]
    check_places([out], force=force, inputs=inputs)

    from sdv_threea.cli.drawing import write_datasheet

    write_datasheet(synthesizer, out, about, data, force=force)


@main.command()
@click.option('--real', type=SOURCE, required=True, help='The real data, which was fitted.')
@click.option('--synthetic', type=SOURCE, required=True, help='The synthetic data.')
@metadata_option
@click.option('--out', type=PLACE, required=True, help='The page, .html; or .json.')
@click.option('--table', metavar='TABLE', help='Of a database: compare one table only.')
@click.option('--synthesizer', type=FILE, help='The synthesizer, to show its promise too.')
@click.option('--test', type=SOURCE, help='Real rows kept aside, to test models on.')
@click.option('--target', metavar='[TABLE.]COLUMN', help='The column that the models predict.')
@reading_options
@click.option('--title', help='The heading.  [default: the names of the tables]')
@verbose_option
@force_option
def report(metadata: Path, out: Path, force: bool, **options: Any) -> None:
    """Compare a synthetic table or database with the real one.

    Do not publish the page: its scores are computed from the real data, without any protection.
    Show it only to people who may see the real data. With test rows and a target, one LightGBM
    model is trained on the real table and one on the synthetic table, and both are tested on real
    rows that neither model has seen.
    """
    if (options['test'] is None) != (options['target'] is None):
        raise RefusedError('--test and --target go together: give both, or neither.')
    if out.suffix not in ('.html', '.htm', '.json'):
        raise RefusedError(
            f'--out must end in .html or .json, got {out.name!r}. For a PDF, open the page in a '
            'browser and print it.'
        )
    read_format(options)
    check_places([out], force=force, inputs=[metadata])
    tables = {'--table': [options['table']] if options['table'] is not None else []}
    check_description(metadata, named=tables)

    from sdv_threea.cli.measuring import compare

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
    help='The confidence with which all bounds hold at once.',
)
@click.pass_context
def audit(context: click.Context, /, data: Path, metadata: Path, **options: Any) -> None:
    """Try to tell whether one row of DATA was fitted.

    DATA should be a public or made-up table: it is fitted many times, and the printed result is not
    private. Half of the fits have a row that stands out, an observer guesses which, and its success
    bounds epsilon from below. The exit code is 1 if the bound refutes the promise; an exit code of
    0 is not a proof.
    """
    settle_promise(options)
    read_format(options)
    check_description(metadata, options['targets'])

    from sdv_threea.cli.measuring import try_out

    canary = {name: options.pop(name) for name in ('kind', 'table', 'column', 'value')}
    look = {name: options.pop(name) for name in ('runs', 'confidence')}
    look['verbose'] = sys.stderr.isatty()
    result = try_out(data, metadata, options, canary, look)
    click.echo(printable(str(result)))
    context.exit(1 if result.refuted else 0)


main.add_command(check)
main.add_command(estimate)
main.add_command(ledger)
