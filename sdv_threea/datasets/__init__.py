"""Public tables that come with the package, for the demo, the benchmarks and the tests."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from sdv.metadata import Metadata

__all__ = ['load_adult', 'load_hospital']


def load_adult(*, public_metadata: bool = False) -> tuple[pd.DataFrame, pd.DataFrame, Metadata]:
    """Load Adult: 15 columns about people of the 1994 US census, and whether they earn over 50K.

    Becker and Kohavi (1996), UCI, https://doi.org/10.24432/C5XW20, CC BY 4.0; the changes made
    are listed in ``adult/README.md``.

    Args:
        public_metadata: Whether the metadata also tells the ranges and categories of the columns.
            The survey is long published, so they are public here (they were read off both parts).

    Returns:
        The official training part (32,561 rows), the official test part (16,281 rows) and the SDV
        metadata of their one table, ``adult``. The target is ``income``.

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
    """Load Hospital: patients with diabetes, their stays, and what the codes of a stay mean.

    Clore, Cios, DeShazo and Strack (2014), UCI, https://doi.org/10.24432/C5230J, CC BY 4.0; the
    changes made are listed in ``hospital/README.md``.

    Returns:
        The tables ``patient`` (8,000 rows) and ``encounter`` (11,163 rows), which refers to it, and
        the public lists of codes ``admission_type``, ``discharge_disposition`` and
        ``admission_source``; and their SDV metadata, which tells types and keys.
    """
    from sdv.metadata import Metadata

    with as_file(files(__name__) / 'hospital') as folder:
        metadata = Metadata.load_from_json(folder / 'metadata.json')
        tables = {name: pd.read_csv(folder / f'{name}.csv.gz') for name in metadata.tables}
    return tables, metadata
