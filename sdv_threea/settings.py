"""The settings of a release: what the user chooses, validated once, all of it publishable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from sdv_threea.accounting import Budget
from sdv_threea.constants import Constants

#: Part of ``delta`` that stability thresholds may fail with, where values have to be estimated.
THRESHOLD_SHARE = 0.1

GUARANTEES = ('end_to_end', 'paper')

#: Share of the budget, that is of ``mu^2``, by release. See docs/lab_notes.md for how they were
#: chosen.
SHARES = {
    'size': 0.01,
    'describe': 0.22,
    'columns': 0.12,
    'classes': 0.40,
    'moments': 0.04,
    'partition': 0.01,
    'adapt': 0.01,
    'labels': 0.15,
    'anonymize': 0.04,
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the user chooses.

    Args:
        epsilon: The privacy budget, above 0; ``math.inf`` for none.
        delta: The probability with which it may fail, in (0, 1), well below one over the number of
            records.
        guarantee: ``'end_to_end'``, or ``'paper'`` for the accounting of the 3A paper, which
            charges the last step only.
        neighbors: ``'add_remove'`` or ``'replace_one'``: how neighbouring tables differ.
        n_components: Components per class: a whole number, or ``'auto'`` to let the budget decide.
            Pairs of columns, without a target, are counted with ``'auto'`` only.
        alpha: Weight of the density against the classifier's loss, in [0, 1]. With 1 labels are as
            uncertain as in the private rows; with less, log odds that spread little are stretched
            until they spread enough for a classifier to learn from. Centroids, where classes have
            several, move less with more.
        kernel: Kernel of the loss: ``None`` for the neural tangent kernel of a ReLU network, or
            any kernel function of ``neural_tangents.stax``.
        extrapolate: Whether estimated ranges go on beyond the evidence, to where the tails of a
            column would end: closer to the real ends, and sometimes beyond them. By default a
            range ends where values are sure to reach.
        shares: Share of the budget by release.
        constants: The constants that were chosen by measurement.

    Raises:
        ValueError: If a field is out of range.
    """

    epsilon: float = 1.0
    delta: float = 1e-6
    guarantee: str = 'end_to_end'
    neighbors: str = 'add_remove'
    n_components: int | str = 'auto'
    alpha: float = 0.5
    kernel: Callable[..., Any] | None = None
    extrapolate: bool = False
    shares: Mapping[str, float] = field(default_factory=lambda: dict(SHARES))
    constants: Constants = field(default_factory=Constants)

    def __post_init__(self) -> None:
        _check_number(epsilon=self.epsilon, delta=self.delta, alpha=self.alpha)
        # Arithmetic in any other type, such as single floats, would round away from the promise.
        for name in ('epsilon', 'delta', 'alpha'):
            object.__setattr__(self, name, float(getattr(self, name)))
        self.budget(thresholds=True)
        if not isinstance(self.guarantee, str) or self.guarantee not in GUARANTEES:
            raise ValueError(f'guarantee must be one of {GUARANTEES}, got {self.guarantee!r}.')
        if not 0 <= self.alpha <= 1:
            raise ValueError(f'alpha must be between 0 and 1, got {self.alpha}.')
        if self.kernel is not None:
            _check_kernel(self.kernel)
        if not _is_count(self.n_components) and not _is_auto(self.n_components):
            raise ValueError(
                "n_components must be 'auto' or a whole number of at least 1, "
                f'got {self.n_components!r}.'
            )

    @property
    def components_per_class(self) -> int | None:
        """Components per class, or ``None`` to let the budget decide."""
        return None if _is_auto(self.n_components) else int(self.n_components)

    def budget(self, *, thresholds: bool) -> Budget:
        """Return the budget, with a part of ``delta`` set aside if there are thresholds."""
        part = self.delta * THRESHOLD_SHARE if thresholds else 0.0
        return Budget(self.epsilon, self.delta, part, self.neighbors)


def _check_number(**values: object) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Real) or value != value:
            raise ValueError(f'{name} must be a number, got {value!r}.')
        try:
            float(value)
        except OverflowError:
            raise ValueError(f'{name} must be a number that a float can hold.') from None


def _check_kernel(kernel: object) -> None:
    if not callable(kernel):
        raise ValueError(
            'kernel must be None or a kernel function (x1, x2) -> matrix, for example that of '
            'neural_tangents.stax.serial(...).'
        )
    # Only who brings a kernel pays for loading JAX here; the error comes before any spending.
    from sdv_threea.adapt.kernels import as_kernel

    as_kernel(kernel)


def _is_auto(value: object) -> bool:
    return isinstance(value, str) and value == 'auto'


def _is_count(value: object) -> bool:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and int(value) >= 1  # type: ignore[call-overload]
