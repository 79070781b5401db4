"""A file per data set that adds up the budgets of all of its fits.

The file is a SQLite database. A fit adds its whole budget in one transaction before it spends, so
fits of several processes are counted one after the other, and a killed fit counts. The file holds
only public facts: budgets, days, kinds of synthesizers.
"""

import math
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from sdv_threea.accounting import Ledger, Receipt
from sdv_threea.errors import InputError
from sdv_threea.settings import LARGEST_DELTA, LEAST_DELTA, THRESHOLD_SHARE, Settings

#: Identifies files of this module, in the header of a SQLite database.
MARK = 0x3A1ED6E2

#: Seconds that a fit waits for others that write to the file.
PATIENCE = 60.0

TABLES = f"""
PRAGMA application_id = {MARK};
CREATE TABLE IF NOT EXISTS terms (name TEXT PRIMARY KEY, value);
CREATE TABLE IF NOT EXISTS fits (
    begun TEXT, epsilon REAL, delta REAL, mu REAL, failures REAL, synthesizer TEXT
);
"""


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """The total of all releases of a data set, from its ledger.

    Args:
        name: The name of the file, without its folder.
        epsilon: The epsilon of all releases together, at ``delta``; infinite without a guarantee.
        delta: The limit's delta, or else the sum of all deltas.
        limit: The largest total epsilon; ``None`` for no limit.
    """

    name: str
    fits: int
    epsilon: float
    delta: float
    limit: float | None
    unit: str
    neighbors: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)

    def __str__(self) -> str:
        total = f'({self.epsilon:.4g}, {self.delta:.4g})-differential privacy for {self.unit}'
        if not math.isfinite(self.epsilon):
            total = 'together promise nothing'
        of = f', of {self.limit:g} that may be spent' if self.limit is not None else ''
        return f'{self.fits} fits begun, according to {self.name}: {total}{of}'


class BudgetLedger:
    """The ledger of a data set, in a file: every fit is counted before it spends.

    Args:
        path: The file, which the first fit or :meth:`limit` creates.

    Examples:
        >>> from sdv_threea import BudgetLedger, ClustMixSynthesizer
        >>> ledger = BudgetLedger('patients.ledger')
        >>> ledger.limit(epsilon=3.0, delta=1e-5)  # doctest: +SKIP
        >>> ClustMixSynthesizer(metadata, epsilon=1.0, ledger='patients.ledger')  # doctest: +SKIP
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)

    def limit(self, epsilon: float, delta: float) -> None:
        """Set the largest total of all fits; a fit beyond it is refused before it spends.

        Args:
            epsilon: The largest total epsilon.
            delta: The delta at which the total is computed, from 1e-50 to below 0.01.

        Raises:
            InputError: If a number is out of range, or the file is not a ledger.
        """
        if not (epsilon > 0 and LEAST_DELTA <= delta < LARGEST_DELTA):
            raise InputError(
                f'A limit needs an epsilon above 0 and a delta from {LEAST_DELTA:g} to below '
                f'{LARGEST_DELTA:g}, got {epsilon!r} and {delta!r}.'
            )
        with self._writing() as file:
            _state(file, epsilon=float(epsilon), delta=float(delta))

    def record(
        self, settings: Settings, unit: str, kind: str, *, thresholds: bool | None
    ) -> Recorded:
        """Add the whole budget of a fit, unless the total would exceed the limit.

        ``unit`` is the unit that the fit protects, in words, and ``kind`` the kind of the
        synthesizer. ``thresholds`` is whether a part of ``delta`` covers thresholds; ``None`` if
        not known. Returns the total. After an error nothing was spent.
        """
        with self._writing() as file:
            terms, own = _read_terms(file), {'unit': unit, 'neighbors': settings.neighbors}
            for name, word in own.items():
                if terms.get(name, word) != word:
                    raise InputError(
                        f"The ledger '{self.path}' counts fits with {name}={terms[name]!r}, and "
                        f'this one has {word!r}: their totals do not add up. Use another ledger. '
                        'Nothing was spent.'
                    )
            _state(file, **own)
            begun = datetime.now(UTC).isoformat(timespec='minutes')
            price = _price(settings, thresholds)
            row = (begun, settings.epsilon, settings.delta, *price, kind)
            file.execute('INSERT INTO fits VALUES (?, ?, ?, ?, ?, ?)', row)
            ledger, told = self._add_up(file)
            if told.limit is not None and not ledger.keeps(told.limit, told.delta):
                raise InputError(
                    f"With this fit the total of the ledger '{self.path}' would be "
                    f'epsilon={told.epsilon:.4g}, and its limit is {told.limit:g} at '
                    f'delta={told.delta:g}. Nothing was spent.'
                )
        return told

    def total(self) -> Recorded:
        """Return the total of all fits that began.

        Raises:
            InputError: If there is no ledger in the file.
        """
        if not Path(self.path).exists():
            raise InputError(f"There is no ledger '{self.path}': no fit wrote to it.")
        with self._writing() as file:
            return self._add_up(file)[1]

    def fits(self) -> pd.DataFrame:
        """Return all fits that began, a row each: day, budget, price in GDP, synthesizer."""
        with self._writing() as file:
            return pd.read_sql_query('SELECT * FROM fits', file)

    def _add_up(self, file: sqlite3.Connection) -> tuple[Ledger, Recorded]:
        file.row_factory = sqlite3.Row
        terms, found = _read_terms(file), file.execute('SELECT * FROM fits').fetchall()
        ledger = Ledger(
            tuple(
                Receipt(
                    stage='fit',
                    released=each['synthesizer'],
                    sensitivity=each['mu'],
                    noise_scale=1.0,
                    mu=each['mu'],
                    delta=each['failures'],
                )
                for each in found
            )
        )
        delta = terms.get('delta', math.fsum(each['delta'] for each in found))
        is_none = math.isinf(ledger.mu) or delta >= 1
        told = Recorded(
            name=Path(self.path).name,
            fits=len(found),
            epsilon=math.inf if is_none else ledger.epsilon(delta) if found else 0.0,
            delta=delta,
            limit=terms.get('epsilon'),
            unit=terms.get('unit', 'one unit'),
            neighbors=terms.get('neighbors', ''),
        )
        return ledger, told

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Yield the file in an exclusive transaction, which an error undoes."""
        problem = ''
        try:
            with closing(sqlite3.connect(self.path, PATIENCE, isolation_level=None)) as file:
                mark, pages = (
                    file.execute(f'PRAGMA {each}').fetchone()[0]
                    for each in ('application_id', 'page_count')
                )
                if pages and mark != MARK:
                    raise InputError(f"The file '{self.path}' is no ledger.")
                file.execute('BEGIN IMMEDIATE')
                for each in filter(str.strip, TABLES.split(';')):
                    file.execute(each)
                try:
                    yield file
                except BaseException:
                    file.execute('ROLLBACK')
                    raise
                file.execute('COMMIT')
        except sqlite3.Error as error:
            problem = str(error)
        if problem:
            raise InputError(f"The ledger '{self.path}': {problem}. Nothing was spent.")


def _price(settings: Settings, thresholds: bool | None) -> tuple[float, float]:
    if settings.guarantee == 'paper' or math.isinf(settings.epsilon):
        return math.inf, 0.0
    failures = 0.0 if thresholds is False else THRESHOLD_SHARE * settings.delta
    return settings.budget(thresholds=bool(thresholds)).mu, failures


def _read_terms(file: sqlite3.Connection) -> dict[str, Any]:
    return dict(file.execute('SELECT name, value FROM terms').fetchall())


def _state(file: sqlite3.Connection, **terms: Any) -> None:
    file.executemany('INSERT OR REPLACE INTO terms VALUES (?, ?)', list(terms.items()))
