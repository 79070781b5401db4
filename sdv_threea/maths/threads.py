"""Linear algebra in one thread: with small matrices, several threads mostly wait."""

from collections.abc import Callable
from typing import TypeVar, cast

from threadpoolctl import threadpool_limits

Function = TypeVar('Function', bound=Callable[..., object])


def in_one_thread(function: Function) -> Function:
    """Return the function with linear algebra limited to one thread."""
    limited = threadpool_limits.wrap(limits=1, user_api='blas')
    return cast(Function, limited(function))
