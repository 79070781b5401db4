"""Runs a job with smartnoise-synth, inside its environment: ``run_smartnoise.py job.json``.

The methods are MST, PATE-CTGAN and DP-CTGAN. All transformers are fitted here to the public
facts instead of to the table, so nothing is left to pay for and all of epsilon goes to the model.
Which transformer a column gets is as the peer would choose from the facts: categories are labels;
whole numbers with fewer than 150 values are one label each; other numbers are ten bins of equal
width, whose middles come back (MST), or are scaled to [-1, 1] (the GANs, which see labels one
hot). Hyper-parameters are the defaults.

Missing categories are a label more. Missing numbers are a second column, of two values; a GAN draws
it from a tanh that hardly ever reaches the 1 of a gap, so its numbers come back without gaps.

The GANs spend more than they are given, and say so nowhere: both check their account only after a
round of training, which they keep, and draw the categories that they condition on from the real
frequencies without noise; the teachers and the student of PATE-CTGAN are one and the same network.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jobs import Job, is_category, run

METHODS = {'MST': 'mst', 'PATE-CTGAN': 'patectgan', 'DP-CTGAN': 'dpctgan'}

#: Below this many values the peer makes whole numbers labels.
ORDINAL = 150


def fit(job: Job, table: Any) -> Callable[[int], Any]:
    """Fit a synthesizer of smartnoise-synth."""
    import numpy as np
    from snsynth import Synthesizer
    from snsynth.transform import TableTransformer

    is_gan = 'GAN' in job['method']
    np.random.seed(job['seed'])  # noqa: NPY002 (the peer draws from the global generator)
    if is_gan:
        import torch

        torch.manual_seed(job['seed'])
    transformer = TableTransformer([_transform(f, is_gan) for f in job['columns'].values()])
    quiet = {'verbose': False} if is_gan else {}
    synthesizer = Synthesizer.create(
        METHODS[job['method']], epsilon=job['epsilon'], delta=job['delta'], **quiet
    )
    synthesizer.fit(table, transformer=transformer)
    return synthesizer.sample


def _transform(facts: dict[str, Any], is_gan: bool) -> Any:
    from snsynth import transform

    nullable = facts['nullable']
    values = _list_values(facts)
    if values is None:
        scale = transform.MinMaxTransformer if is_gan else transform.BinTransformer
        transformer = scale(lower=facts['low'], upper=facts['high'], nullable=nullable)
        transformer.fit([])  # bounds of zero count as missing until then
        return transformer
    labels = transform.LabelTransformer(nullable=nullable)
    transformer = labels
    if is_gan:
        transformer = transform.ChainTransformer([labels, transform.OneHotEncoder()])
    transformer.fit([*values, None] if nullable else values)
    return transformer


def _list_values(facts: dict[str, Any]) -> list[Any] | None:
    """List the values to be labelled; none where the numbers are too many."""
    if is_category(facts):
        return facts['values']
    low, high = facts['low'], facts['high']
    if low == high:
        return [low]
    if facts['integer'] and high - low < ORDINAL:
        return list(range(int(low), int(high) + 1))
    return None


if __name__ == '__main__':
    run(fit)
