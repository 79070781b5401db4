"""Progress bars that count public steps and tell no times.

How long a step takes tells about how many rows there are, and the output of a notebook is often
published with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm

#: What a bar shows.
BAR = '{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt}'


@contextmanager
def show_stages(*, shown: bool) -> Iterator[Callable[[str], None]]:
    """Show the stages of the release of one table, if asked to.

    Args:
        shown: Whether to show them.

    Yields:
        A function to call with the name of each stage as it begins.
    """
    # The pipeline is loaded at the first fit: everybody who imports SDV loads this module.
    from sdv_threea.stages import STAGES

    with tqdm(total=len(STAGES), desc='Release', bar_format=BAR, disable=not shown) as bar:

        def begin(stage: str) -> None:
            bar.n = STAGES.index(stage)
            bar.set_description(f'Release ({stage})')

        yield begin
        bar.n = len(STAGES)
        bar.set_description('Release')
