"""SDV's base class, whose transformers are those that the core runs on."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy, deepcopy
from dataclasses import replace
from typing import Any

from sdv.errors import SynthesizerInputError

from sdv_threea.constraints.derivations import Derivations
from sdv_threea.describe.lattice import is_lattice
from sdv_threea.domain import Category, Column, Domain
from sdv_threea.encoding.edges import known_edges
from sdv_threea.encoding.encoder import Encoder
from sdv_threea.encoding.transformers import CategoryEncoder, NumberEncoder, Transformer
from sdv_threea.storage.metadata import ColumnMetadata
from sdv_threea.synthesizers.constrained import ConstrainedSynthesizer
from sdv_threea.transforms.allowed import check_local, state_values
from sdv_threea.transforms.dates import DateEncoder
from sdv_threea.transforms.generators import refuse_learning
from sdv_threea.transforms.outer import list_steps, make_step
from sdv_threea.transforms.steps import Step


class TransformedSynthesizer(ConstrainedSynthesizer):
    """The transformers of a synthesizer for one table.

    Formal guarantees:
        * transformers are fitted to what is public or released, and never to private rows

    A subclass describes its columns (``_columns``, ``_describe``, ``_dtypes``).
    """

    #: Those of the modelled columns: with what is public, or with what was released by a fit.
    _transformers: Mapping[str, Any] = {}

    #: Those that the user has chosen to come first, by column; they are not fitted.
    _outer: Mapping[str, Any] = {}

    def get_transformers(self, table_name: str | None = None) -> dict[str, Any]:
        """Return the transformers of RDT's between cells and what is released or made up.

        After fitting, those of modelled columns hold what was released, and rows are drawn by it.
        They may be published. Where constraints have replaced columns by derived ones, they are
        those of the derived columns. Before fitting, they hold what is public.

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

    def update_transformers(
        self, column_name_to_transformer: Mapping[str, Any], table_name: str | None = None
    ) -> None:
        """Choose transformers of RDT's.

        For a column that is made up, a generator. For a modelled one, a transformer that acts
        record by record and comes before the codes: it is fitted to what is public of the column.
        Which those are, and why others are refused, is told in
        :mod:`sdv_threea.transforms.allowed`.

        Args:
            column_name_to_transformer: The transformers by column, not fitted; ``None`` for none.
            table_name: The name of the table, which is the only one.

        Raises:
            SynthesizerInputError: If a transformer would learn from private rows, or cannot be had.
            NotFittedError: If none are assigned yet.
        """
        super().update_transformers(column_name_to_transformer, table_name)
        chosen = self._data_processor._hyper_transformer.field_transformers
        modelled = self._describe().names
        outer = {**self._outer, **column_name_to_transformer}
        self._outer = {
            name: outer[name]
            for name in modelled
            if outer.get(name) is not None and not isinstance(outer[name], Encoder)
        }
        # SDV would run them on what is sampled.
        chosen.update({name: None for name in modelled if name in chosen})
        before = self._transformers
        self._assign_transformers()
        # Of a fitted synthesizer the others are still what rows are drawn by.
        self._transformers = {
            name: each if name in column_name_to_transformer else before.get(name, each)
            for name, each in self._transformers.items()
        }

    def _validate_transformers(self, column_name_to_transformer: Mapping[str, Any]) -> None:
        super()._validate_transformers(column_name_to_transformer)
        domain = self._describe()
        others = dict(column_name_to_transformer)
        for name in domain.names:
            transformer = others.pop(name, None)
            if transformer is not None:
                self._check_outer(domain[name], transformer)
        refuse_learning(others)

    def _warn_unable_to_enforce_rounding(self, column_name_to_transformer: Any) -> None:
        """Warn of nothing: samples are rounded, whatever the transformer."""

    def _check_outer(self, column: Column, transformer: Any) -> None:
        """Refuse a transformer that a modelled column cannot have."""
        name = column.name
        if isinstance(transformer, Encoder):
            if repr(transformer) != repr(self._transformers.get(name)):
                raise SynthesizerInputError(
                    f"The codes of the column '{name}' follow from what is public and released: "
                    'state ranges and values in the metadata, and set public_metadata=True.'
                )
            return
        check_local(name, transformer)
        if self._columns[name]['sdtype'] not in transformer.get_supported_sdtypes():
            return  # RDT refuses it
        steps = super()._derive().steps
        if any(name in (*step.replaced, *getattr(step, 'names', ())) for step in steps):
            raise SynthesizerInputError(
                f"The column '{name}' is part of a constraint, which replaces its values: it "
                'cannot have a transformer too.'
            )
        self._make_step(column, transformer)

    def _make_step(self, column: Column, transformer: Any) -> Step:
        is_date = self._columns[column.name]['sdtype'] == 'datetime'
        if isinstance(column, Category):
            column = state_values(column, transformer, self.target_column)
        return make_step(column, transformer, is_date=is_date)

    def _derive(self) -> Derivations:
        derivations = super()._derive()
        domain = derivations.domain
        steps = (self._make_step(domain[name], each) for name, each in self._outer.items())
        return replace(derivations, steps=(*derivations.steps, *steps))

    def _assign_transformers(self) -> None:
        """Assign transformers with what is public of the columns, before a fit."""
        assigned = {
            column.name: _assign(column, self._columns.get(column.name, {}))
            for column in self._derive().derived.columns
        }
        self._transformers = {**assigned, **self._outer}

    def _learn_transformers(self, domain: Domain, released: tuple[Transformer, ...]) -> None:
        """Let the released transformers know how their columns are stored."""
        by_name = {each.name: each for each in released}
        steps = list_steps(self._derivations)
        stored = [name for name in domain.names if name not in steps]
        fitted = {
            name: _fit(by_name[name], self._columns.get(name, {}), self._dtypes.get(name))
            for name in stored
        }
        chained = {name: _chain(step.transformer, by_name[name]) for name, step in steps.items()}
        self._transformers = {name: (fitted | chained)[name] for name in domain.names}


def _assign(column: Column, description: ColumnMetadata) -> Transformer:
    if isinstance(column, Category):
        return CategoryEncoder(column.values, column.ordered, column.nullable)
    edges = known_edges(column) if is_lattice(column) else None
    return _with_format(NumberEncoder(edges, column.step, column.nullable), description)


def _fit(released: Transformer, description: ColumnMetadata, dtype: Any) -> Transformer:
    """Copy a released transformer, which shares its facts, and tell it how its column is stored."""
    name, transformer = released.name, copy(released)
    if isinstance(transformer, NumberEncoder):
        transformer = _with_format(transformer, description)
    return transformer.assign(name, dtype)


def _chain(outer: Any, released: Transformer) -> Any:
    """Copy a fitted outer transformer, and name the one that is next as RDT does."""
    first, after = deepcopy(outer), copy(released).assign(released.name)
    (output,) = first.output_properties
    first.output_properties = {output: {'sdtype': 'float', 'next_transformer': after}}
    return first


def _with_format(transformer: NumberEncoder, description: ColumnMetadata) -> NumberEncoder:
    """Let dates be read and written as the user stores them."""
    if description.get('sdtype') != 'datetime':
        return transformer
    facts = transformer.edges, transformer.step, transformer.nullable
    return DateEncoder(*facts, description.get('datetime_format'))
