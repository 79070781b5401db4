"""Pseudonyms: a column of private values as a column of public buckets, and back as made-up names.

A hash with a key, which is drawn for each fit and forgotten, puts a value into a bucket. The column
is then an ordinary category of ``NUM_BUCKETS`` public values, and the promise does not depend on
the hash. :mod:`sdv_threea.maths.buckets` estimates how many names are in each released bucket.
Equal values share a bucket, and so a name, in all columns with the same pool of names.

Formal guarantees:
    * the bucket of a cell is a function of that cell and of the key
    * names are a function of the pool, of the generator of names and of the released counts
"""

import zlib
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.arrays import Wholes
from sdv_threea.constraints.derivations import Choices
from sdv_threea.domain import Category, Column, Domain, Pseudonyms
from sdv_threea.rows.derived import Cells
from sdv_threea.rows.intake.cells import take_values
from sdv_threea.rows.intake.columns import find_distinct
from sdv_threea.rows.intake.scalars import spell
from sdv_threea.transforms.texts import OneColumn

#: More buckets distinguish more values, but noise then makes more empty buckets look occupied.
NUM_BUCKETS = 2048

#: The bytes of a key.
KEY_BYTES = 16

#: Draws for a name; if they give too few different names, numbers distinguish equal ones.
DRAWS = 3


@lru_cache(maxsize=16)
def make_names(pool: str, generator: Any, number: int) -> list[Any]:
    """Make different names for a pool; numbers distinguish equal ones if there are too few.

    The same word for the pool gives the same names, and a longer list begins with the shorter one.
    """
    faker = deepcopy(generator)
    faker.cardinality_rule = None
    # RDT seeds the names with the name of the column and its cells.
    faker.fit(pd.DataFrame({pool: ['']}), pool)
    drawn = faker.reverse_transform(pd.DataFrame(index=range(DRAWS * (number + 1))))[pool]
    found, turns = dict[Any, None](), Counter[Any]()
    for at, name in enumerate(drawn):
        turns[name] += 1
        if turns[name] == 1:
            found[name] = None
        elif len(found) < at // DRAWS:
            found[f'{name} {turns[name]}'] = None
    return list(found)[:number]


def find_buckets(name: str, key: bytes, table: pd.DataFrame) -> Cells:
    """Return the bucket of each cell of a column, ``None`` for a missing cell."""
    codes, listed = find_distinct(table[name])
    texts = (spell(each).encode(errors='surrogatepass') for each in listed)
    digests = (blake2b(each, digest_size=8, key=key).digest() for each in texts)
    buckets = [int.from_bytes(each) % NUM_BUCKETS for each in digests]
    return {name: take_values(buckets, None, np.maximum(codes, -1))}


@dataclass(frozen=True)
class NameStep(OneColumn):
    """A column of private values, replaced by their buckets.

    ``known`` is the number of different values if it is public, or else 0. Before a release there
    is no generator of names; if no private row is read, the key of the hash is empty.
    """

    column: Category
    pool: str
    known: int = 0
    generator: Any = None
    key: bytes = b''

    @property
    def derived(self) -> tuple[Column, ...]:
        """A category of public buckets."""
        buckets = tuple(range(NUM_BUCKETS))
        return (replace(self.column, values=buckets, pseudonyms=Pseudonyms(known=self.known)),)

    @property
    def forward(self) -> Callable[[pd.DataFrame], Cells]:
        """The hash that finds the bucket of each value."""
        own = blake2b(self.pool.encode(errors='surrogatepass'), key=self.key).digest()
        return partial(find_buckets, self.column.name, own)

    def back(self, sampled: pd.DataFrame, domain: Domain) -> Cells:
        """Distribute the rows of each bucket among its names; without names, cells are missing."""
        name, names = self.column.name, _list_names(domain[self.column.name])
        buckets = np.array([-1 if each is None else each for each in sampled[name]], dtype=np.int64)
        if not len(names.buckets):
            return {name: np.full(len(buckets), None, dtype=object)}
        turns = _deal(buckets, names)
        numbers = np.where(buckets < 0, -1, buckets + NUM_BUCKETS * turns)
        return {name: take_values(self._list(int(numbers.max(initial=0)) + 1), None, numbers)}

    def restore(self, domain: Domain) -> tuple[Column, ...]:
        """Describe the column by an example, and by whether cells may be missing."""
        nullable, names = domain[self.column.name].nullable, _list_names(domain[self.column.name])
        example = tuple(self._list(1))
        return (replace(self.column, values=example, nullable=nullable, pseudonyms=names),)

    def select(self, known: pd.DataFrame, domain: Domain) -> Choices:
        """Return the buckets of known made-up names."""
        name, names = self.column.name, _list_names(domain[self.column.name])
        if name not in known or known[name].isna().all() or not len(names.buckets):
            return {}
        turns = np.arange(len(names.buckets)) - np.searchsorted(names.buckets, names.buckets)
        numbers = names.buckets + NUM_BUCKETS * turns
        listed = take_values(self._list(int(numbers.max()) + 1), None, numbers)
        found = dict(zip(listed, names.buckets.tolist(), strict=True))
        buckets = known[name].map(lambda each: found.get(each, -1)).to_numpy()
        return {name: buckets[:, None] == np.arange(NUM_BUCKETS)}

    def _list(self, number: int) -> list[Any]:
        # Lengths of lists are powers of two, so that few different lists are made.
        return make_names(self.pool, self.generator, max(64, 1 << (number - 1).bit_length()))


def has_names(column: Column) -> bool:
    """Return whether a released column has names that each stand for several rows."""
    return len(_list_names(column).buckets) > 0


def _list_names(column: Column) -> Pseudonyms:
    found = column.pseudonyms if isinstance(column, Category) else None
    return found or Pseudonyms()


def _deal(buckets: Wholes, names: Pseudonyms) -> Wholes:
    """Return the name of each row within its bucket, shape (n,): in turn, each name its share."""
    order = np.argsort(buckets, kind='stable')
    own = np.maximum(buckets[order], 0)
    first = np.searchsorted(buckets[order], buckets[order])
    rows = np.searchsorted(buckets[order], buckets[order], 'right') - first
    rng = np.random.default_rng(zlib.crc32(buckets.tobytes()))
    place = (np.arange(len(own)) - first + rng.random(NUM_BUCKETS)[own]) / rows
    ends = np.concatenate([[0.0], np.cumsum(names.sizes)])
    low, high = (np.searchsorted(names.buckets, own, side) for side in ('left', 'right'))
    reached = np.searchsorted(ends, ends[low] + place * (ends[high] - ends[low]), 'right') - 1
    turns = np.empty(len(own), dtype=np.int64)
    turns[order] = np.clip(reached - low, 0, np.maximum(high - low - 1, 0))
    return turns
