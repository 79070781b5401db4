"""The time zones of dates in conditions that state no zone.

A column of dates is in one time zone, given by its dtype or a ``Z`` at the end of its format; or
each cell states its own; or no cell has one. A condition without a zone is in the zone of its
column. Such a condition is refused if each cell states its own zone, because the moment is then
unknown. A condition with a zone is refused if the column has none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.rows.intake.dates import find_clocks, find_zones, has_zone, is_zulu
from sdv_threea.storage.dtypes import find_zone
from sdv_threea.storage.writing import ORIGIN


def place_dates(
    seconds: NDArray[np.float64], column: pd.Series, template: str | None, dtype: Any
) -> NDArray[np.float64]:
    """Move dates that state no zone from UTC, in which they were read, to the zone of their column.

    Dates are seconds since 2000, NaN for none, shape (n,).

    Raises:
        ValueError: If it is not clear which moments are meant.
    """
    cells, zone = list(column.astype(object)), find_zone(dtype) or (is_zulu(template) and 'UTC')
    clocks = find_clocks(cells, template) & ~np.isnan(seconds)
    if not zone:
        if find_zones(cells, template).any():
            problem = (
                'says no time zone, and each date of the column has one: state it'
                if has_zone(template)
                else 'says a time zone, and the column has none: leave it out'
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
