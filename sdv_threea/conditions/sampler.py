"""Draw rows that meet conditions: given the conditions, not by rejection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from sdv_threea.arrays import Floats
from sdv_threea.conditions.translation import (
    Conditions,
    cast,
    draw_rows,
    is_released,
    keep_matching,
    read_conditions,
    write_generated,
)
from sdv_threea.domain import Category, Domain
from sdv_threea.sampling.asked import deal
from sdv_threea.storage.table_storage import StoredColumns
from sdv_threea.storage.writing import decode
from sdv_threea.transforms.preprocessor import Preprocessor
from sdv_threea.warning import warn

if TYPE_CHECKING:
    from sdv_threea.release import Release

#: Number of rows drawn for each row that is still missing, as in SDV.
ROWS_PER_RETRY = 10

#: The fewest rows that are drawn again: this many take as long as one.
LEAST_DRAWN = 1_000

#: The most released values that a message lists.
MOST_LISTED = 20


@dataclass(frozen=True)
class ConditionSampler:
    """Sampler of rows that meet conditions.

    Conditions on columns of the model are met by drawing given the condition, however improbable it
    is; all conditions of a call are met together. Impossible conditions are reported before rows
    are drawn, with alternatives: an error if no condition is possible, otherwise a warning. Rows
    that break a rule or a constraint are drawn again. A drawn row may meet any of several equal
    conditions.

    Formal guarantees:
        * conditions are met by post-processing of the release: they cost nothing
        * complaints show released facts, and never a value of a condition, which may be private
    """

    released: Release | None
    preprocessor: Preprocessor
    generate: Callable[[pd.DataFrame], pd.DataFrame]

    def refuse_impossible(self, frames: Sequence[pd.DataFrame]) -> None:
        """Raise a ``ValueError`` if no requested row can be sampled."""
        asked = [self._read(frame) for frame in frames if len(frame)]
        if asked and not any(each.is_possible.any() for each in asked):
            problems = '; '.join(self._explain(each) for each in asked)
            raise ValueError(
                f'Unable to sample any rows for the given conditions: {problems}. Ask for '
                'released values.'
            )

    def sample(
        self, known: pd.DataFrame, rng: np.random.Generator, max_tries: int, batch_size: int | None
    ) -> Iterator[pd.DataFrame]:
        """Sample a row for each row of conditions that can be met.

        ``known`` has a column for each known column. Each row of a batch has the index of its
        conditions. Rows are missing if ``max_tries`` draws do not suffice for conditions that are
        met by rejection.
        """
        asked = self._drop_impossible(self._read(known))
        total = len(asked.known)
        for start in range(0, total, batch_size or max(total, 1)):
            batch = asked.take(np.arange(start, min(start + (batch_size or total), total)))
            yield self._meet(batch, max_tries, rng)

    def _drop_impossible(self, asked: Conditions) -> Conditions:
        if asked.is_possible.all():
            return asked
        warn(
            'Only some of the conditions can be met, and rows are sampled for those: '
            f'{self._explain(asked)}. Ask for released values.'
        )
        return asked.take(asked.is_possible)

    def _meet(self, asked: Conditions, max_tries: int, rng: np.random.Generator) -> pd.DataFrame:
        """Sample a row for each row of conditions, in their order; fewer if tries run out."""
        groups, missing, found = asked.group(), np.arange(len(asked.known)), []
        for attempt in range(max_tries):
            places = missing
            if attempt:
                least = -(-LEAST_DRAWN // len(missing))
                places = np.repeat(missing, max(ROWS_PER_RETRY, least))
            rows, weights = self._draw(asked.take(places), rng)
            kept, served = deal(groups[places[rows.index]], weights, groups[missing], rng)
            found.append(rows.iloc[kept].set_axis(missing[served]))
            missing = np.delete(missing, served)
            if not len(missing):
                break
        met = pd.concat(found).sort_index()
        return met.set_axis(asked.known.index[met.index])

    def _draw(self, asked: Conditions, rng: np.random.Generator) -> tuple[pd.DataFrame, Floats]:
        constraints = self.preprocessor.constraints
        raw, weights = pd.DataFrame(index=range(len(asked.known))), np.ones(len(asked.known))
        if self.released is not None:
            derivations = self.preprocessor.derivations
            sampled, weights = draw_rows(self.released, asked, derivations, rng)
            raw = self.preprocessor.restore(sampled, self.released.domain)
        drawn = write_generated(self.generate(raw), asked)
        rows = constraints.keep_valid(drawn[weights > 0])
        met = keep_matching(rows, drawn, asked, self._describe_storage())
        # Written values may break a constraint that the drawn values met.
        met = constraints.drop_broken(met)
        return met, weights[met.index]

    def _read(self, known: pd.DataFrame) -> Conditions:
        if self.released is None:
            nothing = pd.DataFrame(index=range(len(known)))
            return Conditions(known, nothing, nothing, nothing, np.ones(len(known), dtype=np.bool_))
        derivations = self.preprocessor.derivations
        return read_conditions(known, self.released, self._describe_storage(), derivations)

    def _explain(self, asked: Conditions) -> str:
        assert self.released is not None
        return _tell_reasons(asked, self.released, self._describe_storage())

    def _describe_storage(self) -> StoredColumns:
        domain = None if self.released is None else self.released.domain
        return self.preprocessor.describe_storage(domain)


def _tell_reasons(conditions: Conditions, released: Release, storage: StoredColumns) -> str:
    """Return which conditions cannot be met, with alternatives; the text shows no condition."""
    codes, total = conditions.codes, len(conditions.known)
    missed = {name: (codes[name] < 0).to_numpy() for name in codes}
    missed |= {
        name: ~conditions.is_possible & ~is_released(cells, storage)
        for name, cells in conditions.plain.items()
        if name not in codes
    }
    found = [
        f'{own.sum()} of {total} ask for a value of {name!r} other than '
        f'{_list_choice(released, str(name), storage)}'
        for name, own in missed.items()
        if own.any()
    ]
    told = np.logical_or.reduce([conditions.is_possible, *missed.values()])
    if not told.all():
        names = list(conditions.plain)
        found.append(
            f'{(~told).sum()} of {total} ask for values of {names} that were released, but never '
            'together'
            if len(names) > 1
            else f'{(~told).sum()} of {total} ask for a value of {names[0]!r} that no row of the '
            'release can have'
        )
    return '; '.join(found)


def _list_choice(released: Release, name: str, storage: StoredColumns) -> str:
    """Return the released values of a column that can be asked for, as a text."""
    column = storage.domain[name] if name in storage.domain.names else released.domain[name]
    # A constraint may have replaced the column.
    possible = np.array([bool(column.nullable)])
    if name in released.domain.names:
        possible = np.asarray(released.chances(name).any(axis=0))
    if isinstance(column, Category):
        listed = column.values or ()  # noqa: PD011 (not pandas)
        can_be = possible[1:] if len(listed) == len(possible) - 1 else [True] * len(listed)
        values = [each for each, ok in zip(listed, can_be, strict=True) if ok]
        rest = len(values) - MOST_LISTED
        choice = f'{values[:MOST_LISTED]}' + (f' and {rest} more' if rest > 0 else '')
    else:
        shown = pd.DataFrame({name: [column.low or 0.0, column.high or 0.0, *column.sentinels]})
        stored = decode(shown, storage.columns, storage.dtypes, Domain((column,)))[name]
        low, high, *apart = cast(stored, storage.dtypes[name])
        others = f' and [{", ".join(map(str, apart))}]' if apart else ''
        choice = f'those from {low} to {high}{others}'
    return choice + (' (or a missing one)' if possible[0] else '')
