"""Which transformers of RDT's a user may choose for columns that are not modelled: generators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sdv.errors import SynthesizerInputError


def refuse_learning(transformers: Mapping[str, Any]) -> None:
    """Refuse transformers that would keep values of columns that are made up.

    Args:
        transformers: The transformers that a user wants, by column; ``None`` for none.

    Raises:
        SynthesizerInputError: If one makes nothing up.
    """
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
