"""Report the progress of long loops."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from typing import TypeVar

Step = TypeVar('Step')

#: A function that is called with a name, the number of the step that begins, and the number of all
#: steps.
watcher: ContextVar[Callable[[str, int, int], object] | None] = ContextVar('watcher', default=None)


def track(steps: Sequence[Step], name: str) -> Iterable[Step]:
    """Yield steps, whose number is public or released, and report them to :data:`watcher`."""
    watch = watcher.get()
    return _count(steps, name, watch) if watch and len(steps) > 1 else steps


def _count(
    steps: Sequence[Step], name: str, watch: Callable[[str, int, int], object]
) -> Iterator[Step]:
    for at, step in enumerate(steps, 1):
        watch(name, at, len(steps))
        yield step
