"""Progress bars that count public steps and show no times.

The duration of a step reveals about how many rows there are, and notebooks are often published with
their output. So a bar is drawn at every step: how often it is drawn depends on no clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tqdm import tqdm

#: How a bar looks, and that it is drawn at every step.
BAR = {
    'bar_format': '{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt}',
    'mininterval': 0.0,
    'miniters': 1,
}


def bars(*, shown: bool) -> dict[str, Any]:
    """Return options of ``tqdm`` for a bar."""
    return {'disable': not shown, **BAR}


#: Functions that are called with the name of each stage as it begins, as the clock of a command.
watchers: list[Callable[[str], None]] = []


@contextmanager
def show_stages(*, shown: bool) -> Iterator[Callable[[str], None]]:
    """Yield a function to call with the name of each stage as it begins: it moves the bar."""
    # Imported late to keep the import of SDV light.
    from sdv_threea.stages import STAGES

    with tqdm(total=len(STAGES), desc='Release', **bars(shown=shown)) as bar:

        def begin(stage: str) -> None:
            bar.n = STAGES.index(stage)
            bar.set_description(f'Release ({stage})')
            for watch in watchers:
                watch(stage)

        yield begin
        bar.n = len(STAGES)
        bar.set_description('Release')
