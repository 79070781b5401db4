"""The constants of describing: what was chosen, why, and what moving it did.

No benchmark moves them one at a time: that of ``docs/constants.md`` takes ranges for public.
They were set by hand, looking mostly at Adult and a little at four other tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


def _weigh_questions() -> dict[str, float]:
    return {
        'classes': 1.0,
        'ranges': 1.4,
        'categories': 0.75,
        'spikes': 0.5,
        'nulls': 0.35,
        'steps': 0.25,
    }


@dataclass(frozen=True, kw_only=True)
class DescribeConstants:
    """The constants of the stage *describe*.

    Args:
        question_weights: Weight of one column in each question. The noise of a question is
            inversely proportional to its weight. Ranges weigh most, because all bins of a number
            follow from them. Set by hand.
        least_for_classes: Share of the budget that the question about classes has at least,
            relative to all others. It is about one column among perhaps hundreds, and everything
            is fitted inside the classes. Set by hand.
        heavy_share: Share of a column's records from which a single number counts as heavy, and
            gets a code by itself. Set by hand.
        believed: Missing values, and numbers finer than a step, are believed in if their count
            exceeds this many noise scales. Set by hand.
        false_alarm: Chance that noise alone makes any run of bins of any column stand out. Set by
            hand.
        runs: Lengths of the runs of bins that are looked at, in bins of the public grid. Powers of
            two find values however widely they are spread. Set by hand.
        outermost: Least evidence for the outermost bins of a run that stands out, in noise scales.
            Set by hand.
        per_octave: Where no run stands out, small orders of magnitude are likelier. This is what
            an octave away from one costs, as the logarithm of a likelihood. Set by hand.
        next_bin: Evidence that a single bin next to the range needs to belong to it, in noise
            scales. Set by hand.
        next_run: The same for a longer run of bins next to the range, per root of its length. Set
            by hand.
        run_length: The longest such run. Set by hand.
        generous: Factor on ``next_bin`` and ``next_run`` where each value has a code by itself and
            is looked at once more. Set by hand.
        thin: A tail is extended beyond the last bin only if the count of that bin is below this
            many noise scales. Set by hand.
        overshoot: Chance that any range ends beyond the values of its column. A sampled value
            outside the real range is an invalid one; but ranges that end early cost the scores of
            pairs. Set by hand.
        extrapolated_overshoot: The same where ranges are extrapolated anyway: the expected number
            of such ranges, which may exceed one. Set by hand.
    """

    question_weights: Mapping[str, float] = field(default_factory=_weigh_questions)
    least_for_classes: float = 0.18
    heavy_share: float = 0.002
    believed: float = 4.0
    false_alarm: float = 0.01
    runs: tuple[int, ...] = (1, 2, 4, 8, 16)
    outermost: float = 1.0
    per_octave: float = 0.2
    next_bin: float = 1.4
    next_run: float = 3.0
    run_length: int = 12
    generous: float = 0.3
    thin: float = 8.0
    overshoot: float = 0.1
    extrapolated_overshoot: float = 2.0
