"""Threads of linear algebra: our matrices are small, and threads would only wait for each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from threadpoolctl import threadpool_limits

Function = TypeVar('Function', bound=Callable[..., object])


def in_one_thread(function: Function) -> Function:
    """Let a function multiply matrices in one thread; afterwards there are as many as before."""
    limited = threadpool_limits.wrap(limits=1, user_api='blas')
    return cast(Function, limited(function))
