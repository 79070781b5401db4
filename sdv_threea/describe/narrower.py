"""Choose between a column and its difference from another column: post-processing.

Either determines the other, so only the one with the narrower released range is modelled: the same
counts describe a narrow number more precisely. Dates of admission lie within a few years, ages at
admission within ninety years. Dates of discharge also lie within a few years, but stays last for
days.
"""

from dataclasses import replace

import numpy as np

from sdv_threea.describe.description import Description
from sdv_threea.domain import Number


def keep_narrower(description: Description, either: tuple[tuple[str, str], ...]) -> Description:
    """Return the description without the wider column of each pair, the first if both are equal.

    Ranges of first columns that are left out stay in ``domain.beside``. If the target is left out,
    the other column becomes the target.
    """
    domain = description.domain
    wider = {
        (first if is_wide else second): second if is_wide else first
        for first, second in either
        for is_wide in [_spread(description, second) <= _spread(description, first)]
    }
    firsts = {first for first, _ in either}
    beside = tuple(
        own
        for own in domain.columns
        if isinstance(own, Number) and own.name in wider and own.name in firsts
    )
    kept = domain.only([name for name in domain.names if name not in wider])
    target = domain.target
    for _ in wider:  # the other column of the pair may be left out, too
        target = None if target is None else wider.get(target, target)
    return replace(description, domain=replace(kept, target=target, beside=beside))


def _spread(description: Description, name: str) -> float:
    """Return the distance between the quartiles of a column: noise at its ends hardly matters."""
    sketch = description.sketches.get(name)
    counts = np.zeros(0) if sketch is None else np.maximum(sketch.counts, 0)
    if sketch is None or not counts.any():
        column = description.domain[name]
        assert isinstance(column, Number)
        return 0.5 * ((column.high or 0.0) - (column.low or 0.0))
    passed = np.append(0.0, np.cumsum(counts)) / counts.sum()
    edges = np.append(sketch.edges[:, 0], sketch.edges[-1, 1])
    low, high = np.interp([0.25, 0.75], passed, edges)
    return float(high - low)
