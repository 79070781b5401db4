"""Runs a job with dpmm (MST, AIM or PrivBayes), inside its environment: ``run_dpmm.py job.json``.

The peer is told the ranges of numbers and the values of categories, and pays for neither. Numbers
are cut into bins by PrivTree, which it does pay for. It does so from ``proc_epsilon``, on top of
the ``epsilon`` of the model, so both are scaled here to add up to the budget of the job; the
ratio of ten to one is its own. All else is as in its documentation and its examples: the domain
is compressed, and AIM's model is kept below 80 MB.

Missing values of any column become a second column, of two values; the gaps are filled with a real
value that is drawn without noise (its own doing). Columns that are constant in the table are copied
as they are. Noise comes from OpenDP, which no seed governs; the seed governs the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jobs import Job, is_category, run

#: What binning is paid, for each unit that the model is paid: the default of the pipelines.
BINNING = 0.1


def fit(job: Job, table: Any) -> Callable[[int], Any]:
    """Fit a pipeline of dpmm."""
    from dpmm.pipelines import AIMPipeline, MSTPipeline, PrivBayesPipeline

    pipelines = {'MST': MSTPipeline, 'AIM': AIMPipeline, 'PrivBayes': PrivBayesPipeline}
    has_numbers = not all(is_category(facts) for facts in job['columns'].values())
    epsilon = job['epsilon'] / (1 + BINNING) if has_numbers else job['epsilon']
    pipeline = pipelines[job['method']](
        epsilon=epsilon,
        delta=job['delta'],
        proc_epsilon=job['epsilon'] - epsilon if has_numbers else None,
        max_model_size=80 if job['method'] == 'AIM' else None,
        n_jobs=1,
    )
    pipeline.fit(table, _state_domain(job), random_state=job['seed'])
    return lambda rows: pipeline.generate(n_records=rows, random_state=job['seed'])


def _state_domain(job: Job) -> dict[str, dict[str, Any]]:
    return {
        name: {'categories': facts['values']}
        if is_category(facts)
        else {'lower': facts['low'], 'upper': facts['high']}
        for name, facts in job['columns'].items()
    }


if __name__ == '__main__':
    run(fit)
