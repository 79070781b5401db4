"""Write the tables and the picture of ``docs/privacy.md``: all that stands between its markers.

    python docs/make_privacy.py

The text around them is written by hand. ``tests/test_receipts.py`` compares the table of
releases with the ledgers of real fits.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path

from sdv_threea.accounting import epsilon_from_mu, mu_from_epsilon, odds_from_mu
from sdv_threea.constants import RelationalConstants
from sdv_threea.pages.plots import INK, RULE, SYNTHETIC_COLOR
from sdv_threea.settings import MIXED, SHARES, THRESHOLD_SHARE
from sdv_threea.statistics.kind import Kind
from sdv_threea.statistics.registry import REGISTRY, name_part

PAGE = Path(__file__).parent / 'privacy.md'
PICTURE = Path(__file__).parent / 'pictures' / 'budget.svg'

DELTA = 1e-6
EPSILONS = (0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0)
FITS = (1, 2, 4, 10)
TOTAL_DELTA = 1e-5

#: What the stages of a budget do, in words.
STAGES = {stage: name_part('functions' if stage == 'triples' else stage) for stage in SHARES}


#: The stages that have nothing to do where pairs of columns are counted: their shares pay for that.
#: Without labels all shares are parts of what those of labels leave.
IDLE_WITH_PAIRS = ('classes', 'triples')


def write_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a table of Markdown."""
    header = list(header)
    return '\n'.join(f'| {" | ".join(row)} |' for row in (header, ['---'] * len(header), *rows))


def write_releases() -> str:
    """Write the table of all releases."""
    header = ['stage', 'what is released', 'added or removed', 'replaced', 'paid by', 'proof']
    return write_table(header, map(_write_kind, REGISTRY.values()))


def _write_kind(kind: Kind) -> list[str]:
    """Write a row of that table."""
    if kind.about_units:
        orphans = kind.share == 'orphans'
        share = SHARES['size'] if orphans else RelationalConstants.part_of_counts
        paid = f'{kind.share}, {share:.0%} of a table'
    elif kind.share == 'pairs':
        share = math.fsum(SHARES[stage] for stage in IDLE_WITH_PAIRS)
        paid = f'{" and ".join(IDLE_WITH_PAIRS)}, {share:.0%}'
    else:
        paid = f'{kind.share}, {(SHARES | MIXED)[kind.share]:.0%}'
    proofs = ', '.join(f'`{proof}`' for proof in kind.proofs)
    return [kind.stage, kind.words, *kind.moves, paid, proofs]


def write_meaning() -> str:
    """Write what an attacker can reach at most, by epsilon."""
    rows = []
    for epsilon in EPSILONS:
        mu = mu_from_epsilon(epsilon, DELTA * (1 - THRESHOLD_SHARE))
        odds = odds_from_mu(mu)
        shown = [f'{chance:.1%}' for chance in (odds.found, odds.found_of_ten, odds.guessed)]
        rows.append([f'{epsilon:g}', f'{mu:.3f}', f'{odds.auc:.3f}', *shown])
    header = ['ε', 'μ', 'AUC', 'found at 1 % false alarms', 'at 10 %', 'coin guessed right']
    return write_table(header, rows)


def write_refits() -> str:
    """Write what several fits of one table promise together."""
    mu = mu_from_epsilon(1.0, DELTA * (1 - THRESHOLD_SHARE))
    rows = []
    for fits in FITS:
        delta = TOTAL_DELTA - fits * DELTA * THRESHOLD_SHARE
        total = epsilon_from_mu(math.sqrt(fits) * mu, delta)
        rows.append([str(fits), f'{math.sqrt(fits) * mu:.3f}', f'{total:.2f}'])
    return write_table(['fits', 'μ', f'ε together, at δ = {TOTAL_DELTA:g}'], rows)


def write_statement() -> str:
    """Fit Adult with all blanks asked, and write its statement."""
    from sdv_threea import ClustMixSynthesizer
    from sdv_threea.datasets import load_adult

    adult, _, metadata = load_adult()
    synthesizer = ClustMixSynthesizer(metadata, target_column='income')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit({'adult': adult})
    return f'```text\n{synthesizer.get_privacy_statement()}\n```'


def draw_budget() -> str:
    """Draw the shares of the budget, a bar each, as a vector picture."""
    widest, lines = max(SHARES.values()), []
    for at, (stage, words) in enumerate(STAGES.items()):
        share, top = SHARES[stage], 14 + 30 * at
        width = 220 * share / widest
        lines += [
            f'<text x="90" y="{top + 14}" text-anchor="end">{stage}</text>',
            f'<rect x="100" y="{top}" width="{width:.1f}" height="20" fill="{SYNTHETIC_COLOR}"/>',
            f'<text x="{106 + width:.1f}" y="{top + 14}">{share:.0%} {words}</text>',
        ]
    height = 20 + 30 * len(STAGES)
    return '\n'.join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 {height}" '
            f'font-family="sans-serif" font-size="13" fill="{INK}">',
            f'<rect width="680" height="{height}" fill="white" stroke="{RULE}"/>',
            *lines,
            '</svg>\n',
        ]
    )


def fill(page: str, parts: Mapping[str, str]) -> str:
    """Put each part between its markers, and leave the rest of the page as it is."""
    for name, part in parts.items():
        start, end = f'<!-- {name} -->\n', f'\n<!-- /{name} -->'
        head, rest = page.split(start)
        page = head + start + part + end + rest.split(end)[1]
    return page


def list_parts() -> dict[str, str]:
    """The parts of the page that are the same whenever they are written."""
    return {'releases': write_releases(), 'meaning': write_meaning(), 'refits': write_refits()}


def main() -> None:
    """Write the parts and the picture."""
    parts = list_parts() | {'statement': write_statement()}
    PAGE.write_text(fill(PAGE.read_text('utf-8'), parts), encoding='utf-8')
    PICTURE.write_text(draw_budget(), encoding='utf-8')


if __name__ == '__main__':
    main()
