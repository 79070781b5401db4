"""The methods of the benchmark: ours, its ablations, the baselines and the peers."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
from baselines import naive_histograms, random_mixing
from peers import PEERS, run_peer
from tables import Split, state_facts

from sdv_threea import ClustMixSynthesizer
from sdv_threea.constants import ApproximateConstants
from sdv_threea.errors import ACCEPTABLE
from sdv_threea.joint.joint_constants import JointConstants
from sdv_threea.settings import SHARES, Constants


@dataclass(frozen=True)
class Terms:
    """What a run may cost: the budget, the seed of what is not secret, and the seconds."""

    epsilon: float
    delta: float
    seed: int
    timeout: float


Result = tuple[pd.DataFrame, dict[str, Any]]
Method = Callable[[Split, Terms], Result]


def clustmix(
    *, public: bool = False, target: bool = True, times: int = 1, **settings: Any
) -> Method:
    """Make a variant of our synthesizer; ``settings`` replace those of its release.

    It draws ``times`` as many rows as it was fitted on.
    """

    def run(split: Split, terms: Terms) -> Result:
        metadata = public_facts(split) if public else split.metadata
        synthesizer = ClustMixSynthesizer(
            metadata,
            epsilon=terms.epsilon,
            delta=terms.delta,
            target_column=split.target if target else None,
            public_metadata=public,
            accept=ACCEPTABLE,
        )
        synthesizer._settings = replace(synthesizer._settings, **settings)
        return _fit_and_sample(synthesizer, split, times)

    return run


def sdv_synthesizer(name: str) -> Method:
    """Make one of SDV's synthesizers, which know no privacy."""

    def run(split: Split, _: Terms) -> Result:
        import sdv.single_table

        synthesizer = getattr(sdv.single_table, name)(split.metadata)
        return _fit_and_sample(synthesizer, split)

    return run


def baseline(draw: Callable[..., pd.DataFrame]) -> Method:
    """Make one of the baselines."""

    def run(split: Split, terms: Terms) -> Result:
        start = time.perf_counter()
        synthetic = draw(split, public_facts(split), terms.epsilon, terms.delta, terms.seed)
        return synthetic, {'fit_seconds': time.perf_counter() - start, 'sample_seconds': 0.0}

    return run


def peer(name: str) -> Method:
    """Make a peer that runs in an environment of its own; it is told the public facts."""
    return lambda split, terms: run_peer(name, split, public_facts(split), terms)


def _fit_and_sample(synthesizer: Any, split: Split, times: int = 1) -> Result:
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit({split.table_name: split.train})
        fitted = time.perf_counter()
        (synthetic,) = synthesizer.sample(num_rows=times * len(split.train)).values()
    seconds = {'fit_seconds': fitted - start, 'sample_seconds': time.perf_counter() - fitted}
    return synthetic, seconds


def public_facts(split: Split) -> Any:
    """State ranges and categories of a table, which are public then."""
    # Both parts: a public range or list of categories does not stop at the training part.
    return state_facts(pd.concat([split.train, split.test]), split.metadata)


#: Ours: ranges and categories estimated privately, or stated.
OURS: dict[str, Method] = {
    'ClustMix': clustmix(),
    'ClustMix, public metadata': clustmix(public=True),
}

#: Noisy numbers are taken at their word: what shrinkage and smoothing are worth.
UNSHRUNK = Constants(approximate=ApproximateConstants(shrink=False))

#: No pairs are counted, so a class is one Gaussian.
UNPAIRED = Constants(joint=JointConstants(most_columns=0))

#: What each part is worth: it is left out, or replaced.
ABLATIONS: dict[str, Method] = {
    'labels as drawn': clustmix(shares=SHARES | {'adapt': 0.0}),
    # At one itself the density is another.
    'labels as uncertain as real ones': clustmix(alpha=0.999),
    'labels twice as sure': clustmix(alpha=0.0),
    'labels .25': clustmix(shares=SHARES | {'adapt': 0.25}),
    'classes .30': clustmix(shares=SHARES | {'classes': 0.30}),
    'describe .28': clustmix(shares=SHARES | {'describe': 0.28}),
    'moments .08': clustmix(shares=SHARES | {'moments': 0.08}),
    'extrapolated ranges': clustmix(extrapolate=True),
    'four times the rows': clustmix(times=4),
    'no pairs': clustmix(constants=UNPAIRED),
    'no target named': clustmix(target=False),
    'no shrinkage': clustmix(constants=UNSHRUNK),
    'the paper': clustmix(mixing='clusters'),
    'the paper, its accounting': clustmix(mixing='clusters', guarantee='paper'),
    'the paper, random mixing': clustmix(mixing='random'),
}

BASELINES: dict[str, Method] = {
    'naive histograms': baseline(naive_histograms),
    'random mixing': baseline(random_mixing),
}

PRIVATE_PEERS: dict[str, Method] = {name: peer(name) for name in PEERS}

#: Without privacy, so without a budget: they run once, at infinity.
NOT_PRIVATE: dict[str, Method] = {
    'GaussianCopula': sdv_synthesizer('GaussianCopulaSynthesizer'),
    'CTGAN': sdv_synthesizer('CTGANSynthesizer'),
    'TVAE': sdv_synthesizer('TVAESynthesizer'),
}

METHODS: dict[str, Method] = OURS | ABLATIONS | BASELINES | PRIVATE_PEERS | NOT_PRIVATE


def applies(name: str, epsilon: float) -> bool:
    """Whether a method is run at a budget: peers need a finite one, SDV's have none."""
    if name in NOT_PRIVATE:
        return math.isinf(epsilon)
    return name not in PRIVATE_PEERS or math.isfinite(epsilon)
