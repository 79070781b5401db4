import pytest

from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.description import describe
from sdv_threea.rows.chunks import chunk_table


@pytest.fixture
def ask():
    """Describe a table."""

    def ask(table, noise, domain, *, mu=0.5, delta=1e-6, neighbors='add_remove', **terms):
        rows = chunk_table(table)
        return describe(
            rows,
            domain,
            mu=mu,
            delta=delta,
            neighbors=neighbors,
            noise=noise,
            constants=DescribeConstants(),
            **terms,
        )

    return ask
