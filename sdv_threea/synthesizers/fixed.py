"""Arguments of a synthesizer that cannot be changed after construction."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

#: Arguments that may be set at any time.
FREE = ('memory_limit', 'verbose')


class Fixed:
    """A synthesizer whose arguments are fixed at construction; goes before SDV's base class.

    The promise follows from the arguments, so an attribute that differs from what a fit did would
    be a false promise. Lists and dictionaries are copied, and the copies cannot be changed.
    """

    _arguments: frozenset[str]
    _fixed: frozenset[str]

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        cls._arguments = frozenset(inspect.signature(cls).parameters) - frozenset(FREE)

    def __setattr__(self, name: str, value: Any) -> None:
        self._refuse_if_fixed(name)
        super().__setattr__(name, freeze(value) if name in self._arguments else value)

    def __delattr__(self, name: str) -> None:
        self._refuse_if_fixed(name)
        super().__delattr__(name)

    def _fix(self) -> None:
        """Fix the arguments: the last step of construction."""
        self._fixed = self._arguments

    def _refuse_if_fixed(self, name: str) -> None:
        if name in self.__dict__.get('_fixed', ()):
            raise AttributeError(
                f'{name!r} is fixed when a synthesizer is made, and cannot be changed: make '
                f'another one with {type(self).__name__}(metadata, {name}=...).'
            )


def freeze(value: Any) -> Any:
    """Return a value in which all lists and dictionaries are copies that cannot be changed."""
    if isinstance(value, Mapping):
        return FixedDict({key: freeze(each) for key, each in value.items()})
    if isinstance(value, list):
        return FixedList(map(freeze, value))
    if isinstance(value, tuple):
        return tuple(map(freeze, value))
    return frozenset(value) if isinstance(value, set) else value


def _refuse(*_: Any, **__: Any) -> NoReturn:
    raise AttributeError(
        'The arguments of a synthesizer are fixed when it is made: make another one with others.'
    )


class FixedList(list[Any]):
    """An unchangeable copy of a list, equal to it."""

    append = extend = insert = remove = pop = clear = sort = reverse = _refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        # pickle would load a list by appending to it.
        return type(self), (tuple(self),)


class FixedDict(dict[Any, Any]):
    """An unchangeable copy of a dictionary, equal to it."""

    update = pop = popitem = clear = setdefault = _refuse
    __setitem__ = __delitem__ = __ior__ = _refuse

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return type(self), (tuple(self.items()),)
