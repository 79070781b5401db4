"""How examples are run through: the same each time, all of them, and none shrunk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st


def run_through(
    check: Callable[..., None], *strategies: st.SearchStrategy[Any], num_examples: int, number: int
) -> None:
    """Check examples.

    Args:
        check: Called with an example of each strategy.
        strategies: What is drawn.
        num_examples: How many times.
        number: The seed of the examples.
    """
    once = settings(
        max_examples=num_examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    seed(number)(once(given(*strategies)(check)))()
