"""The cells of records by how they are spelled, which tells values apart that compare as equal."""

import pandas as pd

from sdv_threea.rows.intake.scalars import spell


def spell_rows(table):
    """Spell the cells of each record."""
    columns = [
        [None if pd.isna(each) is True else spell(each) for each in table[name].tolist()]
        for name in table
    ]
    return list(zip(*columns, strict=True))
