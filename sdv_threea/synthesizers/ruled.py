"""Rules between tables, as methods of the synthesizer of several tables."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sdv.cag._errors import ConstraintNotMetError

from sdv_threea.constraints.between import BetweenTables
from sdv_threea.constraints.linked import Linked
from sdv_threea.constraints.moves import Move
from sdv_threea.constraints.planning import keep_rules, list_computed, list_numbered, plan
from sdv_threea.storage.database import connect
from sdv_threea.storage.database_terms import DatabaseTerms
from sdv_threea.synthesizers.arguments import COERCE
from sdv_threea.synthesizers.statement import list_public_facts
from sdv_threea.units.schema import Link


class Ruled:
    """A synthesizer of several tables whose samples keep rules between them.

    Goes before SDV's base class.

    Formal guarantees:
        * a rule between tables reads sampled rows and public facts, and no private row
    """

    invalid_cells: str
    public_metadata: bool
    _model: Any
    _rules: tuple[BetweenTables, ...] = ()
    _single_table_constraints: list[Any]
    _table_synthesizers: Mapping[str, Any]
    _terms: DatabaseTerms

    def validate_constraints(self, synthetic_data: dict[str, pd.DataFrame]) -> None:
        """Check synthetic tables against all constraints.

        Args:
            synthetic_data: All tables by name.

        Raises:
            ConstraintNotMetError: If rows break a constraint.
        """
        super().validate_constraints(synthetic_data)  # type: ignore[misc]
        for rule in self._rules:
            for name, valid in rule.is_valid(synthetic_data, self._terms.metadata).items():
                if not valid.all():
                    raise ConstraintNotMetError(f"Rows of the table '{name}' break {rule!r}.")

    def _plan_rules(
        self, rules: tuple[BetweenTables, ...], constraints: list[Any]
    ) -> tuple[Move, ...]:
        public = self._terms.read_schema().public
        return plan(rules, constraints, self._terms.metadata, public)

    def _adopt_rules(self, rules: tuple[BetweenTables, ...] = ()) -> None:
        """Add copies of rules, and leave the columns that they compute out of the next fit."""
        self._rules += tuple(map(deepcopy, rules))
        moves = self._plan_rules(self._rules, self._single_table_constraints)
        for name, synthesizer in self._table_synthesizers.items():
            own = synthesizer.preprocessor.constraints
            own.written, own.computed = list_computed(moves, name)

    def _connect(
        self,
        tables: Mapping[str, pd.DataFrame],
        parents: Mapping[Link, NDArray[np.int64]],
        dtypes: Mapping[str, Mapping[str, Any]],
    ) -> dict[str, pd.DataFrame]:
        """Return sampled tables with foreign keys, in which the rules hold."""
        metadata = self._terms.metadata
        moves = self._plan_rules(self._rules, self._single_table_constraints)
        own = self._model.schema, metadata, dtypes, list_numbered(moves, metadata)
        linked = Linked(connect(tables, parents, *own), metadata, dtypes)
        keep_rules(moves, linked)
        return linked.tables

    def _list_public(self) -> tuple[str, ...]:
        """List the facts taken as known to everybody, in words."""
        facts = list_public_facts(
            public_metadata=self.public_metadata,
            constrained=bool(self._single_table_constraints),
            bounded=self._terms.is_bounded,
            coerced=self.invalid_cells == COERCE,
        )
        rules = ', '.join(map(repr, self._rules))
        return (
            (*facts, f'the rules between tables, which samples keep: {rules}') if rules else facts
        )

    def _get_all_constraints_list(self) -> list[Any]:
        listed: list[Any] = super()._get_all_constraints_list()  # type: ignore[misc]
        return [*listed, *map(deepcopy, self._rules)]
