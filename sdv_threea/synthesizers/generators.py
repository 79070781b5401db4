"""Which transformers of RDT's a user may choose: those that make values up."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sdv.errors import SynthesizerInputError


def refuse_learning(transformers: Mapping[str, Any], modelled: Collection[str]) -> None:
    """Refuse transformers that would learn from private rows.

    Args:
        transformers: The transformers that a user wants, by column; ``None`` for none.
        modelled: The columns that are encoded privately.

    Raises:
        SynthesizerInputError: If a column is modelled, or its transformer makes nothing up.
    """
    encoded = [name for name in modelled if name in transformers]
    if encoded:
        raise SynthesizerInputError(
            f'The transformers of the columns {encoded} cannot be changed: they are encoded '
            'privately. Only generators of ids and personal information can be.'
        )
    learning = [
        name for name, each in transformers.items() if each is not None and not _makes_up(each)
    ]
    if learning:
        raise SynthesizerInputError(
            f'The columns {learning} need generators, like AnonymizedFaker or RegexGenerator: '
            'other transformers keep values of the private rows.'
        )


def _makes_up(transformer: Any) -> bool:
    """Tell whether a transformer puts nothing into the table that is modelled."""
    outputs = transformer.output_properties.values()
    return transformer.is_generator() and not any('sdtype' in each for each in outputs)
