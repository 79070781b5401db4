"""Kernel inducing points: support points moved downhill on the loss over the private rows.

Step 2 of 3A (arXiv 2307.01875) after Nguyen, Chen, Lee 2020 (arXiv 2011.00050), and the same loss
as a judge among candidate releases. All of it is post-processing of the released moments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.engine import float64, quick_jit
from sdv_threea.adapt.features import KernelFeatures
from sdv_threea.adapt.moments import KernelMoments
from sdv_threea.adapt.problem import Problem, make_problem
from sdv_threea.adapt.ridge import support_loss

#: Adam's decay rates and its guard against division by zero (Kingma and Ba 2015, section 2).
DECAY_FIRST, DECAY_SECOND, TINY = 0.9, 0.999, 1e-8


@dataclass(frozen=True, kw_only=True)
class InducingSettings:
    """How far and how fast the points may move.

    Args:
        alpha: Weight of staying put, in [0, 1]; 1 leaves the points where they are.
        ridge: Regularisation per support point, above 0.
        steps: Number of Adam steps, at least 0.
        learning_rate: Adam's step length, in normal scores, above 0.

    Raises:
        ValueError: If a field is out of range.
    """

    alpha: float = 0.5
    ridge: float = 1e-3
    steps: int = 200
    learning_rate: float = 0.02

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise ValueError(f'Expected alpha={self.alpha} in [0, 1].')
        if not (self.ridge > 0 and self.learning_rate > 0 and self.steps >= 0):
            raise ValueError(f'Expected ridge > 0, learning_rate > 0, steps >= 0, got {self}.')


@dataclass(frozen=True, kw_only=True)
class InducedPoints:
    """Adapted support points.

    Args:
        points: Where they ended, shape (k, m).
        loss_before: Kernel ridge loss over the private rows, as released, at the start.
        loss_after: The same at the end; never above ``loss_before``.
    """

    points: NDArray[np.float64]
    loss_before: float
    loss_after: float


class Seen(NamedTuple):
    """What there is to see at some points.

    Args:
        value: The objective.
        loss: The loss on the private rows, as released.
        slope: Gradient of the objective, shape (k, m).
    """

    value: jax.Array
    loss: jax.Array
    slope: jax.Array


class State(NamedTuple):
    """Adam's state, the best points seen, and the loss at the start."""

    points: jax.Array
    first: jax.Array
    second: jax.Array
    best_points: jax.Array
    best_value: jax.Array
    best_loss: jax.Array
    start_loss: jax.Array


def adapt(
    points: NDArray[np.float64],
    targets: NDArray[np.float64],
    moments: KernelMoments,
    features: KernelFeatures,
    settings: InducingSettings | None = None,
) -> InducedPoints:
    """Move support points to where a kernel ridge regression on them serves the private rows best.

    Minimises ``alpha * mean (S - S_0)^2 + (1 - alpha) * loss(S)`` over ``S`` by Adam from ``S_0``,
    and keeps the best iterate.

    Args:
        points: ``S_0``, normal scores, shape (k, m).
        targets: Targets of the points, shape (k, q), coded as those of the moments.
        moments: The released moments.
        features: The feature map they were released for.
        settings: How to move.

    Returns:
        The points, and the loss before and after.
    """
    settings = settings or InducingSettings()
    problem = make_problem(points, targets, moments, features)
    rates = settings.alpha, settings.ridge, settings.learning_rate
    with float64():
        moved, before, after = _run(problem, *map(float, rates), settings.steps)
    return InducedPoints(
        points=np.asarray(moved)[: points.shape[0], : points.shape[1]],
        loss_before=float(before),
        loss_after=float(after),
    )


def candidate_loss(
    points: NDArray[np.float64],
    targets: NDArray[np.float64],
    moments: KernelMoments,
    features: KernelFeatures,
    ridge: float = 1e-3,
) -> float:
    """Judge a candidate release: train on a support drawn from it, test on the private rows.

    Args:
        points: Normal scores drawn from the candidate, shape (k, m).
        targets: Their targets, shape (k, q), coded as those of the moments.
        moments: The released moments.
        features: The feature map they were released for.
        ridge: Regularisation per support point, above 0.

    Returns:
        The loss; 1/2 is what the predictor zero has.
    """
    with float64():
        problem = make_problem(points, targets, moments, features)
        return float(_loss(problem.start, problem, float(ridge)))


def objective(
    points: jax.Array, problem: Problem, alpha: float | jax.Array, ridge: float | jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Weigh the distance moved against the loss on the private rows (3A, equation of step 2).

    Returns:
        The objective, and the loss by itself.
    """
    loss = problem_loss(points, problem, ridge)
    count = jnp.sum(problem.present) * problem.num_columns
    distance = jnp.sum((points - problem.start) ** 2) / count
    return alpha * distance + (1 - alpha) * loss, loss


def problem_loss(points: jax.Array, problem: Problem, ridge: float | jax.Array) -> jax.Array:
    """Compute the loss of points, shape (K, M), in the place of those where a problem starts."""
    _, targets, present, _, stretch, moments, features = problem
    return support_loss(stretch * points, targets, present, moments, features, ridge)


def init(points: jax.Array) -> State:
    """Start at the given points, shape (k, m)."""
    zeros, unknown = jnp.zeros_like(points), jnp.asarray(jnp.inf)
    return State(points, zeros, zeros, points, unknown, unknown, unknown)


def step(state: State, seen: Seen, time: float | jax.Array, rate: float | jax.Array) -> State:
    """Note what is seen at the present points and take one Adam step from them.

    Args:
        state: The present state.
        seen: What is seen at ``state.points``.
        time: Number of this step, from 1.
        rate: The learning rate.

    Returns:
        The next state.
    """
    value, loss, slope = seen
    first = DECAY_FIRST * state.first + (1 - DECAY_FIRST) * slope
    second = DECAY_SECOND * state.second + (1 - DECAY_SECOND) * slope**2
    length = jnp.sqrt(second / (1 - DECAY_SECOND**time)) + TINY
    points = state.points - rate * first / (1 - DECAY_FIRST**time) / length
    better = value < state.best_value
    return State(
        points,
        first,
        second,
        best_points=jnp.where(better, state.points, state.best_points),
        best_value=jnp.where(better, value, state.best_value),
        best_loss=jnp.where(better, loss, state.best_loss),
        start_loss=jnp.where(time == 1, loss, state.start_loss),
    )


_loss = quick_jit(problem_loss)


@quick_jit
def _run(
    problem: Problem, alpha: jax.Array, ridge: jax.Array, rate: jax.Array, steps: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    def one(index: jax.Array, state: State) -> State:
        look = jax.value_and_grad(objective, has_aux=True)
        (value, loss), slope = look(state.points, problem, alpha, ridge)
        return step(state, Seen(value, loss, slope), index + 1.0, rate)

    end: State = jax.lax.fori_loop(0, steps + 1, one, init(problem.start))
    return end.best_points, end.start_loss, end.best_loss
