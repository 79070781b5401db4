"""Metadata in short: a column is its sdtype, or all that is said of it."""

from relationships import relate
from sdv.metadata import Metadata


def spell(columns):
    """The columns of a table as SDV's metadata spells them."""
    return {
        name: {'sdtype': about} if isinstance(about, str) else dict(about)
        for name, about in columns.items()
    }


def describe(columns, table='t', **keys):
    """One table."""
    return Metadata.load_from_dict({'tables': {table: {'columns': spell(columns), **keys}}})


def describe_tables(tables, *links, **keys):
    """Tables, their primary keys, and foreign keys as child, column, parent and its key."""
    keys = {parent: key for _, _, parent, key in links} | keys
    described = {name: {'columns': spell(columns)} for name, columns in tables.items()}
    for name, key in keys.items():
        described[name]['primary_key'] = key
    relationships = [relate(*link) for link in links]
    return Metadata.load_from_dict({'tables': described, 'relationships': relationships})
