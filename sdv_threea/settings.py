"""The settings of a release: chosen by the user, validated once, publishable."""

import math
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from sdv_threea.accounting import Budget
from sdv_threea.constants import (
    AdaptConstants,
    ApproximateConstants,
    DescribeConstants,
    EncodingConstants,
    RelationalConstants,
)
from sdv_threea.errors import InputError
from sdv_threea.joint.joint_constants import JointConstants

#: Part of ``delta`` for failures of stability thresholds, if values have to be estimated.
THRESHOLD_SHARE = 0.1

#: Limits of epsilon and delta. With a smaller epsilon, noise exceeds 64 bits in a table of
#: thousands of columns; with a larger one, there is hardly any noise, and squares of prices may
#: overflow.
LEAST_EPSILON, LARGEST_EPSILON = 1e-4, 1e9
LEAST_DELTA = 1e-50

#: The largest delta: with a larger one, one row in 100 could be published unprotected.
LARGEST_DELTA = 0.01

#: The largest number of clusters per class. Clusters are found in 4,000 drawn records, and a
#: cluster of four records is too small to be useful.
MOST_COMPONENTS = 1000

#: The id of the process that first used JAX.
JAX = 'jax'
_begun: dict[str, int] = {}

GUARANTEES = ('end_to_end', 'paper')

#: Ways to mix records, and ``None`` for the model of this package.
MIXINGS = (None, 'clusters', 'random')

#: Shares of the budget, of ``mu^2``, by release. docs/lab/lab_notes.md explains their choice.
SHARES = {
    'size': 0.01,
    'describe': 0.22,
    'columns': 0.12,
    'classes': 0.34,
    'moments': 0.04,
    'triples': 0.05,
    'adapt': 0.22,
}

#: With mixing, no triples are counted, and these shares replace theirs.
MIXED = {'clusters': 0.01, 'anonymize': 0.04}


@dataclass(frozen=True, kw_only=True)
class Constants:
    """The constants by folder."""

    describe: DescribeConstants = DescribeConstants()
    encoding: EncodingConstants = EncodingConstants()
    approximate: ApproximateConstants = ApproximateConstants()
    joint: JointConstants = JointConstants()
    adapt: AdaptConstants = AdaptConstants()
    relational: RelationalConstants = RelationalConstants()


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a release, chosen by the user.

    The fields are the arguments of :class:`~sdv_threea.ClustMixSynthesizer` of the same names, and
    three more. With ``extrapolate``, estimated ranges include the likely tails of a column: fewer
    rows are cut off, and more samples lie beyond the real ends. ``shares`` are the parts of the
    budget by stage, and ``constants`` are those of the algorithm. A field out of range is a
    ``ValueError``.
    """

    epsilon: float = 1.0
    delta: float = 1e-6
    guarantee: str = 'end_to_end'
    neighbors: str = 'add_remove'
    n_components: int | str = 'auto'
    alpha: float = 0.5
    kernel: Callable[..., Any] | None = None
    extrapolate: bool = False
    mixing: str | None = None
    shares: Mapping[str, float] = field(default_factory=lambda: dict(SHARES))
    constants: Constants = field(default_factory=Constants)

    def __post_init__(self) -> None:
        _check_number(epsilon=self.epsilon, delta=self.delta, alpha=self.alpha)
        # Other types, such as single-precision floats, would round the promise.
        for name in ('epsilon', 'delta', 'alpha'):
            object.__setattr__(self, name, float(getattr(self, name)))
        _check_promise(self.epsilon, self.delta)
        self.budget(thresholds=True)
        if not isinstance(self.guarantee, str) or self.guarantee not in GUARANTEES:
            raise InputError(f'guarantee must be one of {GUARANTEES}, got {self.guarantee!r}.')
        if self.mixing is not None and self.mixing not in MIXINGS:
            raise InputError(f'mixing must be one of {MIXINGS}, got {self.mixing!r}.')
        if self.mixing is None and self.guarantee == 'paper':
            object.__setattr__(self, 'mixing', 'clusters')
        object.__setattr__(self, 'shares', _name_shares(self.shares, self.mixing))
        if not 0 <= self.alpha <= 1:
            raise InputError(f'alpha must be between 0 and 1, got {self.alpha}.')
        if self.kernel is not None:
            _check_kernel(self.kernel)
        if not _is_auto(self.n_components):
            _check_components(self.n_components, self.mixing)

    @property
    def counts_pairs(self) -> bool:
        """Whether pairs of columns are counted, if the budget supports them."""
        return self.mixing is None

    @property
    def clusters_per_class(self) -> int | None:
        """Number of clusters per class, or ``None`` to let the budget decide."""
        return None if _is_auto(self.n_components) else int(self.n_components)

    def budget(self, *, thresholds: bool) -> Budget:
        """Return the budget; thresholds set a part of ``delta`` aside for their failure."""
        part = self.delta * THRESHOLD_SHARE if thresholds else 0.0
        return Budget(self.epsilon, self.delta, part, self.neighbors)


def _name_shares(shares: Mapping[str, float], mixing: str | None) -> dict[str, float]:
    """Return the shares of a way to mix: for triples, or clusters and mixes, of the same sum."""
    others = {name: own for name, own in shares.items() if name not in ('triples', *MIXED)}
    mixed = {name: shares[name] for name in MIXED if name in shares}
    if mixing is None:
        return {**others, 'triples': math.fsum([shares.get('triples', 0.0), *mixed.values()])}
    whole = shares.get('triples', 0.0) / math.fsum(MIXED.values())
    return {**others, **{name: mixed.get(name, 0.0) + whole * own for name, own in MIXED.items()}}


def check_process(kernel: object) -> None:
    """Raise a ``ValueError`` if a kernel needs JAX and this process was forked after JAX began."""
    if kernel is not None and _begun.setdefault(JAX, os.getpid()) != os.getpid():
        raise InputError(
            'kernel needs JAX, which was started before this process was forked, and would hang. '
            "Start the process with multiprocessing.get_context('spawn'), or choose kernel=None, "
            'which needs no JAX. Sampling needs no JAX either.'
        )


def _note_fork() -> None:
    """Note in a child process that its parent has used JAX, perhaps without this package."""
    bridge = sys.modules.get('jax._src.xla_bridge')
    if getattr(bridge, '_backends', None):
        _begun.setdefault(JAX, os.getppid())


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_note_fork)


def _check_number(**values: object) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Real) or value != value:
            raise InputError(f'{name} must be a number, got {value!r}.')
        try:
            float(value)
        except OverflowError:
            raise InputError(f'{name} must be a number that a float can hold.') from None


def _check_promise(epsilon: float, delta: float) -> None:
    if not (LEAST_EPSILON <= epsilon <= LARGEST_EPSILON or epsilon == math.inf):
        raise InputError(
            f'epsilon must be from {LEAST_EPSILON:g} to {LARGEST_EPSILON:g}, or math.inf for no '
            f'privacy, got {epsilon:g}.'
        )
    if not LEAST_DELTA <= delta < LARGEST_DELTA:
        raise InputError(
            f'delta must be from {LEAST_DELTA:g} to below {LARGEST_DELTA:g} (for example 1e-6): it '
            f'is the share of the rows that may be exposed entirely. Got {delta:g}.'
        )


def _check_kernel(kernel: object) -> None:
    if not callable(kernel):
        raise InputError(
            'kernel must be None or a kernel function (x1, x2) -> matrix, for example that of '
            'neural_tangents.stax.serial(...).'
        )
    check_process(kernel)
    # Only users of a kernel load JAX. An error is raised here, before any spending.
    from sdv_threea.adapt.kernels import as_kernel

    as_kernel(kernel)


def _check_components(number: object, mixing: str | None) -> None:
    is_whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not is_whole or not 1 <= int(number) <= MOST_COMPONENTS:  # type: ignore[call-overload]
        raise InputError(
            f"n_components must be 'auto' or a whole number from 1 to {MOST_COMPONENTS:,}, got "
            f'{number!r}.'
        )
    if mixing != 'clusters':
        raise InputError(
            "n_components is a number of clusters: choose mixing='clusters', or leave it out."
        )


def _is_auto(value: object) -> bool:
    return isinstance(value, str) and value == 'auto'
