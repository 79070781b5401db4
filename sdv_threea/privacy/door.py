"""The door: exact sums of a statistic are taken, and become noisy values and a receipt."""

from dataclasses import replace
from typing import Any

from sdv_threea.accounting import Receipt
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.privacy.mechanism import Noise, add_noise, threshold_release
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.sums import Statistic, Summed, take


def release(
    rows: Rows[Any], statistic: Statistic, *, mu: float, noise: Noise
) -> tuple[Floats, Receipt]:
    """Take a statistic of the rows, and return its noisy values and a receipt."""
    (summed,) = take(rows, statistic)
    return release_taken(summed, mu=mu, noise=noise)


def release_taken(summed: Summed, *, mu: float, noise: Noise) -> tuple[Floats, Receipt]:
    """Return noisy values and a receipt, by :func:`~sdv_threea.privacy.mechanism.add_noise`."""
    statistic = summed.statistic
    noisy, receipt = add_noise(
        statistic.values(summed.sums),
        sensitivity=statistic.sensitivity,
        mu=mu,
        stage=statistic.stage,
        released=statistic.released,
        resolution=statistic.resolution,
        noise=noise,
    )
    return noisy, replace(receipt, statistic=statistic.name)


def release_keys(  # noqa: PLR0913 (the price, and the threshold)
    summed: Summed,
    *,
    mu: float,
    delta: float,
    max_new_keys: int,
    least: Wholes,
    most_added: int,
    noise: Noise,
) -> tuple[list[Any], Floats, Receipt]:
    """Return frequent keys, noisy counts and a receipt, as ``threshold_release`` does."""
    statistic = summed.statistic
    keys, counts = statistic.values(summed.sums)
    shown, noisy, receipt = threshold_release(
        keys,
        counts,
        sensitivity=statistic.sensitivity,
        mu=mu,
        delta=delta,
        max_new_keys=max_new_keys,
        least=least,
        most_added=most_added,
        stage=statistic.stage,
        released=statistic.released,
        noise=noise,
    )
    return shown, noisy, replace(receipt, statistic=statistic.name)
