"""Price functional pairs, counted code by code, by their tolerable noise: post-processing."""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from sdv_threea.arrays import Floats
from sdv_threea.constants import MISSED
from sdv_threea.joint.joint_constants import JointConstants
from sdv_threea.joint.pair_bins import Pair

#: Weights of pairs are multiples of one over this.
WEIGHT_UNIT = 8


class Function(NamedTuple):
    """A pair that looks functional.

    Args:
        small: Share of the records in a small code of the parent.
        values: Number of values of the child.
        in_order: True if the parent is ordered, so that runs of its codes have the same value.
        clear: True if the values clearly follow that order.
    """

    small: float
    values: float
    in_order: bool = False
    clear: bool = False

    def bear(self, num_records: float) -> float:
        """Return the largest noise of a count at which nearly all records still get their value.

        A code of r records with noise s gets a wrong one of V values with probability V Q(r / (s
        sqrt(2))). Runs of codes have V borders; noise moves each by about s / 2 records.
        """
        if self.in_order:
            return 2 * MISSED * num_records / self.values
        return num_records * self.small / math.sqrt(2) / -float(ndtri(MISSED / self.values))


def carry_functions(
    found: Mapping[Pair, Function], num_records: float, left: float, constants: JointConstants
) -> tuple[dict[Pair, int], float]:
    """Return weights and the price of pairs that are counted code by code.

    Pairs whose noise far exceeds the tolerable noise are dropped: structure read from such counts
    is random and creates impossible rows. Pairs whose values clearly follow an order stay, because
    neighbouring codes support each other. The price, in GDP, is at most ``left``.
    """
    kept = dict(found)
    while kept:
        weights, price = price_functions(kept, num_records, left, constants)
        # The noise scale of a count is the length of a record's contribution, divided by the price.
        length = math.sqrt(sum(weight**2 for weight in weights.values()))
        borne = {
            pair: own.bear(num_records) * weights[pair] * price
            for pair, own in kept.items()
            if not own.clear
        }
        worst = min(borne, key=lambda pair: borne[pair], default=None)
        if worst is None or borne[worst] * constants.most_noise >= length:
            return weights, price
        del kept[worst]
    return {}, 0.0


def price_functions(
    found: Mapping[Pair, Function], num_records: float, left: float, constants: JointConstants
) -> tuple[dict[Pair, int], float]:
    """Return whole-number weights of pairs, and the price at which their noise is tolerable."""
    borne = {pair: max(own.bear(num_records), 1.0) for pair, own in found.items()}
    most = min(max(borne.values()), constants.most_weighed * min(borne.values()))
    weights = {k: max(round(WEIGHT_UNIT * most / own), WEIGHT_UNIT) for k, own in borne.items()}
    needed = math.sqrt(sum(weight**2 for weight in weights.values())) / WEIGHT_UNIT / most
    price = max(needed, math.sqrt(constants.least_spent) * left)
    return weights, min(price, left)


def sum_needs(functions: Iterable[Function], num_records: float) -> float:
    """Return the square of the price, in GDP, at which functions have their tolerable noise."""
    return math.fsum(max(own.bear(num_records), 1.0) ** -2 for own in functions)


def find_small(shares: Floats) -> float:
    """Return the share of a small code: all smaller codes together have few records."""
    present = np.sort(shares[shares > 0])
    held = np.cumsum(present)
    return float(present[np.searchsorted(held, MISSED * held[-1])])
