"""Choose a column as the target if the user named none."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from sdv_threea.describe.description import Description
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.encoding.encoders import make_transformers
from sdv_threea.joint.pair_bins import num_pair_bins, suits_number
from sdv_threea.planning.shares import Known, carry_bins, for_pairs, share_by_size
from sdv_threea.settings import Settings


def guess_target(domain: Domain, known: Known, *, drowned: bool) -> Domain:
    """Return the domain with a category as its target, if the user named none.

    * The only category, unless columns are given and its values are not stated: a single category
      among numbers is usually the label. Also, a correlation describes the relation of a
      categorical and a numerical column badly; with classes, each value has its own distribution of
      numbers.
    * The last of several, if noise would exceed the pair counts: categories would then be
      independent of each other. Classes relate all columns to one category, and in most training
      tables the last column is the label.

    The domain does not change if no category has few enough stated values, if there are no other
    columns, if a target is named, or in the paper's algorithm.

    Formal guarantees:
        * the choice depends on public facts and on ``drowned`` alone

    Args:
        domain: The public facts of a table.
        known: The settings, and the number of given columns: none of them is a target.
        drowned: Whether noise would exceed the pair counts.
    """
    if not _may_guess(domain, known):
        return domain
    own = domain.columns[known.num_given :]
    categories = [column for column in own if isinstance(column, Category)]
    suited = [column.name for column in categories if _suits_classes(column, known.settings)]
    # A target does not depend on the row before it in a database. But it keeps rare ones of its
    # stated values: rows of a public table, say.
    alone = len(categories) == 1 and (not known.num_given or bool(categories[0].values))
    if not suited or not (alone or drowned):
        return domain
    return replace(domain, target=suited[-1])


def take_last(domain: Domain, known: Known) -> Domain:
    """Return the domain with its last column as the target, if it has none and pairs are counted.

    Without a target, samples lack effects of several columns together on one column. To fit such
    effects for one column costs little compared with the pairs, and in most training tables the
    last column is the label. The domain stays as it is at ``alpha=1``, if columns are given, if the
    last column is a date or a category of too many stated values, or for the reasons of
    :func:`guess_target`.

    Formal guarantees:
        * the choice depends on public facts alone
    """
    if not _may_guess(domain, known) or known.settings.alpha == 1 or known.num_given:
        return domain
    last = domain.columns[-1]
    is_date = isinstance(last, Number) and last.of_times
    has_many = isinstance(last, Category) and not _suits_classes(last, known.settings)
    return domain if is_date or has_many else replace(domain, target=last.name)


def _may_guess(domain: Domain, known: Known) -> bool:
    """Return whether a target may be chosen: no target is named, and pairs may be counted."""
    several = len(domain.columns) > max(known.num_given, 1)
    return domain.target is None and several and known.settings.counts_pairs


def _suits_classes(column: Category, settings: Settings) -> bool:
    """Return whether the values of a category may be classes: few enough are stated or expected."""
    values = column.values or ()
    return not column.many and len(values) <= settings.constants.encoding.most_classes


def keeps_number(
    known: Known, description: Description, num_rows: float, price: Callable[[str], float]
) -> bool:
    """Return whether a numerical target that nobody named is adapted, and pairs are counted."""
    settings, constants = known.settings, known.settings.constants
    sizes = [each.size for each in make_transformers(description)]
    paid = math.hypot(*map(price, for_pairs(settings))) / known.budget.distance
    pairs = math.comb(len(sizes), 2) - math.comb(known.num_given, 2)
    num_bins = num_pair_bins(num_rows, pairs, paid, constants.joint) or 0
    fine = num_bins >= 2 * constants.joint.least_bins
    return fine and suits_number(num_bins, sizes, constants.joint) and bool(price('adapt'))


def yields_to_pairs(known: Known, description: Description, shares: Mapping[str, float]) -> bool:
    """Return whether pairs of codes are counted only if a chosen category gets a small share.

    A number of few values is like a category: in a survey, correlations with a class do not tell
    which codes exclude each other.
    """
    domain, constants = description.domain, known.settings.constants.joint
    if domain.target is None or carry_bins(domain, shares, known) is not None:
        return False
    num_bins = carry_bins(domain, share_by_size(domain, known, aside=True), known)
    sizes = [each.size for each in make_transformers(description)]
    return num_bins is not None and suits_number(num_bins, sizes, constants)
