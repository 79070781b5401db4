"""Databases that are not in memory, prepared for a fit in place of ``preprocess``."""

from __future__ import annotations

from operator import itemgetter
from secrets import token_bytes
from typing import TYPE_CHECKING, Any

import pandas as pd
from sdv.errors import InvalidDataError

from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.units.membership import Database
from sdv_threea.storage.division import Translate, divide
from sdv_threea.storage.reading import PrivateTable, take_parts
from sdv_threea.storage.relationships import find_broken_references, tell_flawed
from sdv_threea.synthesizers.disclosing import warn_of_refit
from sdv_threea.transforms.pseudonyms import KEY_BYTES

if TYPE_CHECKING:
    from sdv_threea.synthesizers.multi_table_adapter import MultiTableAdapter


class Divided(dict[str, pd.DataFrame]):
    """The public tables, and the headers of the private ones, whose ``rows`` are in groups."""

    rows: Rows[Database]


def divide_tables(synthesizer: MultiTableAdapter, data: dict[str, Any]) -> Divided:
    """Translate tables of which some are not in memory, and group private rows by unit."""
    taken, public = _take_valid(synthesizer, data)
    headers = {name: pd.DataFrame(columns=each.labels) for name, each in taken.items()}
    synthesizer._store_and_convert_original_cols(headers)
    made = synthesizer._table_synthesizers
    if synthesizer._fitted:
        warn_of_refit(synthesizer._num_releases + 1, next(iter(made.values())).settings.guarantee)
    translate, key = {}, token_bytes(KEY_BYTES)
    for name in synthesizer._terms.read_schema().private:
        synthesizer._assign_table_transformers(made[name], name, taken[name].header)
        translate[name] = made[name].preprocessor.make_translation(key)
    divided = Divided({name: public.get(name, each.header) for name, each in taken.items()})
    divided.rows = _divide(synthesizer, taken, public, translate)
    return divided


def validate_parts(synthesizer: MultiTableAdapter, data: dict[str, Any]) -> None:
    """Check tables of which some are not in memory, part by part; no modelled column is kept."""
    taken, public = _take_valid(synthesizer, data)
    _divide(synthesizer, taken, public, dict.fromkeys(taken, itemgetter([])))


def _take_valid(
    synthesizer: MultiTableAdapter, data: dict[str, Any]
) -> tuple[dict[str, PrivateTable], dict[str, pd.DataFrame]]:
    """Check tables except for private keys; return all tables, and the public ones in memory."""
    metadata, schema = synthesizer._original_metadata, synthesizer._terms.read_schema()
    taken = take_parts(data, metadata)
    public = {name: taken[name].load() for name in schema.public}
    problems = find_problems(synthesizer, {name: public.get(name, data[name]) for name in taken})
    if problems := problems or find_broken_references(public, metadata, schema):
        raise InvalidDataError(problems)
    return taken, public


def _divide(
    synthesizer: MultiTableAdapter,
    taken: dict[str, PrivateTable],
    public: dict[str, pd.DataFrame],
    translate: dict[str, Translate],
) -> Rows[Database]:
    """Divide valid tables into groups of whole units, and check their keys."""
    terms, made = synthesizer._terms, synthesizer._table_synthesizers
    private = {name: each for name, each in taken.items() if name not in public}
    schema = terms.read_schema({name: made[name].preprocessor.storage.declared for name in private})
    rows, flawed = divide(private, translate, schema, terms.list_keys(), public)
    metadata = synthesizer._original_metadata
    if problems := tell_flawed(metadata, schema, flawed.broken, flawed.flaws):
        raise InvalidDataError(problems)
    return rows


def find_problems(synthesizer: MultiTableAdapter, tables: dict[str, Any]) -> list[str]:
    """List where tables do not match the metadata, a sentence each, without a value."""
    problems = []
    for name, table in tables.items():
        try:
            synthesizer._table_synthesizers[name].validate({name: table})
        except InvalidDataError as error:
            problems += [f"Table '{name}': {problem}" for problem in error.errors]
    return problems
