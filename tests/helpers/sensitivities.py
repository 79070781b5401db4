"""What the sensitivity of each statistic should be, computed apart from the package."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sdv_threea.adapt.fit import RADII
from sdv_threea.approximate.moments import SCORE_UNITS, constant_weight
from sdv_threea.constants import COUNT_WEIGHT
from sdv_threea.statistics.kind import Kind


@dataclass(frozen=True)
class Facts:
    """What the formulas of sensitivities are about.

    Args:
        asked: Number of columns that each question of the description is put to.
        width: Number ``m`` of columns with a normal score.
        given: How many of these are known from the release of another table.
        radius: Norm ``R`` to which scores are clipped, in score units.
        feature_radius: Norm ``F`` to which features of the kernel are shortened, in the same units.
        replaced: Whether neighbours differ by a record that is replaced.
        rows_per_unit: The most rows of a unit that are looked at.
    """

    asked: Mapping[str, int]
    width: int
    radius: int
    feature_radius: int
    replaced: bool
    rows_per_unit: int = 1
    given: int = 0


#: From the facts, and the sensitivity on the receipt, to what it should be.
Formula = Callable[[Facts, float], float]


def ask(name: str) -> Formula:
    """The root of the number of columns that a question is put to."""
    return lambda facts, _: math.sqrt(facts.asked[name])


def share(_: Facts, __: float) -> float:
    """What a record shares out, in whole numbers."""
    return 2**12


def count(facts: Facts, _: float) -> float:
    """The root of the columns that are counted, and one more for the sizes of the classes."""
    return math.sqrt(facts.width - facts.given + 1)


def weigh(_: Facts, found: float) -> float:
    """The root of a whole number: which weights the columns have is told by what was released."""
    return math.sqrt(round(found**2))


def shorten(_: Facts, found: float) -> float:
    """A whole number: the norm that records are shortened to."""
    return float(round(found))


def distance(facts: Facts, found: float) -> float:
    """The root of a whole number, how many columns or distances there are."""
    apart = math.sqrt(2) if facts.replaced else 1.0
    return apart * math.sqrt(round((found / apart) ** 2))


def refer(facts: Facts, found: float) -> float:
    """The root of a whole number, which depends on the columns that are at both ends."""
    return weigh(facts, found / (1 + facts.replaced)) * (1 + facts.replaced)


def repeat(facts: Facts, _: float) -> float:
    """A pair, and whether both rows refer to the same row."""
    return math.sqrt(2 + 2 * facts.replaced)


def multiply(facts: Facts, _: float) -> float:
    """That of counts, sums and second moments of scores."""
    return _square(facts.radius, COUNT_WEIGHT)


def multiply_features(facts: Facts, found: float) -> float:
    """That of counts, sums and second moments of features of the kernel.

    A release that keeps no features does not tell their norm, so a whole number will do.
    """
    weight = COUNT_WEIGHT
    if facts.feature_radius:
        return _square(facts.feature_radius, weight)
    nearest = round(SCORE_UNITS * math.sqrt(found * math.sqrt(2) / 17 / (1 + weight**2)))
    near = (_square(nearest + step, weight) for step in range(-9, 10))
    return min(near, key=lambda each: abs(each - found))


def _square(radius: int, count_weight: float) -> float:
    weight = constant_weight(radius, count_weight)
    return 17 / math.sqrt(2) * (weight**2 + radius**2) / SCORE_UNITS**2


def add(_: Facts, found: float) -> float:
    """``sqrt(2)`` times a whole number of units: the norm that pooled scores are clipped to."""
    return math.sqrt(2) * round(found * SCORE_UNITS / math.sqrt(2)) / SCORE_UNITS


def slope(facts: Facts, found: float) -> float:
    """A whole number of sixteenths: the norm that slopes are clipped to in a step."""
    apart = math.sqrt(2) if facts.replaced else 1.0
    return apart * round(found / apart * RADII) / RADII


def once(facts: Facts, _: float) -> float:
    """One count of each record or unit; of a replaced one, two."""
    return math.sqrt(2 if facts.replaced else 1)


def single(_: Facts, __: float) -> float:
    """One count of each record."""
    return 1.0


#: By the names of the registry.
FORMULAS: Mapping[str, Formula] = {
    'size': single,
    'missing values': ask('nulls'),
    'granularity': ask('steps'),
    'values of the classes': ask('classes'),
    'values of categories': ask('categories'),
    'rarer values of categories': share,
    'heavy numbers': ask('spikes'),
    'grid counts': ask('ranges'),
    'refined grid counts': weigh,
    'grid counts of the tails': share,
    'columns': count,
    'columns in classes': shorten,
    'sums': weigh,
    'pairs': weigh,
    'functions': weigh,
    'digits': weigh,
    'distances of triples': distance,
    'triples': weigh,
    'moments': multiply,
    'components': add,
    'features': multiply_features,
    'slopes': slope,
    'mixes': add,
    'magnitudes': once,
    'orphans': once,
    'agreement': distance,
    'links': refer,
    'repeats': repeat,
}


def expect(kind: Kind, facts: Facts, found: float) -> float:
    """What the sensitivity of an accounting record should be, where ``found`` stands there.

    Replacing a record multiplies it by ``sqrt(2)``, but for interactions, slopes
    and distances, whose formulas say it.
    """
    formula = FORMULAS[kind.name]
    if kind.about_units:
        return formula(facts, found)
    factor = facts.rows_per_unit * math.sqrt(2 if facts.replaced else 1)
    return factor * formula(facts, found / factor)
