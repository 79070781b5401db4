"""SDV's base class, whose conditions are met by the released model rather than by rejection."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sdv.single_table.base import FIXED_RNG_SEED

from sdv_threea.conditions.explanations import explain
from sdv_threea.conditions.reading import (
    Conditions,
    keep_matching,
    read_conditions,
    write_generated,
)
from sdv_threea.constraints.adoption import drop_broken
from sdv_threea.domain import Domain
from sdv_threea.storage.metadata import Storage
from sdv_threea.synthesizers.transformed import TransformedSynthesizer

#: Rows drawn for each one that constraints have rejected, as in SDV.
ROWS_PER_RETRY = 10


class ConditionedSynthesizer(TransformedSynthesizer):
    """The conditional sampling of a synthesizer for one table.

    Conditions on columns of the model are met by drawing from it given the condition, however
    improbable it is; all conditions of a call are met together. What no row can meet is said before
    anything is drawn, with what could be asked for: an error if it is all that was asked for, and a
    warning if other rows remain, which are sampled. Constraints that are not built into the
    columns, and conditions on numbers of which only a difference was released, are met by
    rejection.

    Formal guarantees:
        * conditions are met by post-processing of what was released: they cost nothing
        * complaints show what was released, and never a value of a condition, which may be private

    A subclass has a model (``_model``), describes its columns (``_columns``) and how they are
    stored (``_dtypes``), and draws rows (``_sample``).
    """

    _dtypes: dict[str, Any]
    _model: Any

    def _validate_conditions(self, conditions: list[pd.DataFrame]) -> None:
        super()._validate_conditions(conditions)
        self._refuse_impossible(conditions)

    def _validate_known_columns(self, conditions: pd.DataFrame) -> None:
        self._validate_fit_before_sample()
        super()._validate_known_columns(conditions)
        self._refuse_impossible([conditions])

    def _refuse_impossible(self, frames: list[pd.DataFrame]) -> None:
        """Raise an error if nothing of what was asked for can be sampled."""
        asked = [self._read_conditions(frame) for frame in frames if len(frame)]
        if asked and not any(each.is_possible.any() for each in asked):
            problems = '; '.join(self._explain(each) for each in asked)
            raise ValueError(
                f'Unable to sample any rows for the given conditions: {problems}. Ask for what was '
                'released.'
            )

    def _sample_with_conditions(
        self,
        conditions: pd.DataFrame,
        max_tries_per_batch: int,
        batch_size: int | None,
        progress_bar: Any = None,
        output_file_path: str | None = None,
    ) -> pd.DataFrame:
        asked = self._drop_impossible(self._read_conditions(conditions))
        total = len(asked.known)
        parts = []
        for start in range(0, total, batch_size or max(total, 1)):
            batch = asked.take(np.arange(start, min(start + (batch_size or total), total)))
            parts.append(self._meet(batch, max_tries_per_batch))
            if output_file_path:
                is_new = not os.path.exists(output_file_path)
                parts[-1].to_csv(output_file_path, mode='a', header=is_new, index=False)
            if progress_bar is not None:
                progress_bar.update(len(parts[-1]))
        return pd.concat(parts).sort_index(kind='stable') if parts else pd.DataFrame()

    def _drop_impossible(self, asked: Conditions) -> Conditions:
        if asked.is_possible.all():
            return asked
        warnings.warn(
            'Only some of the conditions can be met, and rows are sampled for those: '
            f'{self._explain(asked)}. Ask for what was released.',
            stacklevel=2,
        )
        return asked.take(asked.is_possible)

    def _meet(self, asked: Conditions, max_tries: int) -> pd.DataFrame:
        """Sample a row for each row of conditions, in their order; fewer, if tries run out."""
        if self._model and not self._random_state_set:
            self._set_random_state(FIXED_RNG_SEED)
        missing = np.arange(len(asked.known))
        found = []
        for attempt in range(max_tries):
            places = np.repeat(missing, ROWS_PER_RETRY if attempt else 1)
            rows = self._draw(asked.take(places))
            rows = rows.set_axis(places[rows.index])
            found.append(rows[~rows.index.duplicated()])
            missing = np.setdiff1d(missing, rows.index)
            if not len(missing):
                break
        met = pd.concat(found).sort_index()
        return met.set_axis(asked.known.index[met.index])

    def _draw(self, asked: Conditions) -> pd.DataFrame:
        """Draw a row for each row of conditions, and drop those that do not meet all there is."""
        total = len(asked.known)
        raw = self._sample(total, asked) if self._model else pd.DataFrame(index=range(total))
        drawn = write_generated(self._data_processor.reverse_transform(raw), asked)
        rows = self.reverse_transform_constraints(drawn)
        met = keep_matching(rows, drawn, asked, self._get_storage())
        # Values that were written may break what the drawn ones did not.
        return drop_broken(met, self._reject_sampling_constraints)

    def _read_conditions(self, known: pd.DataFrame) -> Conditions:
        if not self._model:
            nothing = pd.DataFrame(index=range(len(known)))
            return Conditions(known, nothing, nothing, nothing, np.ones(len(known), dtype=np.bool_))
        return read_conditions(known, self._model, self._get_storage(), self._derivations)

    def _explain(self, asked: Conditions) -> str:
        return explain(asked, self._model, self._get_storage())

    def _get_storage(self) -> Storage:
        domain = self._derivations.restore(self._model.domain) if self._model else Domain(())
        return Storage(self._columns, self._dtypes, domain)
