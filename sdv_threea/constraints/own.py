"""A constraint that the user programmed, run without learning from private rows."""

from copy import deepcopy
from typing import Any

import numpy as np
import pandas as pd
from sdv.cag import ProgrammableConstraint
from sdv.cag.programmable_constraint import ProgrammableConstraintHarness
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea.warning import warn


class OwnConstraint(ProgrammableConstraintHarness):
    """SDV's harness of a programmed constraint, fitted on synthetic rows.

    Before it is fitted, a constraint that has a ``fit`` calls every row valid.

    Formal guarantees:
        * two methods of the user's code run on private rows: ``validate_input_data`` and, if there
          is no ``fit``, ``is_valid``; they run in a copy that is thrown away
        * a constraint that has a ``fit`` is made again from its parameters, without the facts that
          it has learned elsewhere

    Raises:
        SynthesizerInputError: If the constraint has a ``fit``, and its parameters cannot be read.
    """

    programmable_constraint: Any

    def __init__(self, constraint: ProgrammableConstraint) -> None:
        learns = type(constraint).fit is not ProgrammableConstraint.fit
        super().__init__(_renew(constraint) if learns else deepcopy(constraint))
        self._learns = learns
        self._has_learned = False

    def fit(self, data: pd.DataFrame, metadata: Metadata) -> None:
        """Fit the constraint to synthetic rows, if there are any and it has a ``fit``."""
        self.metadata, self._fitted, self._single_table = metadata, True, True
        self._table_name = str(metadata._get_single_table_name())
        self._has_learned = len(data) > 0
        if not self._learns or not self._has_learned:
            return
        try:
            self.programmable_constraint.fit(data.copy(), metadata)
        except Exception as error:
            name = type(self.programmable_constraint).__name__
            warn(
                f"The constraint '{name}' cannot be fitted on synthetic rows ({error!r}): it is "
                'used as it is.'
            )

    def is_valid(self, data: pd.DataFrame, metadata: Metadata | None = None) -> Any:
        """Return true for rows that the user's code calls valid."""
        if self._learns and not self._has_learned:
            return pd.Series(True, index=data.index)
        return super().is_valid(data, metadata)

    def accepts(self, table: pd.DataFrame) -> bool:
        """Return whether private rows obey the constraint; call it on a copy.

        Rows obey if ``validate_input_data`` accepts them and, unless the constraint has a ``fit``,
        if ``is_valid`` is true for all of them.
        """
        try:
            self.programmable_constraint.validate_input_data(table.copy())
        except Exception:
            return False
        return self._learns or bool(np.all(self.is_valid(table.copy())))

    def repair(self, sampled: pd.DataFrame) -> pd.DataFrame:
        """Replace synthetic rows that break the constraint by their round trip.

        The index has to be unique. Rows whose ``reverse_transform`` fails stay as they are.
        """
        valid = np.asarray(self.is_valid(sampled), dtype=np.bool_)
        broken, own = sampled[~valid], self.programmable_constraint
        if broken.empty:
            return sampled
        try:
            repaired = own.reverse_transform(own.transform(broken.copy()))
            repaired = repaired[list(sampled.columns)].set_axis(broken.index)
            repaired = repaired.astype(sampled.dtypes.to_dict())
        except Exception:
            return sampled
        return pd.concat([sampled[valid], repaired]).loc[sampled.index]


def _renew(constraint: ProgrammableConstraint) -> ProgrammableConstraint:
    try:
        parameters = constraint.get_constraint_dict()['parameters']
        return type(constraint)(**deepcopy(parameters))
    except Exception:
        name = type(constraint).__name__
    raise SynthesizerInputError(
        f"The constraint '{name}' has a 'fit', and may have learned from private rows: it must be "
        'made anew of its parameters. Keep each of them as an attribute of the same name.'
    )
