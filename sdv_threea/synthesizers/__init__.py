"""SDV's interface to the other folders of this package; it computes nothing itself.

These modules may hold private rows while a fit lasts, and pass them on unread. A fitted synthesizer
must keep nothing of the private rows except what was released.

* :mod:`~sdv_threea.synthesizers.single_table`: the synthesizer of one table,
* :mod:`~sdv_threea.synthesizers.single_table_adapter`: SDV's base class for one table,
* :mod:`~sdv_threea.synthesizers.multi_table`: the synthesizer of relational tables,
* :mod:`~sdv_threea.synthesizers.multi_table_adapter`: SDV's base class for many tables,
* :mod:`~sdv_threea.synthesizers.sequential`: the synthesizer of sequences,
* :mod:`~sdv_threea.synthesizers.one_call`: fit and sample a DataFrame without metadata,
* :mod:`~sdv_threea.synthesizers.sdgym`: the synthesizer in SDGym's benchmark,
* :mod:`~sdv_threea.synthesizers.sampling`: rows of one table, drawn from its release,
* :mod:`~sdv_threea.synthesizers.database_sampling`: tables of a database, drawn from its release,
* :mod:`~sdv_threea.synthesizers.ruled`: rules between tables, and constraints on sequences,
* :mod:`~sdv_threea.synthesizers.released`: methods of all synthesizers: save, load, datasheet,
* :mod:`~sdv_threea.synthesizers.restoring`: a release as plain values, and back,
* :mod:`~sdv_threea.synthesizers.sheets`: the facts of the datasheet,
* :mod:`~sdv_threea.synthesizers.statement`: the privacy statement: the promise and its cost,
* :mod:`~sdv_threea.synthesizers.check`: the result of ``check()``: columns, and reasons to stop,
* :mod:`~sdv_threea.synthesizers.checking`: ``check()`` of a table or a database, without a row,
* :mod:`~sdv_threea.synthesizers.disclosing`: checks before a fit, warnings after it,
* :mod:`~sdv_threea.synthesizers.protection`: who is protected in a database, and noise, in words,
* :mod:`~sdv_threea.synthesizers.loss_table`: losses as a table, as sentences and as a warning,
* :mod:`~sdv_threea.synthesizers.arguments`: checks of arguments,
* :mod:`~sdv_threea.synthesizers.fixed`: arguments that cannot be changed after construction,
* :mod:`~sdv_threea.synthesizers.divided`: databases that are not in memory, prepared for a fit,
* :mod:`~sdv_threea.synthesizers.turns`: one thread at a time; failed fits leave nothing behind,
* :mod:`~sdv_threea.synthesizers.progress`: progress bars, and SDV's log without row counts,
* :mod:`~sdv_threea.synthesizers.private_names`: private names of SDV and RDT.
"""

from typing import TYPE_CHECKING, Any

# Complete the import of SDV first: it loads its plug-ins, and so this folder.
import sdv.single_table  # noqa: F401

from sdv_threea.synthesizers import private_names  # noqa: F401
from sdv_threea.synthesizers.multi_table import ClustMixMultiTableSynthesizer
from sdv_threea.synthesizers.sequential import ClustMixSequentialSynthesizer
from sdv_threea.synthesizers.single_table import ClustMixSynthesizer
from sdv_threea.synthesizers.statement import DatabaseStatement, PrivacyStatement

if TYPE_CHECKING:
    from sdv_threea.synthesizers.one_call import AssumptionWarning, synthesize

__all__ = [
    'AssumptionWarning',
    'ClustMixMultiTableSynthesizer',
    'ClustMixSequentialSynthesizer',
    'ClustMixSynthesizer',
    'DatabaseStatement',
    'PrivacyStatement',
    'synthesize',
]


def __getattr__(name: str) -> Any:
    """Import ``synthesize`` at its first use, because it needs the metadata helpers."""
    if name not in __all__:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    from sdv_threea.synthesizers import one_call

    return getattr(one_call, name)
