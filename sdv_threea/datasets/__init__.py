"""Public tables that come with the package, for the demo, the benchmarks and the tests."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from sdv.metadata import Metadata

__all__ = ['load_adult', 'load_hospital']


def load_adult(*, public_metadata: bool = False) -> tuple[pd.DataFrame, pd.DataFrame, Metadata]:
    """Load Adult: training rows, test rows, and metadata of their one table ``adult``.

    15 columns describe people of the 1994 US census; the target ``income`` is above 50K or not.
    Becker and Kohavi (1996), UCI, https://doi.org/10.24432/C5XW20, CC BY 4.0; changes:
    ``adult/README.md``. With ``public_metadata``, the metadata states the ranges and categories of
    both parts, which are public, because the survey was published.

    Examples:
        >>> from sdv_threea.datasets import load_adult
        >>> train, test, metadata = load_adult()
        >>> len(train), len(test), list(metadata.tables)
        (32561, 16281, ['adult'])
    """
    from sdv.metadata import Metadata

    description = 'public_metadata.json' if public_metadata else 'metadata.json'
    with as_file(files(__name__) / 'adult') as folder:
        return (
            pd.read_csv(folder / 'adult_train.csv.gz'),
            pd.read_csv(folder / 'adult_test.csv.gz'),
            Metadata.load_from_json(folder / description),
        )


def load_hospital() -> tuple[dict[str, pd.DataFrame], Metadata]:
    """Load Hospital: tables of diabetic patients, their stays and codes, by name, and metadata.

    ``encounter`` (11,163 rows) refers to ``patient`` (8,000) and to three public lists of codes.
    Clore, Cios, DeShazo and Strack (2014), UCI, https://doi.org/10.24432/C5230J, CC BY 4.0;
    changes: ``hospital/README.md``.
    """
    from sdv.metadata import Metadata

    with as_file(files(__name__) / 'hospital') as folder:
        metadata = Metadata.load_from_json(folder / 'metadata.json')
        tables = {name: pd.read_csv(folder / f'{name}.csv.gz') for name in metadata.tables}
    return tables, metadata
