"""The plug-in: SDV's interface on top of the rooms below, without arithmetic.

It may hold private rows while a fit lasts, and hands them down unread. A fitted synthesizer must
keep nothing of them but what was released.

* :mod:`~sdv_threea.synthesizers.single_table`: the synthesizer of one table,
* :mod:`~sdv_threea.synthesizers.single_table_adapter`: SDV's base class for one table, kept from
  private rows,
* :mod:`~sdv_threea.synthesizers.conditional`: rows by condition, of one table,
* :mod:`~sdv_threea.synthesizers.one_call`: a DataFrame without metadata, in one call,
* :mod:`~sdv_threea.synthesizers.multi_table`: the synthesizer of relational tables,
* :mod:`~sdv_threea.synthesizers.multi_table_adapter`: SDV's base class for many tables,
* :mod:`~sdv_threea.synthesizers.saved`: saving and loading,
* :mod:`~sdv_threea.synthesizers.released`: releases in files that hold no code,
* :mod:`~sdv_threea.synthesizers.publishing`: a datasheet, and a card in notebooks,
* :mod:`~sdv_threea.synthesizers.sheets`: what these are made of,
* :mod:`~sdv_threea.synthesizers.statement`: what is promised, and what it cost,
* :mod:`~sdv_threea.synthesizers.cautions`: warnings about what was released,
* :mod:`~sdv_threea.synthesizers.disclosing`: what a synthesizer tells of its losses,
* :mod:`~sdv_threea.synthesizers.loss_table`: losses in a table, in words, and in a warning,
* :mod:`~sdv_threea.synthesizers.arguments`: checks of what a synthesizer is made with,
* :mod:`~sdv_threea.synthesizers.sample_arguments`: checks of what a sample is asked for,
* :mod:`~sdv_threea.synthesizers.fixed`: arguments are fixed once a synthesizer is made,
* :mod:`~sdv_threea.synthesizers.attempts`: what is left of a fit that is stopped,
* :mod:`~sdv_threea.synthesizers.turns`: threads that sample one synthesizer,
* :mod:`~sdv_threea.synthesizers.progress`: progress bars that tell no times,
* :mod:`~sdv_threea.synthesizers.logs`: SDV's log of events, without private numbers,
* :mod:`~sdv_threea.synthesizers.private_names`: private names of SDV and RDT that all this needs,
* :mod:`~sdv_threea.synthesizers.sdgym`: the synthesizer as an entrant of SDGym.
"""

# SDV loads its plug-ins while it is imported, and it has to be complete by then.
import sdv.single_table  # noqa: F401

from sdv_threea.synthesizers import private_names  # noqa: F401
from sdv_threea.synthesizers.multi_table import ClustMixMultiTableSynthesizer
from sdv_threea.synthesizers.one_call import AssumptionWarning, synthesize
from sdv_threea.synthesizers.single_table import ClustMixSynthesizer
from sdv_threea.synthesizers.statement import DatabaseStatement, PrivacyStatement

__all__ = [
    'AssumptionWarning',
    'ClustMixMultiTableSynthesizer',
    'ClustMixSynthesizer',
    'DatabaseStatement',
    'PrivacyStatement',
    'synthesize',
]
