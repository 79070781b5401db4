"""Convert conditions to codes of the released model, and write known values into drawn rows.

A condition is a value of a column, or a missing value. The model is conditioned on the code of the
value: each category has a code of its own, and a number or a date has the code of its bin. Rows are
drawn given the bin, and the value itself is written into them. If noise has removed all probability
from a bin, the nearest bins with positive probability replace it.

A condition on a column that a constraint has replaced restricts the derived columns: combinations,
flags, columns that are missing together, and the bins of numbers from which the known number can
follow. Rules are then solved for drawn numbers, so that the known ones follow exactly. Keys, ids
and personal information have no code: their known values are written into the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_float_dtype

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.domain import Category, Column, Number
from sdv_threea.encoding.encoders import CategoryEncoder, NumberEncoder
from sdv_threea.rows.guard import guarded
from sdv_threea.rows.intake.columns import make_table
from sdv_threea.rows.intake.dates import find_clocks, find_zones, has_zone, is_zulu
from sdv_threea.rows.intake.facts import Facts, read_column
from sdv_threea.sampling.asked import CodeCondition
from sdv_threea.storage.metadata import list_facts
from sdv_threea.storage.table_storage import StoredColumns
from sdv_threea.storage.writing import ORIGIN, find_zone
from sdv_threea.transforms.steps import enter, list_steps

if TYPE_CHECKING:
    from sdv_threea.constraints.derivations import Derivations
    from sdv_threea.encoding.encoders import Transformer
    from sdv_threea.release import Release

#: Relative distance at which a float meets a condition, as in SDV.
TOLERANCE = 0.01


@dataclass(frozen=True)
class Conditions:
    """Conditions on ``n`` rows.

    Args:
        known: The user's conditions: a column for each known column, shape (n, k).
        plain: The modelled columns of ``known`` as plain values, with a fresh index.
        codes: The codes of columns of the model, shape (n, q); -1 for values without a code.
        choices: The codes that derived categories may have, as the bytes of a mask, shape (n, d).
        is_possible: Whether a row can be sampled, shape (n,).
    """

    known: pd.DataFrame
    plain: pd.DataFrame
    codes: pd.DataFrame
    choices: pd.DataFrame
    is_possible: Bools

    def group(self) -> Wholes:
        """Number the rows, shape (n,): rows with equal conditions have the same number."""
        names = list(self.known)
        if not names:
            return np.zeros(len(self.known), dtype=np.int64)
        grouped = self.known.groupby(names, dropna=False, sort=False, observed=True)
        return np.asarray(grouped.ngroup(), dtype=np.int64)

    def take(self, rows: Wholes | Bools) -> Conditions:
        """Choose rows by their positions, or by a mask."""
        places = np.arange(len(self.known))[rows]
        frames = (self.plain, self.codes, self.choices)
        plain, codes, choices = (each.iloc[places].reset_index(drop=True) for each in frames)
        return Conditions(self.known.iloc[places], plain, codes, choices, self.is_possible[places])


def read_conditions(
    known: pd.DataFrame, released: Release, storage: StoredColumns, derivations: Derivations
) -> Conditions:
    """Turn the user's conditions into codes of the released model."""
    stated = [each.name for each in storage.domain.columns if each.name in known and _is_read(each)]
    rows = pd.RangeIndex(len(known))
    values = make_table({name: _read(known[name], storage) for name in stated}, rows)
    entered, steps = enter(values, derivations), list_steps(derivations)
    # The missing numbers of a tree of differences are a separate column of the model.
    replaced = {name for step in derivations.steps for name in step.replaced} - set(steps)
    codes, choices = pd.DataFrame(index=values.index), pd.DataFrame(index=values.index)
    occurs = np.ones((len(released.mixture.weights), len(known)), dtype=np.bool_)
    for name in values:
        is_missing = known[name].isna().to_numpy()
        left_out = name not in released.domain.names or _is_named(released.domain[name])
        if left_out or (name in replaced and is_missing.any()):
            continue
        column, transformer = released.domain[name], _find_transformer(released, name)
        is_stated = entered[name].isna().to_numpy() == is_missing
        own_column = storage.domain[name] if name in steps else column
        is_stated &= _is_inside(values[name], own_column, storage)
        if isinstance(transformer, CategoryEncoder):
            is_stated &= transformer.can_show(entered[name])
        found = np.where(is_stated, transformer.encode(entered[name]), -1)
        chances = released.chances(name) > 0
        own = np.where(found < 0, False, chances[:, found])
        if isinstance(column, Number):
            own |= (found > 0) & chances[:, 1:].any(axis=1, keepdims=True)
        codes[name] = np.where(own.any(axis=0), found, -1)
        occurs &= own
    for name, chosen in derivations.select(values, released.domain).items():
        masks = np.pad(chosen, ((0, 0), (1, 0)))  # in front, the code of the missing value
        choices[name] = [mask.tobytes() for mask in masks]
        occurs &= (released.chances(name) > 0) @ masks.T
    for name, ends in derivations.bound(values, released.domain).items():
        masks = _list_bins(_find_number(released, name), ends)
        if name not in codes and not masks[:, 1:].all():
            choices[name] = [mask.tobytes() for mask in masks]
            occurs &= (released.chances(name) > 0) @ masks.T
    return Conditions(known, values, codes, choices, np.asarray(occurs.any(axis=0)))


def draw_rows(
    released: Release, conditions: Conditions, derivations: Derivations, rng: np.random.Generator
) -> tuple[pd.DataFrame, Floats]:
    """Draw a row for each possible condition; its weight, (n,), is zero if it misses this."""
    codes = conditions.codes
    asked = _ask(released, codes, conditions.choices)
    drawn = released.sample(len(codes), rng, asked)
    numbers = [name for name in codes if isinstance(released.domain[name], Number)]
    drawn = drawn.assign(**enter(conditions.plain, derivations)[numbers])
    solved = derivations.solve(drawn, conditions.plain, released.domain)
    weights = np.ones(len(drawn))
    for name, values in solved.items():
        weights *= _weigh(_find_number(released, name), drawn[name], pd.Series(values))
    drawn = drawn.assign(**solved)
    overruled = derivations.find_overruled(drawn, conditions.plain, released.domain)
    return drawn, np.where(overruled, 0.0, weights)


def write_generated(rows: pd.DataFrame, conditions: Conditions) -> pd.DataFrame:
    """Write the known values of columns that are not modelled, such as personal information."""
    known = conditions.known.set_axis(rows.index)
    made_up = [name for name in known if name not in conditions.plain]
    return rows.assign(**{name: cast(known[name], rows[name].dtype) for name in made_up})


def keep_matching(
    rows: pd.DataFrame, drawn: pd.DataFrame, conditions: Conditions, storage: StoredColumns
) -> pd.DataFrame:
    """Keep the rows that meet their conditions, and write floats exactly as the user stated."""
    values = conditions.plain.loc[rows.index]
    keep = np.ones(len(rows), dtype=np.bool_)
    for name in values:
        asked, is_missing = values[name], values[name].isna()
        if name in conditions.codes:
            # The drawn value meets the condition unless a constraint has changed the value.
            own = drawn.loc[rows.index, name]
            equal = rows[name].astype(object) == own.astype(object)
            is_met = (equal & ~is_missing) | (rows[name].isna() & own.isna() & is_missing)
        else:
            cells = read_column(rows[name], _list_facts(name, storage)).cells
            own = pd.Series(cells, rows.index)
            reach = TOLERANCE if is_float_dtype(rows[name]) else 0.0
            is_met = _is_near(own, asked, reach) | (own.isna() & is_missing)
        keep &= is_met.to_numpy(dtype=np.bool_)
    floats = [name for name in values if is_float_dtype(rows[name])]
    rows = rows.assign(**{name: values[name].astype(rows[name].dtype) for name in floats})
    return rows[keep]


def is_released(asked: pd.Series, storage: StoredColumns) -> Bools:
    """Return true for values that are in the released description of a column, shape (n,)."""
    column, missing = storage.domain[str(asked.name)], asked.isna().to_numpy()
    found = _is_inside(asked, column, storage)
    if isinstance(column, Category) and column.values is not None:  # noqa: PD011 (no pandas)
        found = asked.isin(column.values).to_numpy(dtype=np.bool_)
    return np.asarray(np.where(missing, bool(column.nullable), found), dtype=np.bool_)


def _list_bins(transformer: NumberEncoder, ends: Floats) -> Bools:
    """Return the codes whose bins meet the intervals ``ends``, shape (n, 2), as a mask (n, S)."""
    edges = transformer.edges
    inside = (edges[:-1] <= ends[:, 1:]) & (edges[1:] > ends[:, :1])
    return np.pad(inside, ((0, 0), (1, 0)))  # in front, the code of the missing value


def _weigh(transformer: NumberEncoder, drawn: pd.Series, moved: pd.Series) -> Floats:
    """Return weights of moved numbers: one over the numbers of their bin, zero outside the bin."""
    edges, step = transformer.edges, transformer.step
    codes = transformer.encode(drawn)
    same = (drawn.to_numpy() == moved.to_numpy()) | (drawn.isna() & moved.isna()).to_numpy()
    widths = np.diff(np.ceil(edges / step)) if step else np.diff(edges)
    widths = np.maximum(widths, 1.0 if step else np.finfo(np.float64).tiny)
    inside = (moved >= edges[0]) & (moved < edges[-1]) & (transformer.encode(moved) == codes)
    weights = widths.min() / widths[np.maximum(codes, 1) - 1]
    return np.where(same, 1.0, np.where(inside, weights, 0.0))


def _find_transformer(released: Release, name: str) -> Transformer:
    return released.transformers[released.domain.names.index(name)]


def _find_number(released: Release, name: str) -> NumberEncoder:
    transformer = _find_transformer(released, name)
    assert isinstance(transformer, NumberEncoder)
    return transformer


def _read(column: pd.Series, storage: StoredColumns) -> NDArray[Any]:
    name = str(column.name)
    if column.isna().all():
        # Missing values of all kinds are equal.
        column = pd.Series(None, column.index, dtype=object, name=name)
    facts = _list_facts(name, storage)
    with guarded():
        cells, problems = read_column(column, facts)
    if problems and facts.sdtype == 'numerical':
        raise ValueError(
            f'The condition on {name!r} cannot be read as {facts.sdtype}: check its values.'
        )
    if facts.sdtype == 'datetime':
        return _place_dates(cells, column, facts.template, storage.dtypes[name])
    return cells if isinstance(cells, np.ndarray) else cells.to_numpy()


def _place_dates(seconds: Floats, column: pd.Series, template: str | None, dtype: Any) -> Floats:
    """Move dates without a zone, in seconds since 2000, from UTC to the zone of their column."""
    cells, zone = list(column.astype(object)), find_zone(dtype) or (is_zulu(template) and 'UTC')
    clocks = find_clocks(cells, template) & ~np.isnan(seconds)
    if not zone:
        if find_zones(cells, template).any():
            problem = (
                'has no time zone, but the dates of the column have one: state it'
                if has_zone(template)
                else 'has a time zone, but the column has none: leave it out'
            )
            raise ValueError(f'A condition on {column.name!r} {problem}.')
        return seconds
    read = pd.DatetimeIndex(ORIGIN + np.rint(seconds[clocks] * 1e6).astype('timedelta64[us]'))
    moments = read.tz_localize(zone, ambiguous='NaT', nonexistent='NaT').tz_convert('UTC')
    if moments.isna().any():
        raise ValueError(
            f'A condition on {column.name!r} is at a time that the clocks of {zone} show twice or '
            'never: state its time zone, too.'
        )
    placed = seconds.copy()
    placed[clocks] += (moments.tz_localize(None) - read) / np.timedelta64(1, 's')
    return placed


def _is_named(column: Column) -> bool:
    return isinstance(column, Category) and column.pseudonyms is not None


def _is_read(column: Column) -> bool:
    """Return false if each row has its own made-up name, which can only be written."""
    names = column.pseudonyms if isinstance(column, Category) else None
    return names is None or len(names.buckets) > 0


def _list_facts(name: str, storage: StoredColumns) -> Facts:
    """Return the facts needed to read a column, without stated ranges and values."""
    listed = list_facts({name: storage.columns[name]}, {name: storage.dtypes[name]})
    facts = next(iter(listed), Facts(name, 'categorical'))  # pseudonyms have no facts
    # A user may write 1 for True.
    sdtype = 'categorical' if facts.sdtype == 'boolean' else facts.sdtype
    return replace(facts, sdtype=sdtype, low=None, high=None, values=None, nullable=None)


def _is_inside(asked: pd.Series, column: Column, storage: StoredColumns) -> Bools:
    """Return true for numbers in the released range that fit into the dtype of their column."""
    if isinstance(column, Category):
        return np.ones(len(asked), dtype=np.bool_)
    half = (column.step or 0.0) / 2
    inside = asked.between((column.low or 0.0) - half, (column.high or 0.0) + half)
    inside |= asked.isin(column.sentinels)
    is_number = storage.columns[column.name]['sdtype'] == 'numerical'
    if is_number and pd.api.types.is_integer_dtype(storage.dtypes[column.name]):
        inside &= asked % 1 == 0
    return np.asarray((inside | asked.isna()).to_numpy(), dtype=np.bool_)


def _ask(released: Release, codes: pd.DataFrame, choices: pd.DataFrame) -> dict[str, CodeCondition]:
    occurs = {name: released.chances(name) > 0 for name in (*codes, *choices)}
    asked = {
        name: CodeCondition(
            codes[name].to_numpy(dtype=np.int64), np.zeros((0, len(each.T)), bool), each
        )
        for name, each in occurs.items()
        if name in codes
    }
    for name in choices:
        which, texts = pd.factorize(choices[name])
        masks = np.array([np.frombuffer(text, dtype=np.bool_) for text in texts])
        asked[name] = CodeCondition(-1 - which, masks.reshape(len(texts), -1), occurs[name])
    if not asked:
        return {}
    reached = [own.list_classes() for own in asked.values()]
    # Rows whose codes do not occur together in any class.
    apart = np.flatnonzero(~np.logical_and.reduce(reached).any(axis=0))
    if not len(apart):
        return asked
    # Noise removed the probability of a code in all classes of the other codes: use the nearest
    # codes.
    keys = np.stack([own.codes[apart] for own in asked.values()], axis=1)
    _, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    cells = [
        _move(released, {name: own[apart[[at]]] for name, own in asked.items()}) for at in first
    ]
    for name, own in asked.items():
        moved = own.codes.copy()
        moved[apart] = -1 - len(own.masks) - which.ravel()
        masks = np.concatenate([own.masks, [each[name] for each in cells]])
        asked[name] = CodeCondition(moved, masks, own.occurs)
    return asked


def _move(released: Release, asked: Mapping[str, CodeCondition]) -> dict[str, Bools]:
    """Return, by column, the codes nearest to those of one row, in the classes nearest to it."""
    near, apart = {}, np.zeros(released.classes.count)
    for name, own in asked.items():
        near[name] = np.asarray(own.occurs & own.list_masks(), dtype=np.bool_)
        if isinstance(released.domain[name], Number) and own.codes[0] > 0:
            distances = _measure_distances(own.occurs, int(own.codes[0]))
            least = distances.min(axis=1)
            near[name] = own.occurs & (distances == least[:, None])
            apart += least
    classes = np.logical_and.reduce([each.any(axis=1) for each in near.values()])
    classes &= apart == apart[classes].min(initial=np.inf)
    return {name: np.asarray(each[classes].any(axis=0)) for name, each in near.items()}


def _measure_distances(chances: Bools, code: int) -> Floats:
    distances = np.where(chances, np.abs(np.arange(len(chances.T)) - code), np.inf)
    distances[:, 0] = np.inf
    return distances


def cast(column: pd.Series, dtype: Any) -> pd.Series:
    """Cast values to the dtype of their column, or return them unchanged if that fails."""
    try:
        return column.astype(dtype)
    except (TypeError, ValueError):
        return column


def _is_near(own: pd.Series, asked: pd.Series, reach: float) -> pd.Series:
    return (own - asked).abs() <= asked.abs() * reach if reach else own == asked
