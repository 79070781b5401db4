"""The verdict of a report: the uses of the release, its losses, and advice."""

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from sdv_threea.pages.fragments import percent
from sdv_threea.pages.promise import is_promised
from sdv_threea.report.fidelity import NEVER, ONE, TWO, Fidelity
from sdv_threea.report.quality import Quality
from sdv_threea.report.utility import GUESSING, Utility

#: Grades by the smallest position of a score between chance (0) and real rows (1).
GRADES = ((0.99, 'like real rows'), (0.9, 'good'), (0.6, 'fair'), (0.2, 'poor'))
#: A score within the noise of real rows is graded 'like real rows' only if the low end of its range
#: is at least this: otherwise the noise is too large for that grade.
LEAST_FAIR = 0.6

WORST = 'no better than chance'
UNDEFINED = 'nothing to tell'

#: Scores at most this many standard deviations of noise apart count as equal.
DEVIATIONS = 2.0

#: Standard deviation of a position between fits of one table, as a share of its distance from 1:
#: 0.14 is the median over five scores, three tables and epsilon 1 and 8 (five fits each).
BETWEEN_FITS = 0.15

#: A column counts as lost from this share of rows with lost values, or with new missing values.
TELLING = 0.02

#: The largest number of columns that one sentence names.
MOST_NAMED = 6

#: Constraints on which values may occur together: of two categories, or of a category and a number.
RULES = {True: 'FixedCombinations', False: 'Inequality, Formula or IfThen'}

GOOD, USELESS = ('like real rows', 'good'), ('poor', WORST)


NAMES = {ONE: 'Error of single columns', TWO: 'Error of pairs of columns', NEVER: 'Impossible rows'}
USES = {
    ONE: 'counts and averages of single columns',
    TWO: 'relations between two columns',
    NEVER: 'rows that are read one by one',
}


@dataclass(frozen=True, kw_only=True)
class Grade:
    """A score of the synthetic rows, compared with the scores of chance and of real rows.

    Args:
        name: The measure.
        use: The use of the release if the grade is good; empty if another grade has it.
        synthetic: The score of the synthetic rows.
        real: The score of real rows.
        chance: The score of rows without any information on the measure.
        spread: Standard deviation of ``synthetic``, by the noise of the test.
        real_spread: Standard deviation of ``real``.
        share: True if the score is a share of rows.
        error: True if a smaller score is better. If other real rows then score no better than
            chance, the score has no grade.
        least: If above 0, scores are compared by their ratio, and smaller scores are raised to this
            one. If chance is below :data:`TELLING`, the score then has no grade: even rows without
            information are hardly ever wrong. If 0, scores are compared by their difference.
    """

    name: str
    use: str
    synthetic: float
    real: float
    chance: float
    spread: float = 0.0
    real_spread: float = 0.0
    share: bool = False
    error: bool = False
    least: float = 0.0

    @property
    def position(self) -> float:
        """The position of the score between chance (0) and real rows (1)."""
        return self._place(self.synthetic)

    @property
    def band(self) -> tuple[float, float]:
        """The range of positions that two of three other fits of the same table have."""
        fits = BETWEEN_FITS * (1.0 - self.position)
        low, high = (math.hypot(self.position - end, fits) for end in self._place_noise())
        return self.position - low, self.position + high

    @property
    def real_range(self) -> tuple[float, float]:
        """The range of positions of real rows, due to the noise of the test."""
        noise = DEVIATIONS * self.real_spread
        low, high = sorted([self._place(self.real + noise), self._place(self.real - noise)])
        return (low, high) if math.isfinite(low) else (1.0, 1.0)

    @property
    def word(self) -> str:
        """The grade in words; two grades if other fits may get either."""
        noise = DEVIATIONS * math.hypot(self.spread, self.real_spread)
        if not math.isfinite(self.position):
            return UNDEFINED if math.isfinite(self.synthetic) else WORST
        lost = self.error and self.real > self.chance
        rare = self.least > 0 and self.chance < TELLING
        if abs(self.real - self.chance) <= noise or lost or rare:
            return UNDEFINED
        if self._place_noise()[1] >= 1.0 and self.band[0] >= LEAST_FAIR:
            return GRADES[0][1]
        low, high = (_summarize(_name_position(end)) for end in self.band)
        return _name_position(self.position) if low == high else f'{low} to {high}'

    @property
    def band_word(self) -> str:
        """The grade for a sentence: ``'between fair and good'`` if other fits may get either."""
        low, several, high = self.word.partition(' to ')
        return f'between {low} and {high}' if several else low

    @property
    def is_good(self) -> bool:
        """Whether the score is good, and other fits of the table would be good too."""
        return self.word in GOOD

    @property
    def is_useless(self) -> bool:
        """Whether the score is poor, and other fits of the table would be poor too."""
        return self.word in USELESS

    def spell(self, score: float) -> str:
        """Return a score as text."""
        return percent(score) if self.share else f'{score:.3f}'

    def _place_noise(self) -> tuple[float, float]:
        noise = DEVIATIONS * math.hypot(self.spread, self.real_spread)
        low, high = sorted(self._place(self.synthetic + each) for each in (noise, -noise))
        return low, high

    def _place(self, score: float) -> float:
        if self.real == self.chance:
            return math.nan
        if not self.least:
            return (score - self.chance) / (self.real - self.chance)
        scaled, real, chance = (
            math.log(max(each, self.least)) for each in (score, self.real, self.chance)
        )
        return (scaled - chance) / (real - chance) if real != chance else math.nan


def _name_position(position: float) -> str:
    return next((word for least, word in GRADES if position >= least), WORST)


def _summarize(word: str) -> str:
    return 'good' if word in GOOD else 'poor' if word in USELESS else word


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The facts for a decision. Not differentially private: they compare with real rows.

    Args:
        grades: The scores, compared with those of real rows and of chance.
        good, bad, lost, advice: Uses, unsuitable uses, losses and ways to a better release, in
            words.
    """

    grades: tuple[Grade, ...]
    good: tuple[str, ...] = field(default=())
    bad: tuple[str, ...] = field(default=())
    lost: tuple[str, ...] = field(default=())
    advice: tuple[str, ...] = field(default=())

    @property
    def headline(self) -> str:
        """The uses that the release is good for, and not good for, in up to three sentences."""
        said = []
        if self.good:
            said.append(f'Good for {_join(self.good)}.')
        if self.bad:
            said.append(f'Not for {_join(self.bad)}.')
        middling = [
            f'{each.use} ({each.band_word})'
            for each in self.grades
            if each.use and not (each.is_good or each.is_useless or each.word == UNDEFINED)
        ]
        if middling:
            said.append(f'Check its grades before you use it for {_join(middling)}.')
        return ' '.join(said) or 'Nothing could be measured.'


def judge(
    quality: Quality,
    fidelity: Fidelity,
    utility: Mapping[str, Utility],
    statement: Mapping[str, Any],
    losses: Sequence[str] = (),
    draws: pd.DataFrame | None = None,
) -> Verdict:
    """Return the grades of a release, its losses and advice.

    ``statement`` is the privacy statement, empty if there is none. ``losses`` are the sentences of
    the synthesizer. ``draws`` are the scores of several samples, which are averaged.
    """
    drawn = pd.DataFrame() if draws is None else draws
    grades = tuple(
        [
            *_grade_models(utility, drawn),
            *_grade_fidelity(fidelity, drawn),
            *_grade_quality(quality, fidelity),
        ]
    )
    weak = {each.name for each in grades if not each.is_good and each.word != UNDEFINED}
    return Verdict(
        grades=grades,
        good=tuple(each.use for each in grades if each.use and each.is_good),
        bad=tuple(each.use for each in grades if each.use and each.is_useless),
        lost=(*losses, *_tell_lost(fidelity)),
        advice=tuple(_advise(weak, fidelity, statement, bool(utility))),
    )


def _average(grade: Grade, name: str, draws: pd.DataFrame) -> Grade:
    if name not in draws:
        return grade
    scores = draws[name]
    spread = math.hypot(grade.spread, float(scores.std(ddof=1)))
    return replace(grade, synthetic=float(scores.mean()), spread=spread)


def _grade_models(utility: Mapping[str, Utility], draws: pd.DataFrame) -> Iterable[Grade]:
    for target, each in utility.items():
        metric = each.scores.columns[0]
        grade = Grade(
            name=f'{metric} of models that predict {target}',
            use=f'training models that predict {target}',
            synthetic=float(each.scores.loc['synthetic', metric]),
            real=float(each.scores.loc['real', metric]),
            chance=GUESSING[metric],
            spread=each.spread.get('synthetic', 0.0),
            real_spread=each.spread.get('real', 0.0),
        )
        yield _average(grade, f'{metric} of {target}', draws)


def _grade_fidelity(fidelity: Fidelity, draws: pd.DataFrame) -> Iterable[Grade]:
    for measure, row in fidelity.scores.iterrows():
        name, use = NAMES[str(measure)], USES[str(measure)]
        spreads = {'spread': float(row['spread']), 'real_spread': float(row['spread'])}
        scores = {role: float(row[role]) for role in ('synthetic', 'real', 'chance')}
        # Compare shares by their ratio: a small share is bad too if it is forty times that of real
        # rows.
        least = fidelity.one_row if measure == NEVER else 0.0
        grade = Grade(name=name, use=use, share=True, error=True, least=least, **scores, **spreads)
        yield _average(grade, str(measure), draws)


def _grade_quality(quality: Quality, fidelity: Fidelity) -> Iterable[Grade]:
    if math.isfinite(quality.real):
        # SDMetrics' score consists mostly of pairs, so their noise is used for it.
        pairs = fidelity.scores.loc[TWO] if TWO in fidelity.scores.index else None
        share = 0.0 if pairs is None else pairs['spread'] / abs(pairs['chance'] - pairs['real'])
        spread = float(share) * abs(quality.real - quality.chance)
        yield Grade(
            name='Quality by SDMetrics',
            use='',
            synthetic=quality.in_common_bins,
            real=quality.real,
            chance=quality.chance,
            spread=spread,
            real_spread=spread,
        )


def _tell_lost(fidelity: Fidelity) -> Iterable[str]:
    columns = fidelity.columns
    if columns.empty:
        return
    several = len(set(columns['Table'])) > 1
    names = columns['Table'] + '.' + columns['Column'] if several else columns['Column']
    gone = (columns['Missing, synthetic'] == 1) & (columns['Missing, real'] < 1)
    empty = (columns['Missing, synthetic'] == 1) & (columns['Missing, real'] == 1)
    one = (columns['Values, synthetic'] == 1) & (columns['Values, real'] > 1) & ~gone
    more = columns['Missing, synthetic'] - columns['Missing, real']
    told = (
        (gone, 'No synthetic row has a value in {}: everything is missing there.'),
        (empty, 'No row has a value in {}, neither real nor synthetic.'),
        (one, 'All synthetic rows have the same value, or interval, in {}.'),
        (
            (columns['Lost'] >= TELLING) & ~gone & ~one,
            f'Values of at least {TELLING:.0%} of the real rows never occur in {{}}.',
        ),
        (
            (columns['New'] >= TELLING) & ~gone,
            f'At least {TELLING:.0%} of the synthetic rows have a value that no real row has in '
            '{}.',
        ),
        ((more >= TELLING) & ~gone, 'More values are missing than in the real rows in {}.'),
    )
    for chosen, sentence in told:
        if chosen.any():
            yield sentence.format(name_some(names[chosen]))


def _advise(
    weak: Set[str], fidelity: Fidelity, statement: Mapping[str, Any], trained: bool
) -> Iterable[str]:
    if NAMES[NEVER] in weak:
        yield from _advise_rules(fidelity)
    stated = any('stated in the metadata' in fact for fact in statement.get('public', []))
    if weak and statement and not stated:
        yield (
            'State ranges and values in the metadata that are public knowledge, and pass '
            'public_metadata=True: stated facts cost no budget.'
        )
    if weak & {NAMES[ONE], NAMES[TWO]} and statement.get('sharpened'):
        yield (
            'Fit with alpha=1 if the rows are for analysis: columns and their relations get the '
            f'budget that makes {_join(statement["sharpened"])} easier to predict.'
        )
    if weak and 'tables' in statement:
        yield (
            'Choose the smallest privacy_unit that needs protection, and state max_children: units '
            'with fewer rows need less noise.'
        )
    if weak and is_promised(statement):
        yield (
            f'Spend more than ε = {statement["epsilon"]:g} if the promise may be weaker, or fit '
            'more rows: the noise stays the same, so twice the rows help as much as twice the ε. '
            'The costs of another fit are added to those of this one.'
        )
    if weak:
        yield 'Leave out columns that nobody needs: all columns share the budget.'
    if not trained:
        yield (
            "Pass real rows that were not fitted as 'test', and a target: models are not measured "
            'without them.'
        )


def _advise_rules(fidelity: Fidelity) -> Iterable[str]:
    """Advise constraints for the pairs of columns with most impossible rows."""
    impossible = [each.told for each in fidelity.impossible.values() if len(each.told)]
    if not impossible:
        return
    worst = pd.concat(impossible).sort_values('Rows', ascending=False).head(3)
    for kinds, rows in worst.groupby(worst['Categories'].map(RULES), sort=False):
        pairs = [f'{a} with {b}' for a, b in rows[['Column 1', 'Column 2']].to_numpy()]
        yield (
            f'State which values occur together ({_join(pairs)}) as constraints ({kinds}), if that '
            'is public knowledge: then no sampled row breaks them.'
        )


def name_some(names: Iterable[object]) -> str:
    """Return the first few names as a text, and the number of the others."""
    every = [str(name) for name in names]
    if len(every) <= MOST_NAMED:
        return _join(every)
    return f'{", ".join(every[:MOST_NAMED])} and {len(every) - MOST_NAMED} more columns'


def _join(names: Sequence[str]) -> str:
    return ', '.join(names[:-1]) + (' and ' if len(names) > 1 else '') + names[-1]
