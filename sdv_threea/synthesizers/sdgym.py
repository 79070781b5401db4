"""The synthesizer in SDGym, the benchmark for synthesizers.

SDGym takes a custom synthesizer as two functions, one that trains and one that samples::

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

#: SDGym's name of a table that has no name in its metadata.
TABLE = 'table'


def get_trained_synthesizer(
    data: pd.DataFrame, metadata: Mapping[str, Any], **settings: Any
) -> ClustMixSynthesizer:
    """Fit a synthesizer to a private table: SDGym's function that trains.

    Args:
        data: The private table, shape (rows, columns).
        metadata: SDV's metadata of one table, as a dictionary.
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
    """Sample a table of shape (num_rows, columns): SDGym's function that samples."""
    (table,) = synthesizer.sample(num_rows=num_rows).values()
    return table


def make_sdgym_synthesizer(display_name: str = 'ClustMix', **settings: Any) -> type:
    """Make a class for SDGym's ``custom_synthesizers``.

    Args:
        display_name: The name in SDGym's results.
        settings: Settings of :class:`ClustMixSynthesizer`, the same for every data set.

    Raises:
        ImportError: If SDGym is missing, or does not work with the installed SDV.
        TypeError: If there is no such setting.
    """
    inspect.signature(ClustMixSynthesizer).bind(None, **settings)
    try:
        sdgym = importlib.import_module('sdgym')
    except ImportError as error:
        raise ImportError(
            'make_sdgym_synthesizer needs SDGym, in a version that works with the installed SDV: '
            f'importing it failed ({error}).'
        ) from error
    made: type = sdgym.create_single_table_synthesizer(
        display_name, partial(get_trained_synthesizer, **settings), sample_from_synthesizer
    )
    return made
