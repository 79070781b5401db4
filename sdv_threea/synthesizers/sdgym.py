"""The synthesizer as an entrant of SDGym, the benchmark for synthesizers.

SDGym takes custom synthesizers as two functions, one that trains and one that samples::

    from sdgym import benchmark_single_table

    entrant = make_sdgym_synthesizer(epsilon=3.0)
    benchmark_single_table(synthesizers=[], custom_synthesizers=[entrant])

Only :func:`make_sdgym_synthesizer` imports SDGym, which is not a dependency.
"""

import importlib
import inspect
from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd
from sdv.metadata import Metadata

from sdv_threea.errors import ACCEPTABLE
from sdv_threea.synthesizers.single_table import ClustMixSynthesizer

#: The name of a table without one in its metadata, as in SDGym's.
TABLE = 'table'


def get_trained_synthesizer(
    data: pd.DataFrame, metadata: Mapping[str, Any], **settings: Any
) -> ClustMixSynthesizer:
    """Return a synthesizer fitted to a private table: the function of SDGym's that trains.

    Args:
        data: The private table, shape (rows, columns).
        metadata: SDV's metadata as a dictionary: of the one table, or with the table by name.
        settings: Settings of :class:`ClustMixSynthesizer`.

    Raises:
        SynthesizerInputError: If a setting is out of range.
        InvalidDataError: If the table does not match the metadata.
    """
    described = Metadata.load_from_dict(dict(metadata), single_table_name=TABLE)
    # No user can answer the check during a benchmark.
    synthesizer = ClustMixSynthesizer(described, **{'accept': ACCEPTABLE, **settings})
    synthesizer.fit({name: data for name in described.tables})
    return synthesizer


def sample_from_synthesizer(synthesizer: ClustMixSynthesizer, num_rows: int) -> pd.DataFrame:
    """Sample a table of shape (num_rows, columns): the function of SDGym's that samples."""
    (table,) = synthesizer.sample(num_rows=num_rows).values()
    return table


def make_sdgym_synthesizer(display_name: str = 'ClustMix', **settings: Any) -> type:
    """Make a class for SDGym's ``custom_synthesizers``.

    Args:
        display_name: The name in SDGym's results.
        settings: Settings of :class:`ClustMixSynthesizer`, the same for every data set.

    Raises:
        ImportError: If SDGym is not installed, or not in a version that works with this SDV.
        TypeError: If there is no such setting.
    """
    inspect.signature(ClustMixSynthesizer).bind(None, **settings)
    try:
        sdgym = importlib.import_module('sdgym')
    except ImportError as error:
        raise ImportError(
            'make_sdgym_synthesizer needs SDGym, in a version that works beside the installed SDV: '
            f'importing it failed ({error}).'
        ) from error
    made: type = sdgym.create_single_table_synthesizer(
        display_name, partial(get_trained_synthesizer, **settings), sample_from_synthesizer
    )
    return made
