"""The runner measures each job once, apart from the others, and ends what takes too much."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from scripts import script_fixture

BENCHMARKS = Path(__file__).parents[2] / 'benchmarks'

#: A benchmark whose jobs end in all ways; some leave a child behind, whose number they write.
SCRIPT = """
import os, subprocess, sys, time
from runner import Benchmark, grid

def measure(job, options):
    quiet = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL}
    child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(40)'], **quiet)
    open(options.children, 'a').write(f'{child.pid}\\n')
    if job['kind'] == 'fails':
        raise ValueError('of this\\nand that')
    if job['kind'] == 'dies':
        os._exit(3)
    if job['kind'] == 'hoards':
        held = bytearray(2**29)
    if job['kind'] in ('hangs', 'hoards'):
        time.sleep(60)
    return [{'process': os.getpid(), 'score': 1 / 3}]

BENCHMARK = Benchmark(
    'script',
    lambda options: grid(kind=options.kinds, epsilon=[1.0, float('inf')]),
    measure,
    options={'kinds': ['works', 'fails', 'dies', 'hangs', 'hoards'], 'children': ''},
    process=sys.argv.pop(1),
    group=['kind'],
)
if __name__ == '__main__':
    BENCHMARK.main('Ends in all ways.')
"""


@pytest.fixture
def run_script(tmp_path, runner):
    script, results = tmp_path / 'script.py', tmp_path / 'results.csv'
    script.write_text(SCRIPT)

    def run(process, *options):
        command = [sys.executable, str(script), process, '--results', str(results)]
        command += ['--children', str(tmp_path / 'children'), *options]
        environment = os.environ | {'PYTHONPATH': str(BENCHMARKS)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        return done, runner.read_text(results)

    return run


runner = script_fixture('runner')


def is_gone(pid):
    """Wait for the end of a process that was killed; who inherits it may let it be a zombie."""
    for _ in range(100):
        try:
            if Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0] == 'Z':
                return True
            os.kill(pid, 0)
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.1)
    return False


def test_jobs_apart_end_in_all_ways_and_with_all_that_they_started(run_script, tmp_path):
    _, rows = run_script('group', '--timeout', '5', '--memory', '0.4')

    notes = {row['kind']: [] for row in rows}
    for row in rows:
        notes[row['kind']].append(row['note'])
    later = 'not tried: an earlier job failed'
    assert notes == {
        'works': ['', ''],
        'fails': ['ValueError: of this', later],
        'dies': ['the process died', later],
        'hangs': ['timed out after 5 s', later],
        'hoards': ['out of memory: more than 0.4 GiB', later],
    }
    assert rows[0]['process'] == rows[1]['process']
    children = (tmp_path / 'children').read_text().split()
    assert len(children) == 6
    assert all(is_gone(int(pid)) for pid in children)


def test_what_is_there_is_measured_again_only_if_asked(run_script):
    first = run_script('job', '--kinds', 'works', 'fails')[1]
    assert run_script('job', '--kinds', 'works', 'fails')[1] == first

    _, rows = run_script('job', '--kinds', 'works', 'fails', '--again', 'failed')
    assert rows == first
    _, rows = run_script('job', '--kinds', 'works', '--again', 'all')
    assert {row['kind'] for row in rows} == {'works', 'fails'}
    assert len(rows) == 4
    assert {row['process'] for row in rows} & {row['process'] for row in first} == {''}


def test_a_command_ends_in_time_with_all_that_it_started(runner):
    sleeper = 'import os, time; os.fork(); time.sleep(60)'
    start = time.monotonic()
    with pytest.raises(runner.Failed, match='timed out after 1 s'):
        runner.run_command([sys.executable, '-c', sleeper], 1)
    assert time.monotonic() - start < 30
    command = [sys.executable, '-c', 'print("so far"); raise SystemExit(3)']
    assert runner.run_command(command, 60) == (3, 'so far\n', '')
