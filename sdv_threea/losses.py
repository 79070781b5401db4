"""The losses of a release: the share of rows whose values samples lack.

Noise masks rare values, so a release lacks them. All records are counted, and so are the records
with each released value. The difference of both counts estimates the number of lost rows, and their
noise determines the interval. This is post-processing.

Formal guarantees of every function: the result is a function of public facts and of released
numbers: it costs nothing.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np

from sdv_threea.approximate.marginals import Density
from sdv_threea.arrays import Bools, Floats
from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.description import Description
from sdv_threea.domain import MISSING, SPREAD, Category, Column, Domain, Number
from sdv_threea.encoding.classes import RecordEncoder
from sdv_threea.encoding.edges import find_range_bins
from sdv_threea.encoding.encoders import CategoryEncoder, NumberEncoder
from sdv_threea.encoding.support import list_spans, was_guessed

#: Half the width of an interval, in standard deviations of the noise; one interval in 370 does not
#: contain the truth.
SURE = 3.0

#: The kinds of losses, worst first.
MADE_UP = 'made up'
EMPTY = 'no value'
CONSTANT = 'constant'
GUESSED = 'guessed range'
VALUES = 'values'
RANGE = 'range'
NOTHING = ''

#: The kind of columns with made-up names, which are as frequent as the released counts.
NAMED = 'pseudonyms'

#: A sentence for each kind.
SAID = {
    MADE_UP: 'All values are made up: nothing was learned.',
    NAMED: '{names} made-up names, as frequent as in the noisy counts.',
    EMPTY: 'No value was common enough to be released.',
    GUESSED: 'No range was found, because noise masks all numbers: the range is a guess.',
    CONSTANT: 'Only one value was found; up to {most} of the rows may have other values.',
    VALUES: '{share} of the rows have values that were not released; samples show {instead}.',
    RANGE: '{share} of the rows may lie beyond the range.',
    NOTHING: '',
}


@dataclass(frozen=True)
class Share:
    """An estimated share of the records, and an interval around it."""

    share: float
    at_least: float
    at_most: float

    def __str__(self) -> str:
        return f'{self.share:.1%} ({self.at_least:.1%} to {self.at_most:.1%})'


#: Shares of exactly zero and one.
NONE, ALL = Share(0.0, 0.0, 0.0), Share(1.0, 1.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class Loss:
    """The loss of a column: its values that samples lack.

    A column that is not modelled has a loss, too, of the kind :data:`MADE_UP`.

    Args:
        kind: One of the kinds above. :data:`VALUES` and :data:`RANGE` are also given if the
            interval begins at zero, because something may be lost.
        stated: Facts that the user stated, in words.
        share: The share of records whose values samples lack.
        is_target: Whether the column is the categorical target.
        listed: The values that a category shows.
        ends: The first and the last value of a numerical column in samples.
        instead: The substitute that samples show for other values of a category.
    """

    column: str
    kind: str
    stated: tuple[str, ...]
    share: Share
    is_target: bool = False
    listed: tuple[Hashable, ...] = ()
    ends: tuple[float, float] | None = None
    instead: Hashable = SPREAD

    @property
    def said(self) -> str:
        """The loss in a sentence."""
        if self.kind == NAMED and not self.listed:
            return 'A made-up name in each row: no name clearly repeats.'
        return SAID[self.kind].format(
            share=self.share,
            most=f'{self.share.at_most:.1%}',
            names=f'{len(self.listed):,}',
            instead=self._name_substitute(),
        )

    def _name_substitute(self) -> str:
        if self.instead == SPREAD:
            return 'released ones instead'
        return 'them as missing' if self.instead == MISSING else f'them as {self.instead!r}'


def find_losses(
    domain: Domain,
    size: tuple[float, float] | None,
    encoder: RecordEncoder,
    density: Density,
    constants: DescribeConstants,
) -> tuple[Loss, ...]:
    """Return the loss of each modelled column, in order; its kind is empty if nothing is lost.

    ``domain`` has the public facts before the release, and ``size`` is the released number of
    records with the standard deviation of its noise, if released.
    """
    places = {at: place for place, at in enumerate(encoder.scored.tolist())}
    domain, found = domain.only(encoder.description.domain.names), []
    for at, (before, transformer) in enumerate(
        zip(domain.columns, encoder.transformers, strict=True)
    ):
        if at not in places:
            found.append(_lose_classes(before, size, encoder, density))
            continue
        # Records with an unlisted value have no code, unless unlisted values share one.
        complete = isinstance(before, Number) or before.values is not None
        complete |= isinstance(before, Category) and before.unreleased != SPREAD
        histogram = Histogram(density, places[at], complete)
        if isinstance(transformer, NumberEncoder):
            found.append(
                _lose_numbers(before, transformer, encoder.description, histogram, constants)
            )
        else:
            found.append(_lose_values(before, transformer, histogram))
    # A target without any found value is handled like any other column above.
    of_target = [column.name == domain.target for column in domain.columns]
    return tuple(
        replace(loss, is_target=isinstance(column, Category) and own)
        for loss, column, own in zip(found, domain.columns, of_target, strict=True)
    )


class Histogram(NamedTuple):
    """The release of a column: density, column number, and whether each record has a code."""

    density: Density
    at: int
    complete: bool

    @property
    def counts(self) -> Floats:
        """The noisy counts of the column's codes, shape (S,)."""
        return self.density.counts.columns[self.at]

    @property
    def shown(self) -> Bools:
        """The codes that samples show, shape (S,)."""
        return np.asarray(self.density.scores.chances(self.at).max(axis=0) > 0)

    def share_of(self, count: float, noise: float) -> Share:
        """Return a noisy count as a share of the records."""
        num = float(self.density.counts.totals.sum())
        return make_share(count / num, noise / num)

    def share_out(self, inside: Bools) -> Share:
        """Estimate the share of the records that have none of the codes ``inside``, shape (S,).

        Two estimates are averaged by precision: the counts of the other codes, and all records
        minus the counts inside. A missing value is not beyond a range, so it is inside.
        """
        totals, scale = self.density.counts.totals, self.density.counts.scale
        num, others = float(totals.sum()), int((~inside).sum())
        # Noise adds up over the codes, and over the classes if their records are counted, too.
        rest, noise = num - self.counts[inside].sum(), float(inside.sum() + len(totals))
        if others and self.complete:
            weight = noise / (noise + others)
            rest = weight * self.counts[~inside].sum() + (1 - weight) * rest
            noise *= others / (noise + others)
        return make_share(float(rest) / num, scale * math.sqrt(noise) / num)


def make_share(estimate: float, noise: float) -> Share:
    """Return an estimated share and its interval, both within 0 and 1."""
    low, high = estimate - SURE * noise, max(estimate, 0.0) + SURE * noise
    middle, least, most = np.clip([estimate, low, high], 0.0, 1.0).tolist()
    return Share(middle, least, most)


def _lose_values(before: Column, transformer: CategoryEncoder, histogram: Histogram) -> Loss:
    shown = histogram.shown
    own = shown[1 : len(transformer.values) + 1]
    others = np.arange(len(shown)) > len(own)
    share = histogram.share_out(shown & ~others)
    kind = VALUES if share.at_most > 0 else NOTHING
    if not own.any():
        kind, share = EMPTY, Share(share.share, share.at_least, 1.0)
    elif shown.sum() == 1:
        kind = CONSTANT
    elif histogram.complete and own.all() and not others.any():
        kind, share = NOTHING, NONE
    return Loss(
        column=before.name,
        kind=kind,
        stated=list_stated(before),
        share=share,
        listed=tuple(transformer.values[at] for at in np.flatnonzero(own)),
        instead=transformer.unreleased if (shown & others).any() else SPREAD,
    )


def _lose_numbers(
    before: Column,
    transformer: NumberEncoder,
    description: Description,
    histogram: Histogram,
    constants: DescribeConstants,
) -> Loss:
    """Return the loss of a numerical column: records beyond the first and the last value shown."""
    counts, mask = histogram.counts, histogram.density.masks[histogram.at]
    # With few records, a stated range may have been estimated again, and be narrower.
    used = cast(Number, description.domain[before.name])
    in_range = find_range_bins(used, transformer.edges)
    codes, inside = np.flatnonzero(in_range) + 1, np.flatnonzero(mask[1:] & in_range) + 1
    first, last = int(inside[0]), int(inside[-1])
    spans = list_spans(transformer)
    low, high = float(spans[first - 1, 0]), float(spans[last - 1, 1])
    own = before if isinstance(before, Number) else Number(name=before.name)
    beyond = NONE if mask[1:].all() else histogram.share_out(mask | (np.arange(len(mask)) == 0))
    # The outermost code also counts the records beyond it, so its count is an upper bound of these.
    # The counts from which the range was estimated are upper bounds, too.
    scale = histogram.density.counts.scale
    ends = [(first, codes[0], used.low != own.low), (last, codes[-1], used.high != own.high)]
    counted = description.beyond.get(before.name, ())
    hidden = [
        min(histogram.share_of(*count).at_most for count in ((histogram.counts[at], scale), found))
        for (at, end, estimated), found in zip(ends, counted, strict=False)
        if at == end and estimated
    ]
    most = beyond.at_most + sum(hidden)
    share = Share(beyond.share, beyond.at_least, min(most, 1.0))
    kind = RANGE if share.at_most > 0 else NOTHING
    if was_guessed(transformer, description, counts, scale, constants):
        kind, share = GUESSED, Share(share.share, 0.0, 1.0)
    elif low == high and share.at_most > 0:
        kind = CONSTANT
    facts = list_stated(before)
    return Loss(column=before.name, kind=kind, stated=facts, share=share, ends=(low, high))


def _lose_classes(
    before: Column, size: tuple[float, float] | None, encoder: RecordEncoder, density: Density
) -> Loss:
    """Return the loss of a categorical target: records without a class are in no count."""
    codes = encoder.classes.target_code()
    assert codes is not None
    at = encoder.description.domain.names.index(before.name)
    known = cast(CategoryEncoder, encoder.transformers[at]).values
    listed = tuple(known[code - 1] if code else None for code in codes.tolist())
    stated = isinstance(before, Category) and before.values is not None
    share = NONE if stated else Share(0.0, 0.0, 1.0)
    if size is not None and not stated:
        num, scale = max(size[0], 1.0), density.counts.scale
        lost = num - float(density.counts.totals.sum())
        share = make_share(lost / num, math.hypot(size[1], scale * math.sqrt(len(listed))) / num)
    kind = CONSTANT if len(listed) == 1 else NOTHING if stated else VALUES
    facts = list_stated(before)
    return Loss(column=before.name, kind=kind, stated=facts, share=share, listed=listed)


def list_stated(column: Column) -> tuple[str, ...]:
    """Return the public facts of a column, in words."""
    facts: Sequence[tuple[str, object]]
    if isinstance(column, Category):
        facts = [('values', column.values)]
    else:
        facts = [('lowest', column.low), ('highest', column.high), ('granularity', column.step)]
    stated = [name for name, fact in facts if fact is not None]
    return (*stated, *(['nullability'] if column.nullable is not None else []))
