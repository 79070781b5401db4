"""The synthesizer of sequences: a database of two tables, sequences and their rows in order."""

from __future__ import annotations

import inspect
import os
import pickle
from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from sdv.errors import InvalidDataError, SamplingError
from sdv.metadata import Metadata

from sdv_threea.conditions.translation import draw_rows, read_conditions
from sdv_threea.relational.sizes import Children
from sdv_threea.storage.files import get_version
from sdv_threea.storage.metadata import keep_public, list_harmless
from sdv_threea.storage.reading import take_table
from sdv_threea.storage.sequences import read_sequences
from sdv_threea.storage.table_storage import compare_columns
from sdv_threea.synthesizers.arguments import (
    check_constraints,
    check_counts,
    check_known_columns,
    check_metadata,
    read_pseudonyms,
)
from sdv_threea.synthesizers.database_sampling import draw_tables, open_generator
from sdv_threea.synthesizers.disclosing import check_fitted
from sdv_threea.synthesizers.fixed import fix, with_fixed_arguments
from sdv_threea.synthesizers.multi_table import ClustMixMultiTableSynthesizer
from sdv_threea.synthesizers.released import Released
from sdv_threea.synthesizers.ruled import place_constraint
from sdv_threea.synthesizers.statement import DatabaseStatement, list_public_facts
from sdv_threea.synthesizers.turns import forget, in_turn

if TYPE_CHECKING:
    from sdv_threea.synthesizers.check import Check

#: The public facts about sequences, in words.
ORDER = 'the columns that do not vary in a sequence, and that the index never falls'

#: A sequence as the unit of privacy, in words.
UNIT = "one sequence: all rows with one '{}'"


class _Pickled:
    """Base class whose ``save`` pickles the whole object, as SDV's classes do."""

    def save(self, filepath: str | os.PathLike[str]) -> None:
        Path(filepath).write_bytes(pickle.dumps(self))


@with_fixed_arguments
class ClustMixSequentialSynthesizer(Released, _Pickled):
    """Synthesizer of sequences with differential privacy for a whole sequence.

    A sequence is all rows with one ``sequence_key``, such as the vital signs of one patient, in the
    order of the ``sequence_index``, or else of the table. The synthesizer is used like
    ``PARSynthesizer``. Each row is drawn given the row before it, so sampled sequences may have any
    length. Each fit is one private release. Sampling costs no privacy.

    Formal guarantees:
        * removing a sequence changes the distribution of a fitted synthesizer, and of all its
          samples, by at most ``(epsilon, delta)``, however long the sequence is
        * only the stored cells of the sequence key decide which rows form a sequence

    Args:
        metadata: SDV's metadata of the one table, with its ``sequence_key`` and, if a column orders
            the rows, its ``sequence_index``.
        enforce_min_max_values: As in :class:`ClustMixSynthesizer`.
        enforce_rounding: As in :class:`ClustMixSynthesizer`.
        locales: Locales of made-up personal information.
        context_columns: The columns that do not vary in a sequence.
        verbose: Whether to show progress.
        epsilon: The privacy budget, from 1e-4 to 1e9: the smaller, the more private. ``math.inf``
            adds no noise and promises nothing.
        delta: The probability with which the promise may fail, from 1e-50 to below 0.01. Choose it
            well below one over the number of sequences.
        max_length: The largest number of rows of a sequence, if public. By default estimated
            privately.
        public_metadata: Whether ranges, values, decimals and nullability in the metadata are
            public. By default they are dropped and estimated privately.
        neighbors: How tables differ by one sequence: ``'add_remove'`` or ``'replace_one'``.
        memory_limit: Gigabytes that a fit or a sample may take, as in :class:`ClustMixSynthesizer`.
        accept: The accepted reasons to stop a fit, as in :class:`ClustMixSynthesizer`.
        ledger: The file of the data set's ledger, as in :class:`ClustMixSynthesizer`.
        pseudonyms: Columns of personal information whose values are counted, as in
            :class:`ClustMixSynthesizer`.

    Raises:
        SynthesizerInputError: If an argument is out of range, there is no sequence key, or a
            context column is not one of the other columns.
    """

    def __init__(
        self,
        metadata: Metadata,
        enforce_min_max_values: bool = True,
        enforce_rounding: bool = True,
        locales: list[str] | str = ['en_US'],
        context_columns: Sequence[str] | None = None,
        verbose: bool = False,
        epsilon: float = 1.0,
        delta: float = 1e-6,
        max_length: int | None = None,
        public_metadata: bool = False,
        neighbors: str = 'add_remove',
        memory_limit: float | None = None,
        accept: Collection[str] | str = (),
        ledger: str | os.PathLike[str] | None = None,
        pseudonyms: Any = None,
    ) -> None:
        check_metadata(metadata, sequential=True)
        self.metadata = keep_public(metadata, public_metadata=public_metadata)
        self._sequences = read_sequences(self.metadata, context_columns or [])
        named = _read_pseudonyms(pseudonyms, self.metadata)
        tables = self._sequences.parent, self._sequences.table
        self._database = ClustMixMultiTableSynthesizer(
            self._sequences.describe(),
            locales,
            epsilon=epsilon,
            delta=delta,
            privacy_unit=tables[0],
            min_children=1,
            max_children=max_length,
            public_metadata=True,  # private facts were removed above
            neighbors=neighbors,
            verbose=verbose,
            memory_limit=memory_limit,
            accept=accept,
            ledger=ledger,
        )
        self._database._harmless = dict.fromkeys(tables, *list_harmless(metadata).values())
        self._database.protected = UNIT.format(self._sequences.key)
        for name in tables:
            own: dict[str, Any] = {'enforce_min_max_values': enforce_min_max_values}
            own['enforce_rounding'] = enforce_rounding
            columns = named.keys() & self._database.metadata.tables[name].columns
            own['pseudonyms'] = {each: named[each] for each in sorted(columns)}
            self._database.set_table_parameters(name, own)
        self._labels: dict[str, Any] = {}
        self._constraints: tuple[Any, ...] = ()
        self._made_with = get_version()
        self.enforce_min_max_values = enforce_min_max_values
        self.enforce_rounding = enforce_rounding
        self.locales, self.context_columns = locales, context_columns
        self.epsilon, self.delta = self._database.epsilon, self._database.delta
        self.max_length, self.public_metadata = max_length, public_metadata
        self.neighbors, self.verbose, self.memory_limit = neighbors, verbose, memory_limit
        self.accept, self.ledger = self._database.accept, self._database.ledger
        self.pseudonyms = pseudonyms
        fix(self)

    def check(self) -> Check:
        """Forecast how each column will be released, and list reasons to stop a fit; reads no row.

        The columns are those of two tables, the sequences and their rows: see
        :meth:`ClustMixSynthesizer.check`.
        """
        return self._database.check()

    @in_turn
    def add_constraints(self, constraints: list[Any]) -> None:
        """Add constraints on the columns of a row, or on those of a sequence; samples obey them.

        Args:
            constraints: SDV's constraints, each either on columns that vary in a sequence or on
                columns that do not, and those of :mod:`sdv_threea.constraints`; all are public.
                Rules write columns as ``table.column``, and have the sequence key as the parent
                table.

        Raises:
            SynthesizerInputError: If a constraint is programmed, or does not fit the metadata or
                another constraint.
        """
        check_constraints(constraints)
        placed = [place_constraint(each, self._sequences) for each in constraints]
        self._database.add_constraints(placed)
        self._constraints += tuple(map(deepcopy, constraints))

    def get_constraints(self) -> list[Any]:
        """Return copies of the constraints."""
        return list(map(deepcopy, self._constraints))

    @in_turn
    def fit(self, data: dict[str, Any]) -> None:
        """Release the sequences. Fitting again is another release, and the costs add up.

        After an error or an interrupt the synthesizer is unfitted, as before its first fit. A
        failed fit still counts as a release if it had begun to read the private rows.

        Args:
            data: A dictionary of the private table by name: a pandas or Dask DataFrame, or the path
                of Parquet files, read as those of :class:`ClustMixMultiTableSynthesizer`.

        Raises:
            InvalidDataTypeError: If ``data`` is not one table by name.
            InvalidDataError: If the table does not match the metadata, a key or an index is
                missing, or a context column varies within a sequence.
            MemoryError: If the fit would exceed the memory limit.
        """
        self._database.memory_limit, self._database.verbose = self.memory_limit, self.verbose
        forget(self._database)  # also if an error comes before the fit of the database
        self._database.fit(self._split(data))

    def validate(self, data: dict[str, Any]) -> None:
        """Check the private table, with the errors of :meth:`fit`; no error shows a value.

        Args:
            data: A dictionary of the private table by name, as for :meth:`fit`.
        """
        self._database.validate(self._split(data))

    def sample(
        self, num_sequences: int, sequence_length: int | None = None
    ) -> dict[str, pd.DataFrame]:
        """Sample any number of sequences. This costs no privacy.

        Args:
            num_sequences: Number of sequences.
            sequence_length: Rows of each sequence; by default drawn from the released lengths.

        Returns:
            A dictionary of the rows, in order, sequence after sequence, by the name of the table.

        Raises:
            MemoryError: If the rows exceed the memory limit.
            NotFittedError: If the synthesizer is not fitted.
            ValueError: If a number is not a whole number of at least one.
        """
        check_counts(num_sequences=num_sequences)
        return {self._sequences.table: self._draw(num_sequences, sequence_length)}

    sample_sequences = sample

    def sample_sequential_columns(
        self, context_columns: pd.DataFrame, sequence_length: int | None = None
    ) -> dict[str, pd.DataFrame]:
        """Sample a sequence for each row of known context columns. This costs no privacy.

        Args:
            context_columns: The known context columns, a row for each sequence.
            sequence_length: Rows of each sequence; by default drawn from the released lengths.

        Returns:
            A dictionary of the rows by the name of the table, in the order of the context.

        Raises:
            NotFittedError: If the synthesizer is not fitted.
            SamplingError: If there are no context columns.
            ValueError: If a column is not a context column, or has values that were not released.
        """
        check_known_columns(context_columns)
        if not self._sequences.context:
            raise SamplingError('There are no context columns: call sample() instead.')
        if unknown := [each for each in context_columns if each not in self._sequences.context]:
            raise ValueError(
                f'The columns {unknown} are not among the context columns '
                f'{list(self._sequences.context)}.'
            )
        preprocessor = self._database._table_synthesizers[self._sequences.parent].preprocessor
        if ruled := [each for each in context_columns if each in preprocessor.constraints.written]:
            raise ValueError(f'The columns {ruled} follow from others by a rule: leave them out.')
        known = context_columns.reset_index(drop=True)
        rows = self._draw(len(known), sequence_length, known)
        return {self._sequences.table: rows}

    def reset_sampling(self) -> None:
        """Return to the state right after fitting: the same sequences are drawn again."""
        self._database.reset_sampling()

    @property
    def num_releases(self) -> int:
        """Number of fits that read private rows, including fits before this object was copied."""
        return self._database.num_releases

    def get_metadata(self) -> Metadata:
        """Return a copy of the public metadata."""
        return keep_public(self.metadata, public_metadata=True)

    def get_parameters(self) -> dict[str, Any]:
        """Return the arguments of the synthesizer by name, except the metadata."""
        names = inspect.signature(type(self)).parameters
        return {name: getattr(self, name) for name in names if name != 'metadata'}

    def get_privacy_statement(self) -> DatabaseStatement:
        """Return the promise of the last fit, and the cost of each of its releases.

        The statement has two tables: the sequences, and their rows.

        Raises:
            NotFittedError: If the synthesizer is not fitted.
        """
        said, tables = self._database.get_privacy_statement(), self._sequences
        public = list_public_facts(
            public_metadata=self.public_metadata,
            constrained=bool(self._constraints),
            bounded=self.max_length is not None,
            counted=isinstance(self.pseudonyms, Mapping)
            and any(isinstance(known, int) for known in self.pseudonyms.values()),
        )
        protected = dict.fromkeys((tables.parent, tables.table), self._database.protected)
        return replace(said, tables=protected, public=(*public, ORDER))

    def get_losses(self) -> pd.DataFrame:
        """Return which values samples of the last fit lack, by table and column.

        The result is computed from released numbers, so it costs no privacy and may be published.

        Raises:
            NotFittedError: If the synthesizer is not fitted.
        """
        return self._database.get_losses()

    @property
    def _fitted(self) -> bool:  # type: ignore[override]
        return self._database._fitted

    @property
    def _recorded(self) -> Any:  # type: ignore[override]
        return self._database._recorded

    def __getattr__(self, name: str) -> Any:
        """Return SDV's notes about the fit, which :func:`sdv.utils.load_synthesizer` reads."""
        if name.startswith('_fitted_') or name == '_synthesizer_id':
            return getattr(self._database, name)
        raise AttributeError(f'{type(self).__name__!r} object has no attribute {name!r}')

    def _split(self, data: dict[str, Any]) -> dict[str, Any]:
        columns = list(self._sequences.columns)
        taken = take_table(data, self._sequences.table, self._sequences.columns)
        if problems := compare_columns(list(taken.header.columns), columns):
            raise InvalidDataError(problems)
        self._labels = dict(zip(map(str, taken.labels), taken.labels, strict=True))
        return self._sequences.split(taken)

    @in_turn
    def _draw(
        self, num_sequences: int, length: int | None, known: pd.DataFrame | None = None
    ) -> pd.DataFrame:
        check_fitted(self, 'sampling')
        if length is not None:
            check_counts(sequence_length=length)
        database, parent = self._database, self._sequences.parent
        released, children = database._model, None
        if length is not None:
            children = dict.fromkeys(released.children, Children(length, length))
        database.memory_limit = self.memory_limit
        given = {} if known is None else {parent: self._complete(known)}
        scale = num_sequences / released.tables[parent].size
        tables = draw_tables(database, scale, given, children)
        if known is not None:
            values = {name: known[name].array for name in known}
            tables[parent] = tables[parent].assign(**values)
        return self._sequences.join(tables).rename(columns=self._labels)

    def _complete(self, known: pd.DataFrame) -> pd.DataFrame:
        """Draw the other columns of sequences, given their context columns."""
        parent = self._sequences.parent
        released = self._database._model.tables[parent].released
        preprocessor = self._database._table_synthesizers[parent].preprocessor
        storage = preprocessor.describe_storage(released.domain)
        asked = read_conditions(known, released, storage, preprocessor.derivations)
        if not asked.is_possible.all():
            raise ValueError(
                'Some rows of the context have values, or combinations of values, that were not '
                'released: see get_losses().'
            )
        rng = open_generator(self._database)
        return draw_rows(released, asked, preprocessor.derivations, rng)[0]


def _read_pseudonyms(pseudonyms: Any, metadata: Metadata) -> dict[str, Any]:
    read_pseudonyms(pseudonyms, metadata)
    return dict(pseudonyms) if isinstance(pseudonyms, Mapping) else dict.fromkeys(pseudonyms or ())
