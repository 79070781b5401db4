"""The check of transformers of columns that are not modelled: only generators are allowed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sdv.errors import SynthesizerInputError


def refuse_learning(transformers: Mapping[str, Any]) -> None:
    """Refuse transformers that would keep values of columns that are not modelled.

    Raises:
        SynthesizerInputError: If a transformer is not a generator; ``None`` is allowed.
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
    """Return true if the transformer adds no column to the modelled table."""
    outputs = transformer.output_properties.values()
    return transformer.is_generator() and not any('sdtype' in each for each in outputs)
