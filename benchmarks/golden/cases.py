"""Made tables and databases for :mod:`golden`: every door of the package, on small tables.

A case is a synthesizer, its tables, how it is fitted, and how rows are sampled from it. Cases are
small (1,000 to 2,000 rows), so that a release takes about a second.
"""

from __future__ import annotations

import databases
import people
import ruled
import stored
import ways
from case import Case


def list_cases() -> dict[str, Case]:
    """List all cases by name."""
    return {
        **people.list_settings(),
        **stored.list_storage(),
        **ways.list_doors(),
        **ways.list_samples(),
        **ruled.list_constraints(),
        **databases.list_databases(),
    }
