"""The result of ``check()``: how each column will be released, and the reasons to stop a fit."""

from collections.abc import Collection
from dataclasses import asdict, dataclass

import pandas as pd
from sdv.errors import SynthesizerInputError

from sdv_threea.names import printable
from sdv_threea.pages.fragments import paragraphs
from sdv_threea.pages.promise import tell_use

#: The columns of the printed table, with their titles.
TITLES = {
    'table': 'table',
    'name': 'column',
    'sdtype': 'sdtype',
    'outcome': 'comes out',
    'resolution': 'resolution',
    'advice': 'what changes it',
}

#: The number of rows assumed for error estimates if the number is not known.
USUAL_ROWS = 10_000

#: From this ``alpha`` on, a target is at most a tenth easier to predict in samples than really.
CALIBRATED = 0.99

#: The end of the error that stops a fit: before a row is read, or after rows are counted.
STOPPED = 'Nothing was read or spent, as the release would be wrong or worthless.'
COUNTED = (
    'The fit stopped after the number of rows was released, for a small part of the budget; the '
    'rest was not spent, though a ledger file counts the whole fit.'
)


@dataclass(frozen=True, kw_only=True)
class CheckedColumn:
    """The forecast of a column: whether its values will be learned or made up.

    Args:
        sdtype: The sdtype that the column will be learned as.
        outcome: ``'learned'``, ``'personal: learned'`` (word for word), ``'likely empty'``, ``'made
            up'``, ``'personal: made up'``, ``'personal: made up, counts learned'``, ``'key'`` or
            ``'public: copied'``.
        resolution: The smallest counts or differences that stand out from the noise, in words;
            empty if the column is not learned.
        advice: The fact to state in the metadata to change the outcome, in words; may be empty.
    """

    table: str
    name: str
    sdtype: str
    outcome: str
    resolution: str = ''
    advice: str = ''


@dataclass(frozen=True, kw_only=True)
class Stop:
    """A reason to stop a fit.

    Args:
        kind: The word that ``accept`` must contain for the fit to go on.
        said: The reason, in sentences.
    """

    kind: str
    said: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Check:
    """A forecast of each column, and the reasons to stop a fit. ``print`` shows a table.

    Args:
        num_rows: The number of rows for which errors were estimated; ``None`` if not known.
        notes: Sentences that a fit shows as warnings; they do not stop it.
        forecasts: Sentences on how many units each table of a database needs.
        sharpened: The targets that samples will make easier to predict than they really are.
    """

    columns: tuple[CheckedColumn, ...]
    stops: tuple[Stop, ...]
    epsilon: float
    num_rows: int | None = None
    notes: tuple[str, ...] = ()
    forecasts: tuple[str, ...] = ()
    sharpened: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return a table with a row for each column."""
        found = pd.DataFrame(map(asdict, self.columns), columns=list(TITLES))
        several = len({each.table for each in self.columns}) > 1
        return found if several else found.drop(columns='table')

    def demand(self, accept: Collection[str], spent: str = STOPPED) -> None:
        """Raise an error, with advice, unless ``accept`` names all reasons to stop."""
        refused = [stop for stop in self.stops if stop.kind not in accept]
        if refused:
            kinds = sorted({*accept, *(stop.kind for stop in refused)})
            said = ' '.join(stop.said for stop in refused)
            raise SynthesizerInputError(f'{said} {spent} To go on: accept={kinds}.')

    def __str__(self) -> str:
        told = self.to_frame().rename(columns=TITLES)
        widths = {name: max(map(len, [name, *told[name]])) for name in told}
        rows = [list(told), *told.itertuples(index=False)]
        lines = [
            '  '.join(f'{cell:<{width}}' for cell, width in zip(row, widths.values(), strict=True))
            for row in rows
        ]
        return printable('\n'.join([*map(str.rstrip, lines), *self._feet()]))

    def _repr_html_(self) -> str:
        told = self.to_frame().map(printable).rename(columns=TITLES)
        return str(told.to_html(index=False)) + paragraphs(self._feet())

    def _feet(self) -> list[str]:
        rows = f'about {self.num_rows or USUAL_ROWS:,} rows'
        assumed = rows if self.num_rows else f'{rows}, as their number is not known'
        return [
            f'At epsilon={self.epsilon:g}, for {assumed}. ±: two standard errors of a count. No '
            'row was read, and nothing was spent. Values and ranges (range_values, range_min, '
            'range_max) count with public_metadata=True; texts such as "$1,234.50" are read as '
            'numbers by NumberTexts.',
            tell_use(self.sharpened),
            *self.notes,
            *self.forecasts,
            *(
                f'Stops a fit, unless accept names {each.kind!r}: {each.said}'
                for each in self.stops
            ),
        ]
