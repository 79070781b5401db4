"""The plug-in: translation between SDV and the rooms below, without arithmetic.

* :mod:`~sdv_threea.synthesizers.single_table`: the synthesizer of one table,
* :mod:`~sdv_threea.synthesizers.multi_table`: the synthesizer of relational tables,
* :mod:`~sdv_threea.synthesizers.sampled`: numbers of rows, batches and names as asked for,
* :mod:`~sdv_threea.synthesizers.partitioned`, :mod:`~sdv_threea.synthesizers.parquet`: rows in
  files, more than fit into memory,
* :mod:`~sdv_threea.synthesizers.schema`: the metadata as a public description of the table,
* :mod:`~sdv_threea.synthesizers.cells`: the values, there and back,
* :mod:`~sdv_threea.synthesizers.storage`: dtypes, and the proxy table from which SDV learns,
* :mod:`~sdv_threea.synthesizers.validation`: checks of the private table,
* :mod:`~sdv_threea.synthesizers.arguments`: checks of arguments,
* :mod:`~sdv_threea.synthesizers.attempts`: what is left of a fit that is stopped,
* :mod:`~sdv_threea.synthesizers.saving`: saving and loading, whole or not at all,
* :mod:`~sdv_threea.synthesizers.transformed`: the transformers of a synthesizer; of RDT's a user
  may choose :mod:`~sdv_threea.synthesizers.generators`, and for modelled columns those that are
  :mod:`~sdv_threea.synthesizers.allowed` as an :mod:`~sdv_threea.synthesizers.outer` step,
* :mod:`~sdv_threea.synthesizers.statement`: what is promised,
* :mod:`~sdv_threea.synthesizers.sdgym`: the synthesizer as an entrant of SDGym,
* :mod:`~sdv_threea.synthesizers.logs`, :mod:`~sdv_threea.synthesizers.version`: as they say.
"""

# SDV loads its plug-ins while it is imported, and it has to be complete by then.
import sdv.single_table  # noqa: F401

from sdv_threea.synthesizers.multi_table import ClustMixMultiTableSynthesizer
from sdv_threea.synthesizers.single_table import ClustMixSynthesizer
from sdv_threea.synthesizers.statement import DatabaseStatement, PrivacyStatement

__all__ = [
    'ClustMixMultiTableSynthesizer',
    'ClustMixSynthesizer',
    'DatabaseStatement',
    'PrivacyStatement',
]
