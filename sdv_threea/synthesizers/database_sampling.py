"""Tables with their references, drawn from the release of a database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sdv_threea.arrays import Bools
from sdv_threea.cost import check_rows
from sdv_threea.domain import Domain, Number
from sdv_threea.encoding.encoders import NumberEncoder, Transformer
from sdv_threea.schema import Link
from sdv_threea.storage.relationships import find_distinct
from sdv_threea.synthesizers.arguments import check_limit, check_scale
from sdv_threea.synthesizers.disclosing import tell_rejected
from sdv_threea.synthesizers.ruled import connect_tables, list_keys
from sdv_threea.synthesizers.sampling import finish_rows, learn_release

if TYPE_CHECKING:
    from sdv_threea.relational.model import TableRelease
    from sdv_threea.relational.sizes import Children


def describe_own(model: TableRelease) -> Domain:
    """Describe the released columns of one table, without its foreign keys."""
    own = model.released.domain.only(model.layout.own)
    return own if model.index is None else replace(own, columns=(*own.columns, model.index))


def encode_index(index: Number) -> Transformer:
    """Return a one-code transformer of the index of ordered rows, which gaps replace."""
    low, high = index.low or 0.0, index.high or 0.0
    edges = np.array([low, np.nextafter(max(low, high), np.inf)])
    return NumberEncoder(edges, index.step, nullable=False, heaps=()).assign(index.name)


def learn_tables(synthesizer: Any) -> None:
    """Give the release of the database to the synthesizers of its tables."""
    for name, model in synthesizer._model.tables.items():
        each = synthesizer._table_synthesizers[name]
        own = replace(model.released, domain=describe_own(model))
        if model.index is not None:
            own = replace(own, transformers=(*own.transformers, encode_index(model.index)))
        learn_release(each.preprocessor, each._data_processor, own)
    synthesizer._table_sizes = {
        **{name: float(len(rows)) for name, rows in synthesizer._public_rows.items()},
        **{name: model.size for name, model in synthesizer._model.tables.items()},
    }


def open_generator(synthesizer: Any) -> np.random.Generator:
    """Return the generator of a database's samples, seeded anew after a fit or a reset."""
    if synthesizer._generator is None:  # seeded as in SDV: samples need no secrecy
        synthesizer._generator = np.random.default_rng(type(synthesizer)._numpy_seed)
    found: np.random.Generator = synthesizer._generator
    return found


def draw_tables(
    synthesizer: Any,
    scale: float,
    known: Mapping[str, pd.DataFrame] = MappingProxyType({}),
    children: Mapping[Link, Children] | None = None,
) -> dict[str, pd.DataFrame]:
    """Draw all tables of a fitted database, in the user's dtypes and formats.

    ``scale`` multiplies the released sizes. ``known`` has rows of root tables, which are not drawn.
    ``children`` bounds the number of rows that refer to one row, in place of the fitted bounds.
    """
    from sdv_threea.relational.database_release import (
        MAX_TRIES,  # late, to keep the import of SDV light
    )

    check_scale(scale)
    check_limit(memory_limit=synthesizer.memory_limit)
    metadata, held = synthesizer._terms.metadata, synthesizer._table_synthesizers
    sizes = {name: scale * size for name, size in synthesizer._table_sizes.items()}
    cells = sum(size * len(metadata.tables[name].columns) for name, size in sizes.items())
    check_rows(sum(sizes.values()), cells, synthesizer.memory_limit)
    model = synthesizer._model

    def accept(table: str, rows: pd.DataFrame) -> Bools:
        own, index = describe_own(model.tables[table]), model.tables[table].index
        if index is not None:  # computed after all rows are drawn; no constraint reads it
            rows = rows.assign(**{index.name: index.low})
        accepted: Bools = held[table].preprocessor.accept(rows, own)
        return accepted

    whole = model if children is None else replace(model, children=children)
    rules = accept if synthesizer._single_table_constraints else None
    distinct = find_distinct(list_keys(synthesizer), model.schema)
    drawn = whole.sample(scale, open_generator(synthesizer), rules, known, distinct)
    finished, dtypes = {}, {}
    for name, one in drawn.items():
        each, own = held[name], describe_own(model.tables[name])
        generate = each._data_processor.reverse_transform
        finished[name] = finish_rows(each.preprocessor, generate, one.rows, own)
        dtypes[name] = each.preprocessor.storage.dtypes
    for name, one in drawn.items():
        adopted = held[name].preprocessor.constraints.adopted
        tell_rejected(len(finished[name]), len(one.rows), MAX_TRIES, adopted, name)
    parents = {link: rows for each in drawn.values() for link, rows in each.parents.items()}
    tables = {**synthesizer._public_rows, **finished}
    return connect_tables(synthesizer, tables, parents, dtypes)
