"""The report as one value: all measurements, which can be saved as JSON or as a page."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.atomic import replacing
from sdv_threea.pages.fragments import Drawing, escape
from sdv_threea.report.distributions import Distribution, JointDistribution
from sdv_threea.report.fidelity import Fidelity, Impossible
from sdv_threea.report.page import write_html
from sdv_threea.report.quality import Quality
from sdv_threea.report.utility import Utility
from sdv_threea.report.verdict import Grade, Verdict, judge

Cells = tuple[str, str, str]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Report:
    """The promise and the quality of a release. Not differentially private.

    Notebooks show only the verdict; only saved files have shares of real rows.

    Args:
        quality: Similarity and validity of the tables, by SDMetrics.
        fidelity: Errors of columns and pairs of columns, in common bins of both tables.
        statement: The privacy statement as a dictionary; empty if it is not known.
        losses: The losses that the synthesizer reports, in sentences.
        utility: The scores of models, by the target that they predict.
        draws: The same scores of several samples, a row each, if several were given.
        distances: Distances to the closest real row, by table.
        risk: The success of attacks by anonymeter, if they were run.
        joints: The shares of rows behind the worst pairs of columns, by table and columns.
        cardinalities: Numbers of rows that refer to each row of another table, by foreign key.
        schema: A picture of the tables of a database and of their protection.
        made: Facts behind the report, by name: rows, columns, versions, settings.
    """

    quality: Quality
    fidelity: Fidelity
    statement: Mapping[str, Any] = field(default_factory=dict)
    losses: Sequence[str] = ()
    utility: Mapping[str, Utility] = field(default_factory=dict)
    draws: pd.DataFrame = field(default_factory=pd.DataFrame)
    distances: pd.DataFrame = field(default_factory=pd.DataFrame)
    risk: pd.DataFrame = field(default_factory=pd.DataFrame)
    joints: Mapping[Cells, JointDistribution] = field(default_factory=dict)
    cardinalities: Mapping[str, Distribution] = field(default_factory=dict)
    schema: Drawing | None = None
    made: Mapping[str, str] = field(default_factory=dict)

    @property
    def verdict(self) -> Verdict:
        """The uses of the release, its losses, and advice."""
        return judge(
            self.quality, self.fidelity, self.utility, self.statement, self.losses, self.draws
        )

    @property
    def scores(self) -> dict[str, float]:
        """The most important numbers, by name; NaN if undefined."""
        scores = {
            'quality': self.quality.overall,
            **self.quality.properties,
            'diagnostic': self.quality.diagnostic,
        }
        for measure, row in self.fidelity.scores.iterrows():
            scores[str(measure)] = float(row['synthetic'])
        for target, utility in self.utility.items():
            for trained, row in utility.scores.drop(columns='note').iterrows():
                scores |= {f'{name} of {target}, {trained}': float(row[name]) for name in row.index}
        for table, row in self.distances.iterrows():
            scores |= {f'{name}, {table}': float(row[name]) for name in row.index}
        return scores

    def __repr__(self) -> str:
        return f'Report({"; ".join(map(_tell, self.verdict.grades))})'

    def _repr_html_(self) -> str:
        rows = ''.join(f'<li>{escape(_tell(each))}</li>' for each in self.verdict.grades)
        return (
            f'<p><b>{escape(self.verdict.headline)}</b></p><ul>{rows}</ul>'
            '<p>Measured on real rows: not for publication. <code>save_html</code> writes the page.'
            '</p>'
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything except the schema as lists, dictionaries, texts and numbers.

        Infinity is ``"inf"`` and undefined numbers are ``None``, because JSON has neither.
        """
        quality, fidelity, verdict = self.quality, self.fidelity, self.verdict
        told = {
            'made': self.made,
            'verdict': {
                'headline': verdict.headline,
                'grades': [{**vars(each), 'grade': each.word} for each in verdict.grades],
                'lost': verdict.lost,
                'advice': verdict.advice,
            },
            'scores': self.scores,
            'statement': self.statement,
            'utility': self.utility,
            'draws': self.draws,
            'fidelity': {
                'scores': fidelity.scores.rename_axis('Measure').reset_index(),
                'columns': fidelity.columns,
                'pairs': fidelity.pairs,
                'impossible': fidelity.impossible,
            },
            'quality': quality.details,
            'distances': self.distances.rename_axis('Table').reset_index(),
            'risk': self.risk.rename_axis('Attack').reset_index(),
            'columns': [
                {'table': table, 'column': column, **vars(each)}
                for (table, column), each in quality.distributions.items()
            ],
            'pairs': [
                {'table': table, 'columns': columns, **vars(each)}
                for (table, *columns), each in self.joints.items()
            ],
            'cardinalities': self.cardinalities,
        }
        plain: dict[str, Any] = _plain(told)
        return plain

    def save_json(self, path: str | Path) -> None:
        """Write :meth:`to_dict` as JSON, whole or not at all.

        Only its owner can read a new file; an existing file is replaced, and keeps its mode.

        Raises:
            OSError: If the file cannot be written.
        """
        text = json.dumps(self.to_dict(), indent=1, allow_nan=False, ensure_ascii=False)
        with replacing(path, private=True) as draft:
            draft.write_text(text + '\n', encoding='utf-8')

    def save_html(self, path: str | Path, title: str | None = None) -> None:
        """Write one page that opens offline in any browser, whole or not at all.

        Only its owner can read a new file; an existing file is replaced, and keeps its mode. The
        default title is the names of the tables.

        Raises:
            OSError: If the file cannot be written.
            ValueError: If the path does not end in ``.html``: other formats are not written.
        """
        write_html(self, path, title or ', '.join(dict.fromkeys(self.quality.columns['Table'])))


def _tell(grade: Grade) -> str:
    scores = grade.spell(grade.synthetic), grade.spell(grade.real)
    return f'{grade.name} {scores[0]} (real {scores[1]}): {grade.word}'


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold; other values, such as dates, become texts."""
    match value:
        case Mapping():
            return {str(name): _plain(each) for name, each in value.items()}
        case pd.DataFrame():
            return _plain(value.to_dict(orient='records'))
        case list() | tuple() | np.ndarray() | pd.Index():
            return [_plain(each) for each in value]
        case Distribution() | Utility() | Impossible():
            return _plain(vars(value))
        case np.generic():
            return _plain(value.item())
        case float() if not math.isfinite(value):
            return None if math.isnan(value) else str(value)
        case None | str() | bool() | int() | float():
            return value
    return str(value)
