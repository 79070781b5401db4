"""Columns and foreign keys of metadata, by the names that rules between tables use."""

from __future__ import annotations

from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea.constraints.linked import Name, Path
from sdv_threea.storage.references import as_columns

#: A foreign key as users name it: a column, several columns, or the only one.
Key = str | list[str] | None


class Relations:
    """The columns and foreign keys of metadata, by the names that rules use.

    Raises:
        SynthesizerInputError: By all methods, if there is no such column, table or foreign key.
    """

    def __init__(self, metadata: Metadata) -> None:
        self.metadata = metadata

    def find(self, text: str) -> Name:
        """Return the column of a text ``table.column``."""
        cuts = [at for at, sign in enumerate(text) if sign == '.']
        names = [Name(text[:at], text[at + 1 :]) for at in cuts]
        tables = self.metadata.tables
        found = [each for each in names if each.table in tables]
        found = [each for each in found if each.column in tables[each.table].columns]
        if len(found) != 1:
            raise SynthesizerInputError(
                f"There is no column {text!r}: rules between tables name columns 'table.column'."
            )
        return found[0]

    def get_sdtype(self, name: Name) -> str:
        """Return the sdtype of a column."""
        return str(self.metadata.tables[name.table].columns[name.column]['sdtype'])

    def relate(self, table: str, above: str, key: Key) -> Path | None:
        """Return the foreign keys from a table up to another one; ``None`` if there are none.

        The path has as few keys as possible, and starts with ``key`` if it is given.
        """
        paths = self._climb(table, above)
        if key is not None:
            paths = [each for each in paths if each[0][1] == as_columns(key)]
        fewest = [each for each in paths if len(each) == min(map(len, paths))]
        if len(fewest) > 1:
            keys = [list(each[0][1]) for each in fewest]
            raise SynthesizerInputError(
                f"Rows of '{table}' lead to '{above}' by several foreign keys, {keys}: choose one "
                'by foreign_key.'
            )
        return fewest[0] if fewest else None

    def lead(self, table: str, above: str, key: Key) -> Path:
        """Return the foreign keys from a table up to another one."""
        path = self.relate(table, above, key) if above in self.metadata.tables else None
        if path is None:
            wanted = '' if key is None else f' that starts with {key!r}'
            raise SynthesizerInputError(
                f"No foreign key{wanted} leads from the table '{table}' to {above!r}."
            )
        return path

    def _climb(self, table: str, above: str, passed: tuple[str, ...] = ()) -> list[Path]:
        found: list[Path] = []
        for each in self.metadata.relationships:
            parent = each['parent_table_name']
            if each['child_table_name'] == table and parent not in passed:
                edge = table, as_columns(each['child_foreign_key'])
                rest = [()] if parent == above else self._climb(parent, above, (*passed, table))
                found += [(edge, *path) for path in rest]
        return found
