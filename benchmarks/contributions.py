"""The contribution of each record to every released sum, compared with the declared sensitivity.

Input: a function that fits a table, an ordinary table, and a table of hostile records. Output, for
each released statistic: the largest distance by which one hostile record moves the statistic, the
declared sensitivity, and whether single records add up to the sum of all, bit for bit.
"""

import math
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sdv_threea.arrays import Floats
from sdv_threea.audit.arithmetic import RELATIVE_ERROR, match_claims
from sdv_threea.audit.doors import exchange, record, replay
from sdv_threea.privacy import door
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.rows.chunks import Kept, Rows, add
from sdv_threea.rows.guard import guarded
from sdv_threea.rows.sums import Statistic, Summed

#: Values by key: the position in an array, or the key of a threshold release.
Values = dict[Hashable, int]


class Reach(NamedTuple):
    """The largest effect on a statistic of one record or unit, or of replacing one by another.

    Args:
        distance: L2 distance that the values move, in the units of the receipt.
        new_keys: Number of counts that are raised, for a threshold release; otherwise 0.
        added: The most that is added to one count, for a threshold release; otherwise 0.
    """

    distance: float
    new_keys: int
    added: int


@dataclass(frozen=True)
class Contribution:
    """The contributions of single records to a released statistic, and their declared bounds.

    Args:
        name: The name of the statistic in the registry.
        adds_up: True if the sums of single records add up to the sum of all, bit for bit.
        of_record: The largest effect of a record.
        of_unit: The largest effect of a unit of privacy, with all of its records.
        sensitivity: The bound for a record that the statistic declares.
        claimed: The bound for a unit that the privacy statement claims.
        max_new_keys: The number of counts that a unit may raise; infinite without a threshold.
        most_added: The amount that a unit may add to a count; infinite without a threshold.
    """

    name: str
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
        """The largest effect divided by its bound; above one the bound is refuted."""
        return max(
            self.of_record.distance / self.sensitivity,
            self.of_unit.distance / self.claimed,
            self.of_unit.new_keys / self.max_new_keys,
            self.of_unit.added / self.most_added,
        )

    @property
    def refuted(self) -> bool:
        """True if a bound is exceeded, or the sums of single records do not add up."""
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
    """Measure how far single hostile records move each released statistic.

    ``fit`` makes a fresh synthesizer of this package, fits it to its argument and returns it. The
    ordinary ``table`` is fitted first; it needs enough rows that every stage releases something.
    Then the hostile records are fitted with the noisy answers of the first fit, so everything that
    a statistic depends on is held fixed. Before noise is added to a sum over the hostile records,
    each record is mapped and counted by itself, from its raw cells on. If ``replaced``, the
    distance is that between two records. The column ``unit`` names the unit of privacy of a row;
    without it every row is a unit.

    Formal guarantees:
        * a refuted statistic declares too small a sensitivity, or depends on records otherwise than
          by a sum: nothing is estimated

    The result describes both tables without noise, so pass made-up ones.

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
    """Pass all sums to ``look`` before noise is added to them."""
    release, release_keys = door.release_taken, door.release_keys

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
    """Measures contributions, and remembers how each record was mapped.

    Args:
        mapped: Records that were mapped alone, by the ids of their source and of the steps applied.
            Source and steps are kept alive, so that ids stay unique.
    """

    replaced: bool
    unit: str | None
    mapped: dict[tuple[int, ...], tuple[list[Any], Any]] = field(default_factory=dict)

    def measure(self, summed: Summed, claimed: float) -> Contribution:
        statistic = summed.statistic
        records, units = self._take_apart(summed.rows)
        with guarded():
            own = [statistic.sums(each) for each in records]
        by_unit: dict[Hashable, Any] = {}
        for unit, each in zip(units, own, strict=True):
            by_unit[unit] = add(by_unit[unit], each) if unit in by_unit else each
        total = reduce(add, own) if own else summed.sums
        return Contribution(
            name=statistic.name,
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
        """Return each record mapped alone, from its raw cells on, and the units of the records."""
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
        """Return the unit of a record: the value in its unit column, or else its position."""
        named = isinstance(single, pd.DataFrame) and self.unit in single
        return ('unit', single[self.unit].iloc[0]) if named else ('record', at)

    def _reach(self, statistic: Statistic, total: Any, parts: list[Any]) -> Reach:
        """Return the largest effect of a part, or of replacing one part by another."""
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
    """Return the sums by position; for a threshold release, the positive counts by key."""
    if isinstance(sums, np.ndarray):
        return dict(enumerate(sums.ravel().tolist()))
    keys, counts = statistic.values(sums)
    return {repr(keys[at]): count for at, count in enumerate(counts.tolist()) if count}


def _furthest(moved: Floats, replaced: bool) -> float:
    """Return the largest norm of vectors of shape (n, d); if replaced, their largest distance."""
    if not replaced:
        return float(np.linalg.norm(moved, axis=1).max())
    squares = np.square(moved).sum(axis=1)
    apart = squares[:, None] + squares - 2 * (moved @ moved.T)
    one, other = np.unravel_index(np.argmax(apart), apart.shape)
    return float(np.linalg.norm(moved[one] - moved[other]))


def _cut(chunk: Any) -> list[Any]:
    if isinstance(chunk, pd.DataFrame):
        return [chunk.iloc[at : at + 1] for at in range(len(chunk))]
    kind, rows = type(chunk), range(len(chunk[0]))
    return [kind(*(each[at : at + 1] for each in chunk)) for at in rows]
