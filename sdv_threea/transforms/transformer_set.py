"""The transformers of the modelled columns of one table."""

from collections.abc import Collection, Iterable, Mapping
from copy import copy, deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd
from numpy.typing import NDArray
from sdv.errors import SynthesizerInputError

from sdv_threea.constraints.derivations import Derivations
from sdv_threea.describe.granularity import Heaps
from sdv_threea.describe.lattice import is_lattice
from sdv_threea.domain import TIME_STEPS, Category, Column, Domain
from sdv_threea.encoding.edges import known_edges
from sdv_threea.encoding.encoders import (
    CategoryEncoder,
    Encoder,
    NumberEncoder,
    Transformer,
    cast,
)
from sdv_threea.rows.intake.columns import find_moments
from sdv_threea.rows.intake.dates import to_seconds
from sdv_threea.storage.metadata import ColumnMetadata
from sdv_threea.storage.writing import from_seconds
from sdv_threea.transforms.allowed import check_local, refuse_learning, state_values
from sdv_threea.transforms.steps import Step, list_steps, make_step
from sdv_threea.transforms.texts import NumberTexts


class DateEncoder(NumberEncoder):
    """A transformer of dates: dates or texts outside, codes inside.

    The arguments are those of :class:`NumberEncoder`, in seconds since 2000, and the
    ``datetime_format`` of texts: ``None`` reads each text by itself, and writes ISO 8601.
    """

    INPUT_SDTYPE = 'datetime'
    SUPPORTED_SDTYPES = ['datetime']
    FACTS = (*NumberEncoder.FACTS, 'datetime_format')
    STEPS = TIME_STEPS

    def __init__(
        self,
        edges: NDArray[Any] | None = None,
        step: float | None = None,
        nullable: bool | None = None,
        heaps: Heaps | None = None,
        datetime_format: str | None = None,
    ) -> None:
        super().__init__(edges, step, nullable, heaps)
        self.datetime_format = datetime_format

    def _read(self, column: pd.Series) -> pd.Series:
        return pd.Series(to_seconds(find_moments(column, self.datetime_format)), name=column.name)

    def _write(self, values: NDArray[Any]) -> pd.Series:
        dates = from_seconds(values, self._dtype, self.datetime_format, self.step)
        return cast(dates, self._dtype)


@dataclass
class TransformerSet:
    """The transformers of the modelled columns of one table, fitted to public or released facts.

    ``chosen`` are the user's transformers that run before the encoding, not fitted; each modelled
    column has an ``assigned`` one.
    """

    columns: Mapping[str, ColumnMetadata]
    chosen: dict[str, Any] = field(default_factory=dict)
    assigned: dict[str, Any] = field(default_factory=dict)

    def extend(self, derivations: Derivations) -> Derivations:
        """Add the chosen transformers to the derivations of constraints."""
        domain = derivations.domain
        steps = (self._make_step(domain, name, each) for name, each in self.chosen.items())
        return replace(derivations, steps=(*derivations.steps, *steps))

    def check(self, transformers: Mapping[str, Any], derivations: Derivations) -> None:
        """Refuse transformers, by column, that would learn from private rows or cannot be used."""
        known = {*self.columns, *derivations.domain.names}
        if unknown := [name for name in transformers if name not in known]:
            raise SynthesizerInputError(
                f'There are no columns {unknown}: choose from {sorted(known)}.'
            )
        others = dict(transformers)
        for name in derivations.domain.names:
            transformer = others.pop(name, None)
            if transformer is not None:
                self._check_chosen(name, transformer, derivations)
        refuse_learning(others)

    def choose(self, transformers: Mapping[str, Any], modelled: Iterable[str]) -> None:
        """Keep the user's transformers of modelled columns; SDV keeps those of other columns."""
        wanted = {**self.chosen, **transformers}
        self.chosen = {
            name: wanted[name]
            for name in modelled
            if wanted.get(name) is not None and not isinstance(wanted[name], Encoder)
        }

    def assign(self, derived: Domain, changed: Collection[str] | None = None) -> None:
        """Assign transformers with public facts to the ``changed`` columns, by default to all."""
        encoders = {
            column.name: _make_encoder(column, self.columns.get(column.name, {}))
            for column in derived.columns
        }
        # Other columns of a fitted synthesizer keep the transformers with which rows are drawn.
        self.assigned = {
            name: each if changed is None or name in changed else self.assigned.get(name, each)
            for name, each in {**encoders, **self.chosen}.items()
        }

    def learn(
        self,
        domain: Domain,
        released: tuple[Transformer, ...],
        derivations: Derivations,
        dtypes: Mapping[str, Any],
    ) -> None:
        """Use released transformers, and set the dtypes and formats of their columns."""
        by_name = {each.name: each for each in released}
        steps = list_steps(derivations)
        stored = [name for name in domain.names if name not in steps]
        fitted = {
            name: _store(by_name[name], self.columns.get(name, {}), dtypes.get(name))
            for name in stored
        }
        chained = {name: _chain(step.transformer, by_name[name]) for name, step in steps.items()}
        self.assigned = {name: (fitted | chained)[name] for name in domain.names}

    def complete(self, found: Mapping[str, Any], modelled: Iterable[str]) -> dict[str, Any]:
        """Return the transformers of all columns: those ``found`` by SDV, then derived columns'."""
        gone = set(modelled) - set(self.assigned)
        kept = {name: each for name, each in found.items() if name not in gone}
        return {name: self.assigned.get(name, each) for name, each in kept.items()} | self.assigned

    def _check_chosen(self, name: str, transformer: Any, derivations: Derivations) -> None:
        if isinstance(transformer, Encoder):
            if repr(transformer) != repr(self.assigned.get(name)):
                raise SynthesizerInputError(
                    f"The codes of the column '{name}' follow from public and released facts: "
                    'state ranges and values in the metadata, and set public_metadata=True.'
                )
            return
        check_local(name, transformer)
        if self.columns[name]['sdtype'] not in transformer.get_supported_sdtypes():
            return  # RDT refuses it later
        steps = derivations.steps
        if any(name in (*step.replaced, *getattr(step, 'names', ())) for step in steps):
            raise SynthesizerInputError(
                f"The column '{name}' is part of a constraint, which replaces its values: it "
                'cannot have a transformer too.'
            )
        self._make_step(derivations.domain, name, transformer)

    def _make_step(self, domain: Domain, name: str, transformer: Any) -> Step:
        column = domain[name]
        if isinstance(column, Category) and not isinstance(transformer, NumberTexts):
            column = state_values(column, transformer, domain.target)
        return make_step(column, transformer, is_date=self.columns[name]['sdtype'] == 'datetime')


def _make_encoder(column: Column, description: ColumnMetadata) -> Transformer:
    if isinstance(column, Category):
        return CategoryEncoder(column.values, column.ordered, column.nullable)
    edges = known_edges(column) if is_lattice(column) else None
    heaps = None if column.step is None else ()
    return _with_format(NumberEncoder(edges, column.step, column.nullable, heaps), description)


def _store(released: Transformer, description: ColumnMetadata, dtype: Any) -> Transformer:
    """Copy a released transformer, which shares its facts, and set its dtype and format."""
    name, transformer = released.name, copy(released)
    if isinstance(transformer, NumberEncoder):
        transformer = _with_format(transformer, description)
    return transformer.assign(name, dtype)


def _chain(outer: Any, released: Transformer) -> Any:
    """Copy a fitted outer transformer, and name its next transformer as RDT does."""
    first, after = deepcopy(outer), copy(released).assign(released.name)
    (output,) = first.output_properties
    first.output_properties = {output: {'sdtype': 'float', 'next_transformer': after}}
    return first


def _with_format(transformer: NumberEncoder, description: ColumnMetadata) -> NumberEncoder:
    if description.get('sdtype') != 'datetime':
        return transformer
    return DateEncoder(
        transformer.edges,
        transformer.step,
        transformer.nullable,
        transformer.heaps,
        description.get('datetime_format'),
    )
