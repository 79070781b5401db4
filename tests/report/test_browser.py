"""The page in a browser: no error, its search works, no wider than a laptop or a phone."""

import re
import shutil
import subprocess
from types import SimpleNamespace

import pytest

from sdv_threea.datasets import load_adult, load_hospital
from sdv_threea.report import make_report

CHROMIUM = shutil.which('chromium') or shutil.which('chromium-browser')

pytestmark = pytest.mark.skipif(not CHROMIUM, reason='there is no Chromium here')

#: The browser must not use the network.
FLAGS = [
    '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync',
    '--hide-scrollbars', '--enable-logging=stderr', '--v=0', '--virtual-time-budget=10000',
]  # fmt: skip

LAPTOP, PHONE = 1366, 390

#: A script by which a page writes its width to the console, once it is drawn.
RULER = """<script>addEventListener('load', () => setTimeout(() => {
console.log('widths', innerWidth, document.documentElement.scrollWidth) }, 500))</script>"""


@pytest.fixture(scope='module')
def browse(tmp_path_factory):
    """Open a page; return its document once it is drawn, and what its console says."""
    folder = tmp_path_factory.mktemp('chromium')

    def open_page(path):
        window = f'--window-size={LAPTOP},900'
        command = [
            CHROMIUM, *FLAGS, window, f'--user-data-dir={folder}', '--dump-dom', path.as_uri(),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        return done.stdout, re.findall(r'CONSOLE.*?\] "(.*?)", source', done.stderr)

    return open_page


def report_adult():
    real, test, metadata = load_adult()
    promise = {
        'epsilon': 1.0,
        'delta': 1e-6,
        'neighbors': 'add_remove',
        'receipts': [{'stage': 'describe', 'mu': 0.1, 'charged': True, 'released': 'counts'}],
    }
    synthesizer = SimpleNamespace(
        get_privacy_statement=lambda: SimpleNamespace(to_dict=lambda: promise)
    )
    return make_report(
        real[:1500],
        real[1500:3000],
        metadata,
        synthesizer=synthesizer,
        test=test[:1000],
        target='income',
    )


def report_hospital():
    tables, metadata = load_hospital()
    synthesizer = SimpleNamespace(metadata=metadata, privacy_unit='patient', public_tables=())
    return make_report(tables, tables, metadata, synthesizer=synthesizer)


@pytest.fixture(scope='module', params=[report_adult, report_hospital])
def page(request, tmp_path_factory):
    path = tmp_path_factory.mktemp('page') / 'page.html'
    request.param().save_html(path)
    return path


#: A script that looks for a column, and writes what is left of the list to the console.
SEARCH = """<script>addEventListener('load', () => {
const input = document.querySelector('.find input');
input.value = 'AGE'; input.dispatchEvent(new Event('input'));
const rows = [...input.closest('.panel').querySelectorAll('.list > details')];
const left = rows.filter(row => row.checkVisibility()).map(row => row.querySelector('b').innerText);
console.log(left.every(name => name.toLowerCase().includes('age')), left.length < rows.length,
input.closest('.find').innerText.includes(left.length + ' of ' + rows.length)) })</script>"""


def test_columns_are_found_by_a_part_of_their_name(page, browse):
    searched = page.with_name('searched.html')
    searched.write_text(page.read_text('utf-8') + SEARCH, 'utf-8')

    assert browse(searched)[1] == ['true true true']


def test_the_page_opens_without_an_error(page, browse):
    document, said = browse(page)

    assert document.count('<details') > 10
    assert said == []


def test_an_error_would_be_seen(tmp_path, browse):
    broken = tmp_path / 'broken.html'
    broken.write_text('<script>throw new Error("lost")</script>')
    _, said = browse(broken)
    assert ['lost' in each for each in said] == [True]


@pytest.mark.parametrize('width', [LAPTOP, PHONE])
def test_nothing_is_wider_than_the_screen_even_if_all_is_opened(page, browse, width):
    measured = page.with_name('measured.html')
    opened = page.read_text('utf-8').replace('<details>', '<details open>')
    opened = opened.replace('let all =', 'let all = true ||')
    measured.write_text(opened + RULER, 'utf-8')
    # A browser window cannot be as narrow as a phone's screen, but a frame in it can.
    frame = page.with_name('frame.html')
    frame.write_text(f'<iframe src="{measured.as_uri()}" width={width} height=800 frameborder=0>')

    _, said = browse(frame)

    assert said == [f'widths {width} {width}']
