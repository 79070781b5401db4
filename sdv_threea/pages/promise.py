"""A privacy statement in plain words: sentences and a table of odds for a page."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from sdv_threea.accounting import Odds, odds_from_epsilon, odds_from_mu

UNKNOWN = 'Not known here: no synthesizer with a privacy statement was given.'
NOTHING = 'Nothing, end to end: private rows were read without noise, as the note says.'

HARDLY = (
    'Anybody who sees the synthetic rows can hardly tell whether {unit} was fitted, whatever else '
    'they know and compute, now or later.'
)
COIN = (
    'Suppose a coin decides whether yours is in. Without the synthetic rows a guess is right in 50 '
    'of 100 cases. With them, the best possible guess is right in at most {guessed} of 100.'
)

SHARPENED = (
    'For training models, not for analysis: samples make {named} easier to predict than the real '
    'rows do, so coefficients that explain it come out too large. For analysis, fit with alpha=1. '
)
NARROW = 'Intervals computed as if rows were real are too narrow: they ignore the noise.'

EXPOSED = (
    'delta={delta:g} is at or above 1 / (released number of {units}): the promise would be kept if '
    '{exposed:,} of them were exposed entirely. Choose a much smaller delta.'
)

#: The strength of a promise in words, by the largest rate at which the best guesser is right. At
#: the default delta the rates belong to epsilons of 1, 3 and 8, as in docs/privacy.md.
STRENGTHS = (
    (0.55, 'strong'),
    (0.63, 'moderate'),
    (0.78, 'weak against those who know all other rows'),
)
BEYOND = 'very weak'

#: A column gets its own sentence if at least this share of rows has a value that samples lack.
WORTH_A_LINE = 0.01

STEPS = (0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0)


def list_receipts(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the receipts of a statement; in a database each has the unit that paid."""
    receipts = facts.get('receipts', [])
    if isinstance(receipts, list):
        return receipts
    return [{**each, 'unit': unit} for unit, several in receipts.items() for each in several]


def tell_losses(synthesizer: Any) -> tuple[str, ...]:
    """Return sentences on the values that samples lack, one per column, the worst first.

    Columns that lack few values share a sentence.
    """
    tell = getattr(synthesizer, 'get_losses', None)
    if tell is None:
        return ()
    told = tell()
    lost = told[told['loss'] != ''].sort_values('share', ascending=False, kind='stable')
    little = lost['share'] < WORTH_A_LINE
    names = ['.'.join(map(str, each)) if isinstance(each, tuple) else each for each in lost.index]
    lines = [
        f'{name}: {said}'
        for name, said, is_little in zip(names, lost['said'], little, strict=True)
        if not is_little
    ]
    if few := int(little.sum()):
        others = ' more' if lines else ''
        columns = f'{few}{others} column{"s" if few > 1 else ""}'
        lines.append(
            f'In {columns}, less than {WORTH_A_LINE:.0%} of the rows is lost, within the accuracy '
            'of noisy counts.'
        )
    return tuple(lines)


def share_stages(receipts: Sequence[Mapping[str, Any]]) -> pd.Series:
    """Return the share of each stage in the sum of ``mu ** 2`` over all charged receipts."""
    costs: dict[str, float] = {}
    for each in receipts:
        if each['charged'] and math.isfinite(each['mu']):
            costs[each['stage']] = costs.get(each['stage'], 0.0) + each['mu'] ** 2
    shares = pd.Series(costs, dtype=float)
    return shares / shares.sum()


def is_promised(facts: Mapping[str, Any]) -> bool:
    """Return whether anything is promised end to end."""
    return bool(facts) and facts.get('guarantee') != 'paper' and math.isfinite(facts['epsilon'])


def tell_promise(facts: Mapping[str, Any]) -> list[str]:
    """Return the promise of a statement in sentences; also for an unknown or missing promise."""
    if not facts:
        return [UNKNOWN]
    if not is_promised(facts):
        return [NOTHING]
    odds = find_odds(facts)
    fits = facts.get('fits', 1)
    again = (
        [f'The synthesizer was fitted {fits} times: this is the promise of one of these fits.']
        if fits > 1
        else []
    )
    return [
        HARDLY.format(unit=facts.get('unit', 'any one unit' if 'tables' in facts else 'one row')),
        COIN.format(guessed=math.ceil(100 * odds.guessed)),
        f'That is ε = {facts["epsilon"]:g} at δ = {facts["delta"]:g}, a promise that is '
        f'{name_strength(odds.guessed)}.',
        *tell_exposed(facts['delta'], facts.get('exposed', 0), database='tables' in facts),
        *again,
    ]


def tell_use(sharpened: Sequence[str]) -> str:
    """Say what the rows may be used for; ``sharpened`` targets are too easy to predict."""
    return (SHARPENED.format(named=' and '.join(sharpened)) if sharpened else '') + NARROW


def tell_exposed(delta: float, exposed: int, *, database: bool = False) -> list[str]:
    """Return a warning if ``delta`` lets ``exposed`` rows or units be published unprotected."""
    units = 'units' if database else 'rows'
    return [EXPOSED.format(delta=delta, exposed=exposed, units=units)] if exposed else []


def find_odds(facts: Mapping[str, Any]) -> Odds:
    """Return the odds of a statement: from its exact price, or else from its epsilon and delta."""
    if 'mu' not in facts:
        return odds_from_epsilon(facts['epsilon'], facts['delta'])
    return odds_from_mu(
        facts['mu'], math.fsum(each.get('delta', 0.0) for each in list_receipts(facts))
    )


def name_strength(guessed: float) -> str:
    """Return the strength of a promise in words; ``guessed``: the best guesser's success rate."""
    return next((word for most, word in STRENGTHS if guessed <= most), BEYOND)


def list_odds(facts: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Yield the rows of a table: the best guesser's odds at this epsilon and at others."""
    own = facts['epsilon']
    rows = {epsilon: odds_from_epsilon(epsilon, facts['delta']) for epsilon in STEPS}
    for epsilon, odds in sorted((rows | {own: find_odds(facts)}).items()):
        yield {
            'ε': f'{epsilon:g}' + (' (here)' if epsilon == own else ''),
            'a coin is guessed right, of 100': f'{100 * odds.guessed:.1f}',
            'found of 100, with 1 % false alarms': f'{100 * odds.found:.1f}',
            'AUC of the guesser': f'{odds.auc:.3f}',
        }
