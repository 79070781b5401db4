"""Take the picture of a report: the verdict on Adult at epsilon 1, as a browser shows it.

    python docs/make_report_picture.py

It needs Chromium. The real rows are public, so the picture may be, too.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from sdv_threea import ClustMixSynthesizer
from sdv_threea.datasets import load_adult
from sdv_threea.report import make_report

PICTURE = Path(__file__).parent / 'pictures' / 'report.png'

#: The window in pixels: as wide as a laptop's column of text, as high as the grades.
SIZE = 1000, 1150


def main() -> None:
    """Fit, measure, and open the page in a window of that size."""
    browser = shutil.which('chromium') or shutil.which('chromium-browser')
    if browser is None:
        sys.exit('There is no Chromium here.')
    warnings.simplefilter('ignore', UserWarning)
    adult, test, metadata = load_adult()
    synthesizer = ClustMixSynthesizer(metadata, epsilon=1.0, target_column='income')
    synthesizer.fit({'adult': adult})
    synthetic = synthesizer.sample(num_rows=len(adult))['adult']
    report = make_report(adult, synthetic, metadata, synthesizer=synthesizer, test=test)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / 'report.html'
        report.save_html(page, title='Adult at epsilon 1')
        flags = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars']
        where = [f'--user-data-dir={folder}/profile', f'--window-size={SIZE[0]},{SIZE[1]}']
        command = [browser, *flags, *where, f'--screenshot={PICTURE}', page.as_uri()]
        subprocess.run(command, check=True, capture_output=True)


if __name__ == '__main__':
    main()
