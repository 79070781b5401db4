"""SDV's interface to the other folders of this package, without arithmetic.

These modules may hold private rows while a fit lasts, and pass them on without reading them. A
fitted synthesizer must keep nothing of the private rows except what was released.

* :mod:`~sdv_threea.synthesizers.single_table`: the synthesizer of one table,
* :mod:`~sdv_threea.synthesizers.single_table_adapter`: SDV's base class for one table,
* :mod:`~sdv_threea.synthesizers.sampling`: rows drawn from a release, as the user stores them,
* :mod:`~sdv_threea.synthesizers.database_sampling`: the same for the tables of a database,
* :mod:`~sdv_threea.synthesizers.one_call`: a DataFrame without metadata, in one call,
* :mod:`~sdv_threea.synthesizers.multi_table`: the synthesizer of relational tables,
* :mod:`~sdv_threea.synthesizers.multi_table_adapter`: SDV's base class for many tables,
* :mod:`~sdv_threea.synthesizers.ruled`: rules between tables, kept by samples, and constraints of
  sequences,
* :mod:`~sdv_threea.synthesizers.sequential`: the synthesizer of sequences,
* :mod:`~sdv_threea.synthesizers.released`: what all synthesizers have,
* :mod:`~sdv_threea.synthesizers.restoring`: a release as plain values, and back,
* :mod:`~sdv_threea.synthesizers.sheets`: the facts of the datasheet,
* :mod:`~sdv_threea.synthesizers.statement`: the promise of a release, and its cost,
* :mod:`~sdv_threea.synthesizers.check`: the result of a check: columns, and reasons to stop a fit,
* :mod:`~sdv_threea.synthesizers.checking`: the check of a table or a database, which reads no row,
* :mod:`~sdv_threea.synthesizers.disclosing`: the messages before a fit and after it, and warnings
  about weak promises, refits and rejected rows,
* :mod:`~sdv_threea.synthesizers.protection`: the protection of tables, and the noise in each,
* :mod:`~sdv_threea.synthesizers.loss_table`: losses as a table, as sentences and as a warning,
* :mod:`~sdv_threea.synthesizers.arguments`: checks of the arguments of a synthesizer, and of a
  sample,
* :mod:`~sdv_threea.synthesizers.divided`: databases that are not in memory, made ready for a fit,
* :mod:`~sdv_threea.synthesizers.fixed`: arguments that cannot be changed after construction,
* :mod:`~sdv_threea.synthesizers.turns`: one thread at a time, and nothing left of failed fits,
* :mod:`~sdv_threea.synthesizers.progress`: progress bars without times, and SDV's event log without
  private numbers,
* :mod:`~sdv_threea.synthesizers.private_names`: private names of SDV and RDT,
* :mod:`~sdv_threea.synthesizers.sdgym`: the synthesizer as an entrant of SDGym.
"""

from typing import TYPE_CHECKING, Any

# SDV loads its plug-ins at import, and has to be complete by then.
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
    """Import the call without metadata at first use, as it needs the metadata helpers."""
    if name not in __all__:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    from sdv_threea.synthesizers import one_call

    return getattr(one_call, name)
