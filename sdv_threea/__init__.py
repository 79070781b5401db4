"""Release private tables under differential privacy, tuned to the models trained on them.

A plug-in for SDV 2 that implements the 3A framework: approximate, adapt, anonymize (Madl et al.
2023, arXiv 2307.01875)::

    from sdv_threea import ClustMixSynthesizer
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sdv_threea.storage.ledger_files import BudgetLedger
    from sdv_threea.synthesizers import (
        ClustMixMultiTableSynthesizer,
        ClustMixSequentialSynthesizer,
        ClustMixSynthesizer,
        DatabaseStatement,
        PrivacyStatement,
        synthesize,
    )

__all__ = [
    'BudgetLedger',
    'ClustMixMultiTableSynthesizer',
    'ClustMixSequentialSynthesizer',
    'ClustMixSynthesizer',
    'DatabaseStatement',
    'PrivacyStatement',
    '__version__',
    'synthesize',
]


def __getattr__(name: str) -> Any:
    """Import public names at first use, because SDV imports slowly."""
    if name not in __all__:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    if name == '__version__':
        from sdv_threea.storage.files import get_version

        return get_version()
    if name == 'BudgetLedger':
        from sdv_threea.storage.ledger_files import BudgetLedger

        return BudgetLedger
    from sdv_threea import synthesizers

    return getattr(synthesizers, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
