"""SDV's base class, whose constraints learn from released and synthetic rows alone."""

from __future__ import annotations

from typing import Any

import pandas as pd
from sdv.cag._utils import _validate_constraints_single_table
from sdv.metadata import Metadata

from sdv_threea.constraints.adoption import (
    adopt,
    derive_columns,
    keep_valid,
    learn_from_synthetic,
    modify_metadata,
    teach,
)
from sdv_threea.constraints.derivations import Derivations
from sdv_threea.domain import Domain
from sdv_threea.synthesizers.arguments import check_constraints, check_name
from sdv_threea.synthesizers.sampled import SampledSynthesizer


class ConstrainedSynthesizer(SampledSynthesizer):
    """The constraints of a synthesizer for one table.

    What is modelled are the columns that constraints derive from those of the user.

    Formal guarantees:
        * constraints are copied, and never fitted on private rows
        * derived columns are functions of the same record, and of what is public

    A subclass describes its columns (``_columns``, ``_describe``), resets what SDV has prepared
    (``_reset_processing``) and makes a proxy table (``_make_proxy``).
    """

    #: SDV would run these on private rows, so there are none.
    _chained_constraints: list[Any]

    #: All constraints, in the order in which they were added.
    _reject_sampling_constraints: list[Any]

    #: The derivations that the released model was fitted with.
    _derivations = Derivations(Domain(()))

    def add_constraints(self, constraints: list[Any]) -> None:
        """Add constraints. They hold in what is sampled after the next fit.

        They are copied: ``get_constraints`` returns what became of them. How each kind is met is
        told in :mod:`sdv_threea.constraints.adoption`.

        Args:
            constraints: SDV's constraints, and the user's own; what they say is public.

        Raises:
            ConstraintNotMetError: If the metadata does not fit a constraint.
            SynthesizerInputError: If a constraint is not for one table, or cannot be met.
        """
        check_constraints(constraints)
        checked = _validate_constraints_single_table(constraints, self._fitted)
        added = [adopt(constraint, self._original_metadata) for constraint in checked]
        self._reset_processing()
        nobody = self._make_proxy().head(0)
        for constraint in added:
            constraint.fit(nobody, self._original_metadata)
        self._reject_sampling_constraints += added

    def get_metadata(self, version: str = 'original') -> Metadata:
        """Return the public metadata.

        Args:
            version: ``'original'``, or ``'modified'`` for the columns that constraints make of
                them, which are those that ``preprocess`` returns.

        Returns:
            A copy.

        Raises:
            ValueError: If there is no such version.
        """
        check_name(version=version)
        metadata = super().get_metadata(version)
        return modify_metadata(metadata, self._derive()) if version == 'modified' else metadata

    def reverse_transform_constraints(self, sampled: pd.DataFrame) -> pd.DataFrame:
        """Repair or drop sampled rows that break a constraint."""
        return keep_valid(sampled, self._reject_sampling_constraints)

    def _derive(self) -> Derivations:
        return derive_columns(self._describe(), self._columns, self._reject_sampling_constraints)

    def _teach_constraints(self, domain: Domain, proxy: pd.DataFrame) -> None:
        """Let constraints learn from what was released: the derived domain, and a proxy table."""
        constraints = self._reject_sampling_constraints
        teach(constraints, self._derivations, domain, proxy, self._original_metadata)

    def _teach_own_constraints(self) -> None:
        constraints = self._reject_sampling_constraints
        learn_from_synthetic(constraints, self._imagine, self._original_metadata)

    def _imagine(self, num_rows: int) -> pd.DataFrame:
        """Draw synthetic rows without a trace: the next sample is that of a fresh fit."""
        rows, _ = self._sample_rows(num_rows)
        self.reset_sampling()
        return rows

    def _validate_transform_constraints(
        self, table_data: pd.DataFrame, enforce_constraint_fitting: bool = False
    ) -> pd.DataFrame:
        return table_data
