"""The report as one value: all that was measured, which can be saved as JSON or as a page."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdv_threea.atomic import replacing
from sdv_threea.report.distributions import Distribution
from sdv_threea.report.page import write_html
from sdv_threea.report.quality import Quality
from sdv_threea.report.utility import Utility


@dataclass(frozen=True, kw_only=True, eq=False)
class Report:
    """What a release promises and what it is worth. Not differentially private: it saw real data.

    Args:
        quality: How alike the tables are, and whether they are valid, by SDMetrics.
        statement: What is promised, as a dictionary; empty if it is not known.
        utility: The scores of models, by the target that they predict.
        distances: Distances to the closest real row, by table.
        cardinalities: How many rows refer to each row of another table, by foreign key.
        schema: A picture of a database's tables and of what of each is protected.
    """

    quality: Quality
    statement: Mapping[str, Any] = field(default_factory=dict)
    utility: Mapping[str, Utility] = field(default_factory=dict)
    distances: pd.DataFrame = field(default_factory=pd.DataFrame)
    cardinalities: Mapping[str, Distribution] = field(default_factory=dict)
    schema: go.Figure | None = None

    @property
    def scores(self) -> dict[str, float]:
        """The numbers that matter, by name; NaN where undefined."""
        scores = {
            'quality': self.quality.overall,
            **self.quality.properties,
            'diagnostic': self.quality.diagnostic,
        }
        for target, utility in self.utility.items():
            for trained, row in utility.scores.drop(columns='note').iterrows():
                scores |= {f'{name} of {target}, {trained}': float(row[name]) for name in row.index}
        for table, row in self.distances.iterrows():
            scores |= {f'{name}, {table}': float(row[name]) for name in row.index}
        return scores

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the schema as lists, dictionaries, texts and numbers.

        Infinity is spelt ``"inf"``, and what is undefined is ``None``: JSON knows neither.
        """
        quality = self.quality
        told = {
            'scores': self.scores,
            'statement': self.statement,
            'utility': self.utility,
            'quality': quality.details,
            'distances': self.distances.rename_axis('Table').reset_index(),
            'columns': [
                {'table': table, 'column': column, **vars(each)}
                for (table, column), each in quality.distributions.items()
            ],
            'pairs': [
                {'table': table, 'columns': columns, **vars(each)}
                for (table, *columns), each in quality.joints.items()
            ],
            'cardinalities': self.cardinalities,
        }
        plain: dict[str, Any] = _plain(told)
        return plain

    def save_json(self, path: str | Path) -> None:
        """Write :meth:`to_dict` as JSON, whole or not at all.

        A new file is readable by its owner alone; one that exists is replaced, and keeps its mode.

        Raises:
            OSError: If the file cannot be written.
        """
        text = json.dumps(self.to_dict(), indent=1, allow_nan=False, ensure_ascii=False)
        with replacing(path, private=True) as draft:
            draft.write_text(text + '\n', encoding='utf-8')

    def save_html(self, path: str | Path, title: str | None = None) -> None:
        """Write one page that opens anywhere, offline, whole or not at all.

        A new file is readable by its owner alone; one that exists is replaced, and keeps its mode.

        Args:
            path: Where to write it.
            title: Its heading; by default the names of the tables.

        Raises:
            OSError: If the file cannot be written.
        """
        write_html(self, path, title or ', '.join(dict.fromkeys(self.quality.columns['Table'])))


def _plain(value: Any) -> Any:
    """Return a value as what JSON knows; anything else, such as a date, becomes a text."""
    match value:
        case Mapping():
            return {str(name): _plain(each) for name, each in value.items()}
        case pd.DataFrame():
            return _plain(value.to_dict(orient='records'))
        case list() | tuple() | np.ndarray() | pd.Index():
            return [_plain(each) for each in value]
        case Distribution() | Utility():
            return _plain(vars(value))
        case np.generic():
            return _plain(value.item())
        case float() if not math.isfinite(value):
            return None if math.isnan(value) else str(value)
        case None | str() | bool() | int() | float():
            return value
    return str(value)
