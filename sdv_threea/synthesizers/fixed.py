"""Arguments of a synthesizer that are fixed once it is made."""

from __future__ import annotations

import inspect
from typing import Any

#: Arguments that take effect whenever they are set, or that SDV sets itself.
FREE = ('self', 'memory_limit', 'metadata', 'verbose')


class Fixed:
    """A synthesizer whose arguments are fixed once it is made; to be put before SDV's base class.

    What is promised follows from the arguments. So an attribute that says something else than what
    a fit does would be a false promise.
    """

    _fixed: frozenset[str]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__.get('_fixed', ()):
            raise AttributeError(
                f'{name!r} is fixed when a synthesizer is made, and cannot be changed: make '
                f'another one with {type(self).__name__}(metadata, {name}=...).'
            )
        super().__setattr__(name, value)

    def _fix(self) -> None:
        """Fix the arguments: the last step of making a synthesizer."""
        names = inspect.signature(type(self).__init__).parameters
        self._fixed = frozenset(names) - frozenset(FREE)
