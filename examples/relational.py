"""Release tables that refer to each other under differential privacy, a whole patient at a time.

    python examples/relational.py --epsilon 3

Fits 8,000 patients with diabetes and their 11,163 stays in hospitals; what the codes of a stay mean
is public. Prints the privacy statement and the scores, and writes the synthetic tables and a report
page to ``examples/output/``.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import pandas as pd

from sdv_threea import ClustMixMultiTableSynthesizer
from sdv_threea.datasets import load_hospital
from sdv_threea.report import make_report

OUTPUT = Path(__file__).parent / 'output'
CODES = ['admission_type', 'discharge_disposition', 'admission_source']


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--epsilon', type=float, default=3.0, help='privacy budget (default: 3)')
    parser.add_argument('--delta', type=float, default=1e-6, help='default: 1e-6')
    return parser.parse_args()


def main() -> None:
    """Fit, sample, measure, write."""
    arguments = parse_arguments()
    tables, metadata = load_hospital()

    print(f'Fitting {len(tables["patient"]):,} patients at epsilon {arguments.epsilon:g} ...')
    start = time.perf_counter()
    synthesizer = ClustMixMultiTableSynthesizer(
        metadata,
        epsilon=arguments.epsilon,
        delta=arguments.delta,
        privacy_unit='patient',
        public_tables=CODES,
        target_column={'encounter': 'readmitted'},
    )
    synthesizer.fit(tables)
    print(f'... took {time.perf_counter() - start:.0f} seconds.\n')
    print(synthesizer.get_privacy_statement())

    synthetic = synthesizer.sample_scale(scale=1.0)
    report = make_report(tables, synthetic, metadata, synthesizer=synthesizer)
    quality = report.quality
    print(f'\nSDMetrics quality {quality.overall:.3f}, validity {quality.diagnostic:.3f}\n')
    print(pd.Series(quality.properties).dropna().round(3).to_string())

    OUTPUT.mkdir(exist_ok=True)
    for name in ('patient', 'encounter'):
        synthetic[name].to_csv(OUTPUT / f'{name}_synthetic.csv', index=False)
    report.save_html(
        OUTPUT / 'hospital_report.html', title=f'Hospital at epsilon {arguments.epsilon:g}'
    )
    print('\nWrote the synthetic tables and hospital_report.html to examples/output')


if __name__ == '__main__':
    main()
