"""What each record adds to every sum that is released, against the bound that the sum declares.

In go a function that fits, an ordinary table, and a table of hostile records. Out comes, for each
released statistic, how far one hostile record moves it at most, beside the sensitivity that the
statistic states to the door of noise; and whether what the records add alone is the sum of all of
them, bit for bit. Nothing here knows what a statistic is for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.audit.arithmetic import RELATIVE_ERROR, match_claims
from sdv_threea.audit.doors import exchange, record, replay
from sdv_threea.privacy import sums
from sdv_threea.privacy.guard import guarded
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.rows import Kept, Rows, add
from sdv_threea.privacy.sums import Statistic, Summed

#: Some values by key: those of an array by their place, those of a threshold by what is counted.
Values = dict[Hashable, int]


class Reach(NamedTuple):
    """How far records, or units of privacy, reach at most.

    Args:
        distance: How far one moves the values, or one in the place of another: the L2 distance, in
            the units of the receipt.
        new_keys: How many counts of a threshold one raises, or one in the place of another; else 0.
        added: What one adds to a count of a threshold at most; else 0.
    """

    distance: float
    new_keys: int
    added: int


@dataclass(frozen=True)
class Contribution:
    """What records add to a released statistic, each of them alone.

    Args:
        stage: The stage that asked.
        released: What was released, in words.
        num_records: How many records there are.
        num_units: How many units of privacy they belong to.
        adds_up: Whether what records add alone is the sum of all of them, bit for bit.
        of_record: How far a record reaches.
        of_unit: How far a unit reaches, with all of its records.
        sensitivity: How far a record may reach, as the statistic declares.
        claimed: How far a unit may reach, as the privacy statement says.
        max_new_keys: How many counts a unit may raise, as a threshold is told; infinite for none.
        most_added: What a unit may add to a count, likewise.
    """

    stage: str
    released: str
    num_records: int
    num_units: int
    adds_up: bool
    of_record: Reach
    of_unit: Reach
    sensitivity: float
    claimed: float
    max_new_keys: float = math.inf
    most_added: float = math.inf

    @property
    def share(self) -> float:
        """How far a record or unit reaches, as a share of how far it may: above one is refuted."""
        return max(
            self.of_record.distance / self.sensitivity,
            self.of_unit.distance / self.claimed,
            self.of_unit.new_keys / self.max_new_keys,
            self.of_unit.added / self.most_added,
        )

    @property
    def refuted(self) -> bool:
        """Whether a bound is exceeded, or records do not add up."""
        return not self.adds_up or self.share > 1 + RELATIVE_ERROR


def measure_contributions(
    fit: Callable[[Any], Any],
    table: Any,
    hostile: Any,
    *,
    replaced: bool = False,
    unit: str | None = None,
    noise: Noise | None = None,
) -> tuple[Contribution, ...]:
    """Measure how far hostile records move each released statistic, each of them alone.

    The table is fitted, and then the hostile records are, with the noisy answers of the first fit:
    so all that a statistic depends on is held fixed. Whenever a sum over the hostile records comes
    to the door of noise, each of them is mapped and counted by itself, from its raw cells on.

    Formal guarantees:
        * a statistic that is refuted declares too small a sensitivity, or depends on records
          otherwise than by a sum: nothing is estimated

    The result tells about both tables without noise, so pass made-up ones.

    Args:
        fit: Makes a fresh synthesizer, fits it to a table and returns it. Its result needs a
            ``get_privacy_statement`` of this package.
        table: Whatever ``fit`` takes: ordinary rows, enough of them that every stage has something
            to release.
        hostile: The same, of the records that are tried.
        replaced: Whether the claim is about replaced records: then distances are those between two
            of them.
        unit: The column that says to which unit of privacy a row belongs. Rows without it are units
            of their own.
        noise: The source of noise, for tests; the real one by default.

    Returns:
        What records add, statistic by statistic.

    Raises:
        DivergedError: If the two fits ask different questions.
    """
    fitted, transcript = record(lambda: fit(table), noise, seed=0)
    lines = match_claims(transcript.receipts, fitted.get_privacy_statement().receipts)
    claims = iter([line.sensitivity for _, line in lines])
    meter, found = _Meter(replaced, unit), list[Contribution]()

    def look(summed: Summed, **most: Any) -> None:
        found.append(replace(meter.measure(summed, next(claims)), **most))

    with _watch(look):
        replay(lambda: fit(hostile), transcript)
    return tuple(found)


@contextmanager
def _watch(look: Callable[..., None]) -> Iterator[None]:
    """Look at all that comes to the door of noise."""
    release, release_keys = sums.release, sums.release_keys

    def watch(summed: Summed, **terms: Any) -> Any:
        look(summed)
        return release(summed, **terms)

    def watch_keys(summed: Summed, **terms: Any) -> Any:
        look(summed, **{name: terms[name] for name in ('max_new_keys', 'most_added')})
        return release_keys(summed, **terms)

    exchange({id(release): watch, id(release_keys): watch_keys})
    try:
        yield
    finally:
        exchange({id(watch): release, id(watch_keys): release_keys})


@dataclass
class _Meter:
    """Measures what records add, and remembers how each of them was mapped.

    Args:
        replaced: Whether records replace each other.
        unit: The column of units.
        mapped: Records that were mapped alone, by where they come from and what was done to them;
            with those things, which are kept alive, so that no other has their id.
    """

    replaced: bool
    unit: str | None
    mapped: dict[tuple[int, ...], tuple[list[Any], Any]] = field(default_factory=dict)

    def measure(self, summed: Summed, claimed: float) -> Contribution:
        """Measure one statistic."""
        statistic = summed.statistic
        records, units = self._take_apart(summed.rows)
        with guarded():
            own = [statistic.sums(each) for each in records]
        by_unit: dict[Hashable, Any] = {}
        for unit, each in zip(units, own, strict=True):
            by_unit[unit] = add(by_unit[unit], each) if unit in by_unit else each
        total = reduce(add, own) if own else summed.sums
        return Contribution(
            stage=statistic.stage,
            released=statistic.released,
            num_records=len(own),
            num_units=len(by_unit),
            adds_up=_count(statistic, total) == _count(statistic, summed.sums),
            of_record=self._reach(statistic, total, own),
            of_unit=self._reach(statistic, total, list(by_unit.values())),
            sensitivity=statistic.sensitivity * statistic.resolution,
            claimed=claimed,
        )

    def _take_apart(self, rows: Rows[Any]) -> tuple[list[Any], list[Hashable]]:
        """Map each record alone, from its raw cells on; return its unit, too."""
        source: Any = rows.source
        steps = rows.steps
        while isinstance(source, Kept):
            source, steps = source.chunks, (*source.steps, *steps)
        key: tuple[int, ...] = (id(source),)
        if key not in self.mapped:
            self.mapped[key] = Rows[Any](source).sum(_cut), source
        raw = self.mapped[key][0]
        for step in steps:
            before, key = self.mapped[key][0], (*key, id(step))
            if key not in self.mapped:
                with guarded():
                    self.mapped[key] = [step(each) for each in before], step
        return self.mapped[key][0], [self._name(at, each) for at, each in enumerate(raw)]

    def _name(self, at: int, single: Any) -> Hashable:
        """Return the unit of a record: that of its column, or the record itself."""
        named = isinstance(single, pd.DataFrame) and self.unit in single
        return ('unit', single[self.unit].iloc[0]) if named else ('record', at)

    def _reach(self, statistic: Statistic, total: Any, parts: list[Any]) -> Reach:
        """Measure the furthest reach of a part, or of one in the place of another."""
        if not parts:
            return Reach(0.0, 0, 0)
        if isinstance(total, np.ndarray):
            whole = statistic.values(total).ravel()
            rest = np.stack([statistic.values(total - part).ravel() for part in parts])
            moved = (whole - rest).astype(np.float64)
            return Reach(_furthest(moved, self.replaced) * statistic.resolution, 0, 0)
        counts = [_count(statistic, part) for part in parts]
        places = {key: at for at, key in enumerate(dict.fromkeys(k for own in counts for k in own))}
        moved = np.zeros((len(counts), len(places)))
        for row, own in zip(moved, counts, strict=True):
            row[[places[key] for key in own]] = list(own.values())
        raised = np.sort((moved > 0).sum(axis=1))[::-1]
        new_keys = int(raised[: 1 + self.replaced].sum())
        return Reach(_furthest(moved, self.replaced), new_keys, int(moved.max(initial=0)))


def _count(statistic: Statistic, sums: Any) -> Values:
    """Return the sums by key; the counts of a threshold that are above zero."""
    if isinstance(sums, np.ndarray):
        return dict(enumerate(sums.ravel().tolist()))
    keys, counts = statistic.values(sums)
    return {repr(keys[at]): count for at, count in enumerate(counts.tolist()) if count}


def _furthest(moved: NDArray[np.float64], replaced: bool) -> float:
    """Return the largest norm of some vectors, shape (n, d); or their largest distance."""
    if not replaced:
        return float(np.linalg.norm(moved, axis=1).max())
    squares = np.square(moved).sum(axis=1)
    apart = squares[:, None] + squares - 2 * (moved @ moved.T)
    one, other = np.unravel_index(np.argmax(apart), apart.shape)
    return float(np.linalg.norm(moved[one] - moved[other]))


def _cut(chunk: Any) -> list[Any]:
    """Cut a chunk into its rows."""
    if isinstance(chunk, pd.DataFrame):
        return [chunk.iloc[at : at + 1] for at in range(len(chunk))]
    kind, rows = type(chunk), range(len(chunk[0]))
    return [kind(*(each[at : at + 1] for each in chunk)) for at in rows]
