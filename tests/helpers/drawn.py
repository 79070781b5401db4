"""Examples that are the same each time."""

from hypothesis import HealthCheck, Phase, settings


def always(num_examples):
    """Draw the same examples each time, and shrink none."""
    return settings(
        max_examples=num_examples,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
