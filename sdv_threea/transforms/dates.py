"""Dates as codes: a transformer of RDT's that reads and writes dates as users store them."""

from typing import Any

import pandas as pd
from numpy.typing import NDArray

from sdv_threea.describe.granularity import Heaps
from sdv_threea.domain import TIME_STEPS
from sdv_threea.encoding.encoder import cast
from sdv_threea.encoding.transformers import NumberEncoder
from sdv_threea.rows.intake.columns import find_moments
from sdv_threea.rows.intake.dates import to_seconds
from sdv_threea.storage.writing import from_seconds


class DateEncoder(NumberEncoder):
    """A transformer of dates: dates or texts outside, codes inside.

    The arguments are those of :class:`NumberEncoder`, in seconds since 2000, and the
    ``datetime_format`` of texts: ``None`` reads each text by itself, and writes ISO 8601.
    """

    INPUT_SDTYPE = 'datetime'
    SUPPORTED_SDTYPES = ['datetime']
    FACTS = (*NumberEncoder.FACTS, 'datetime_format')
    STEPS = TIME_STEPS

    def __init__(
        self,
        edges: NDArray[Any] | None = None,
        step: float | None = None,
        nullable: bool | None = None,
        heaps: Heaps | None = None,
        datetime_format: str | None = None,
    ) -> None:
        super().__init__(edges, step, nullable, heaps)
        self.datetime_format = datetime_format

    def _read(self, column: pd.Series) -> pd.Series:
        return pd.Series(to_seconds(find_moments(column, self.datetime_format)), name=column.name)

    def _write(self, values: NDArray[Any]) -> pd.Series:
        dates = from_seconds(values, self._dtype, self.datetime_format, self.step)
        return cast(dates, self._dtype)
