"""SDV's base class, whose transformers are those that the core runs on."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

from sdv_threea.domain import Category, Column, Domain
from sdv_threea.encoding.edges import released_edges
from sdv_threea.encoding.lattice import is_lattice
from sdv_threea.encoding.transformers import CategoryEncoder, NumberEncoder, Transformer
from sdv_threea.synthesizers.constrained import ConstrainedSynthesizer
from sdv_threea.synthesizers.dates import DateEncoder
from sdv_threea.synthesizers.schema import Description


class TransformedSynthesizer(ConstrainedSynthesizer):
    """The transformers of a synthesizer for one table.

    Formal guarantees:
        * transformers are fitted to what is public or released, and never to private rows

    A subclass describes its columns (``_columns``, ``_describe``, ``_dtypes``).
    """

    #: Those of the modelled columns: with what is public, or with what was released by a fit.
    _transformers: Mapping[str, Any] = {}

    def get_transformers(self, table_name: str | None = None) -> dict[str, Any]:
        """Return the transformers of RDT's between cells and what is released or made up.

        After fitting, those of modelled columns are fitted: what rows are drawn by, with
        all that was released of their columns: publishable, as is the synthesizer. Where
        constraints have replaced columns by derived ones, they are those of the derived columns.
        Before fitting, they hold what is public.

        Args:
            table_name: The name of the table, which is the only one.

        Returns:
            Transformers by column, in the order of the metadata; then those of derived columns.

        Raises:
            ValueError: If none are assigned yet, or there is no such table.
        """
        found = super().get_transformers(table_name)
        gone = set(self._describe().names) - set(self._transformers)
        kept = {name: self._transformers.get(name, each) for name, each in found.items()}
        return {
            **{name: each for name, each in kept.items() if name not in gone},
            **self._transformers,
        }

    def _assign_transformers(self) -> None:
        """Assign transformers with what is public of the columns, before a fit."""
        self._transformers = {
            column.name: _assign(column, self._columns.get(column.name, {}))
            for column in self._derive().derived.columns
        }

    def _learn_transformers(self, domain: Domain, released: tuple[Transformer, ...]) -> None:
        """Let the released transformers know how their columns are stored."""
        by_name = {each.name: each for each in released}
        self._transformers = {
            name: _fit(by_name[name], self._columns.get(name, {}), self._dtypes.get(name))
            for name in domain.names
        }


def _assign(column: Column, description: Description) -> Transformer:
    if isinstance(column, Category):
        return CategoryEncoder(column.values, column.ordered, column.nullable)
    edges = released_edges(column, None, {}) if is_lattice(column) else None
    return _with_format(NumberEncoder(edges, column.step, column.nullable), description)


def _fit(released: Transformer, description: Description, dtype: Any) -> Transformer:
    """Copy a released transformer, which shares its facts, and tell it how its column is stored."""
    name, transformer = released.name, copy(released)
    if isinstance(transformer, NumberEncoder):
        transformer = _with_format(transformer, description)
    return transformer.assign(name, dtype)


def _with_format(transformer: NumberEncoder, description: Description) -> NumberEncoder:
    """Let dates be read and written as the user stores them."""
    if description.get('sdtype') != 'datetime':
        return transformer
    facts = transformer.edges, transformer.step, transformer.nullable
    return DateEncoder(*facts, description.get('datetime_format'))
