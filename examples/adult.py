"""Release Adult under differential privacy, and see what the release is worth.

    python examples/adult.py --epsilon 1

Fits the official training part (32,561 people of the 1994 US census), prints the privacy
statement and the scores on the official test part, and writes the synthetic table and a report
page to ``examples/output/``.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from sdv_threea import ClustMixSynthesizer
from sdv_threea.datasets import load_adult
from sdv_threea.report import make_report

OUTPUT = Path(__file__).parent / 'output'


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--epsilon', type=float, default=1.0, help='privacy budget (default: 1)')
    parser.add_argument('--delta', type=float, default=1e-6, help='default: 1e-6')
    parser.add_argument('--rows', type=int, default=32_561, help='synthetic rows (default: 32561)')
    parser.add_argument(
        '--public-metadata',
        action='store_true',
        help='take the ranges and categories of the columns as public knowledge',
    )
    return parser.parse_args()


def main() -> None:
    """Fit, sample, measure, write."""
    arguments = parse_arguments()
    train, test, metadata = load_adult(public_metadata=arguments.public_metadata)

    print(f'Fitting {len(train):,} people at epsilon {arguments.epsilon:g} ...')
    start = time.perf_counter()
    synthesizer = ClustMixSynthesizer(
        metadata,
        epsilon=arguments.epsilon,
        delta=arguments.delta,
        target_column='income',
        public_metadata=arguments.public_metadata,
    )
    synthesizer.fit({'adult': train})
    print(f'... took {time.perf_counter() - start:.0f} seconds.\n')
    print(synthesizer.get_privacy_statement())

    synthetic = synthesizer.sample(num_rows=arguments.rows)['adult']
    report = make_report(train, synthetic, metadata, synthesizer=synthesizer, test=test)
    print(f'\nLightGBM trained on each table and tested on {len(test):,} real people:\n')
    print(report.utility['income'].scores.drop(columns='note').round(3).to_string())
    quality = report.quality
    print(
        f'\nSDMetrics quality {quality.overall:.3f} (columns {quality.shapes:.3f}, '
        f'pairs {quality.pairs:.3f}), validity {quality.diagnostic:.3f}'
    )

    OUTPUT.mkdir(exist_ok=True)
    synthetic.to_csv(OUTPUT / 'adult_synthetic.csv', index=False)
    report.save_html(OUTPUT / 'adult_report.html', title=f'Adult at epsilon {arguments.epsilon:g}')
    print('\nWrote examples/output/adult_synthetic.csv and examples/output/adult_report.html')


if __name__ == '__main__':
    main()
