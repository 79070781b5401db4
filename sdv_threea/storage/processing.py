"""SDV's data processor of a table, which makes up ids and personal information and sets dtypes.

The processor is fitted on a proxy table (:mod:`~sdv_threea.storage.writing`) and never sees a
private row. Modelled columns skip it: they have transformers of their own.

SDV makes ids one by one with Faker: whole numbers, or texts like ``sdv-id-pXqBzR``. The generator
here makes ids of the same form with NumPy, and distinct ones if SDV's are distinct. SDV makes ids
with a format, and personal information. Formats that take SDV too long are refused.
"""

import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from re import _parser  # type: ignore[attr-defined]  # as RDT reads a format
from string import ascii_letters
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rdt.transformers import AnonymizedFaker
from rdt.transformers.base import BaseTransformer
from sdv.data_processing.data_processor import DataProcessor
from sdv.metadata import Metadata

from sdv_threea.errors import InputError
from sdv_threea.storage.metadata import MODELLED
from sdv_threea.storage.writing import OBJECT

#: The functions of Faker that SDV calls for ids that are numbers, and for ids that are texts.
NUMBERS, TEXTS = 'random_int', 'bothify'
PREFIX, BLANK, BLANKS = 'sdv-id-', '?', 6
LETTERS = np.array(list(ascii_letters)).view(np.uint32)

#: Strides are below this number, so their products with numbers of rows fit into 64 bits.
LARGEST_STRIDE = 2**30

#: The largest number of generators that RDT may make for all formats of a table or a database. RDT
#: makes each of them five times, in about 20 microseconds, in a fit and in loading: seconds
#: altogether.
MOST_PARTS = 50_000

#: How often RDT repeats a part of a format at most, if the format has no upper bound.
ENDLESS = 16


class IdGenerator(BaseTransformer):
    """Generator of ids: numbers, or texts of a prefix and six letters.

    Distinct ids advance in equal steps, modulo the number of ids, so no id repeats before all have
    occurred, or before a reset.
    """

    IS_GENERATOR = True
    INPUT_SDTYPE = 'id'
    SUPPORTED_SDTYPES = ('id',)

    def __init__(self, num_ids: int = 2**24 + 1, text: bool = False, unique: bool = True) -> None:
        super().__init__()
        self.num_ids, self.text, self.unique = num_ids, text, unique
        self.output_properties = {None: {'next_transformer': None}}
        self._made = 0

    def reset_randomization(self) -> None:
        """Start again with the first id."""
        super().reset_randomization()
        self._made = 0

    def _fit(self, data: pd.Series) -> None:
        self._made = 0

    def _transform(self, data: pd.Series) -> None:
        return None

    def _reverse_transform(self, data: Any) -> NDArray[Any]:
        rows = np.arange(self._made, self._made + len(data), dtype=np.uint64)
        self._made += len(data)
        numbers = self._scatter(rows) if self.unique else self._draw(rows)
        return _spell(numbers) if self.text else numbers.astype(np.int64)

    def _scatter(self, rows: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return distinct numbers; if there are more rows than ids, the rest are larger numbers."""
        rng = np.random.default_rng(self.random_seed)
        start, stride = (int(rng.integers(1, min(self.num_ids, LARGEST_STRIDE))) for _ in range(2))
        # Steps without a common factor reach every id before they return to the first.
        while math.gcd(stride, self.num_ids) > 1:
            stride += 1
        size = np.uint64(self.num_ids)
        return np.where(rows < size, (rows * np.uint64(stride) + np.uint64(start)) % size, rows)

    def _draw(self, rows: NDArray[np.uint64]) -> NDArray[np.uint64]:
        rng = np.random.default_rng([self.random_seed, int(rows[0])])
        return rng.integers(self.num_ids, size=len(rows), dtype=np.uint64)


def make_ids(transformer: Any) -> Any:
    """Return a fast generator if SDV's generator makes plain ids, else SDV's generator."""
    plain = type(transformer) is AnonymizedFaker and transformer.provider_name == 'BaseProvider'
    if not plain or transformer.cardinality_rule not in (None, 'unique'):
        return transformer
    asked, unique = transformer.function_kwargs, transformer.cardinality_rule == 'unique'
    if transformer.function_name == TEXTS and asked == {'text': PREFIX + BLANK * BLANKS}:
        return IdGenerator(len(LETTERS) ** BLANKS, text=True, unique=unique)
    # SDV's own generator is kept for small ranges, which may run out of numbers.
    if transformer.function_name == NUMBERS and asked == {'min': 0, 'max': 2**24}:
        return IdGenerator(2**24 + 1, unique=unique)
    return transformer


def check_formats(formats: Iterable[str]) -> None:
    """Raise an error if regular expressions of ids repeat too much for SDV to make ids in time."""
    parts = 0
    for each in formats:
        try:
            parts += _count_parts(_parser.parse(each))
        except (re.error, OverflowError, RecursionError):  # SDV refuses an invalid format
            continue
        if parts > MOST_PARTS:
            raise InputError(
                'The regex_format of an id repeats too much for SDV to make ids up: choose shorter '
                "repetitions, such as '[A-Z]{8}', and do not nest repetitions."
            )


def _count_parts(pattern: Any) -> int:
    """Count the generators that RDT makes for a parsed format."""
    parts = 0
    for kind, value in pattern:
        if kind is _parser.SUBPATTERN:
            parts += 1 + _count_parts(value[-1])
        elif kind is _parser.MAX_REPEAT:
            least, most, repeated = value
            most = ENDLESS if most is _parser.MAXREPEAT else most
            times = (least + most) * max(most - least + 1, 0) // 2
            parts += (1 + times) * _count_parts(repeated[:1])
        else:
            parts += 1
    return parts


def _spell(numbers: NDArray[np.uint64]) -> NDArray[np.object_]:
    width = len(PREFIX) + BLANKS
    points = np.empty((len(numbers), width), dtype=np.uint32)
    points[:, : len(PREFIX)] = np.array(list(PREFIX)).view(np.uint32)
    for place in range(width - 1, len(PREFIX) - 1, -1):
        numbers, digit = np.divmod(numbers, np.uint64(len(LETTERS)))
        points[:, place] = LETTERS[digit]
    return points.view(f'U{width}').ravel().astype(object)


def make_processor(
    metadata: Metadata, enforce_min_max_values: bool, locales: list[str] | str
) -> DataProcessor:
    """Make an unfitted processor from metadata without private facts."""
    table = metadata._convert_to_single_table()
    processor = DataProcessor(
        metadata=table,
        # Sampled rows already have the released granularity; learning it from the proxy would
        # overflow in half floats.
        enforce_rounding=False,
        enforce_min_max_values=enforce_min_max_values,
        locales=locales,
        # Otherwise SDV would model ids that are not keys, and so repeat ids of private rows.
        id_columns_use_old_behavior=[
            name for name, column in table.columns.items() if column['sdtype'] == 'id'
        ],
    )
    for sdtype in MODELLED:
        processor._update_transformers_by_sdtypes(sdtype, None)
    return processor


def prepare_processor(processor: DataProcessor, proxy: pd.DataFrame) -> None:
    """Choose generators for the columns that are not modelled, in place."""
    processor.prepare_for_fitting(proxy)
    chosen = processor._hyper_transformer.field_transformers
    chosen.update({name: make_ids(each) for name, each in chosen.items()})


def pass_by(processor: DataProcessor, names: Iterable[str]) -> None:
    """Remove the transformers of modelled columns, in place: SDV would run them on samples."""
    chosen = processor._hyper_transformer.field_transformers
    chosen.update({name: None for name in names if name in chosen})


def fit_processor(
    processor: DataProcessor, proxy: pd.DataFrame, dtypes: Mapping[str, Any], strict: Iterable[str]
) -> None:
    """Fit the processor to the proxy, and set all dtypes except the ``strict`` ones, in place."""
    processor.fit(proxy)
    processor._dtypes = {**dtypes, **dict.fromkeys(strict, OBJECT)}
    # Sampled rows already have the released range, granularity and format.
    processor.formatters = {}


def list_strict(
    columns: Mapping[str, Mapping[str, Any]], dtypes: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the dtypes of made-up columns in which SDV fails if one cell does not fit."""
    found = {}
    for name, dtype in dtypes.items():
        kind, nullable = getattr(dtype, 'kind', 'O'), not isinstance(dtype, np.dtype)
        made_up = columns[name]['sdtype'] not in (*MODELLED, 'id')
        if made_up and (kind == 'M' or (nullable and kind in 'iub')):
            found[name] = dtype
    return found


def store_made_up(rows: pd.DataFrame, dtypes: Mapping[str, Any]) -> pd.DataFrame:
    """Store made-up columns in the user's dtypes, by name, where the cells fit."""
    stored = {name: _store(rows[name], dtype) for name, dtype in dtypes.items() if name in rows}
    return rows.assign(**stored) if stored else rows


def _store(cells: pd.Series, dtype: Any) -> pd.Series:
    """Store cells in a dtype, rounded if necessary; if that fails, return them unchanged."""
    for store in (cells.astype, lambda kind: cells.astype(float).round().astype(kind)):
        with suppress(TypeError, ValueError):
            return store(dtype)
    return cells  # the budget is spent by now, so an error would be worse
