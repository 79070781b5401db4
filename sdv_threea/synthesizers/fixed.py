"""Arguments of a synthesizer that cannot be changed after construction."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

Kind = TypeVar('Kind', bound=type)

#: Arguments that may be set at any time.
FREE = ('memory_limit', 'verbose')


class _Argument:
    """An attribute that cannot be changed after construction."""

    def __init__(self, name: str, default: Any) -> None:
        self.name, self.default = name, default

    def __get__(self, owner: Any, _: type) -> Any:
        found = self if owner is None else owner.__dict__.get(self.name, self.default)
        if found is inspect.Parameter.empty:
            raise AttributeError(self.name)
        return found

    def __set__(self, owner: Any, value: Any) -> None:
        self._refuse_if_fixed(owner)
        owner.__dict__[self.name] = freeze(value)

    def __delete__(self, owner: Any) -> None:
        self._refuse_if_fixed(owner)
        del owner.__dict__[self.name]

    def _refuse_if_fixed(self, owner: Any) -> None:
        if '_fixed' in owner.__dict__:
            raise AttributeError(
                f'{self.name!r} is fixed when a synthesizer is made, and cannot be changed: make '
                f'another one with {type(owner).__name__}(metadata, {self.name}=...).'
            )


def with_fixed_arguments(kind: Kind) -> Kind:
    """Return the class of synthesizers, with arguments that cannot be changed after :func:`fix`.

    The promise follows from the arguments: if they changed after a fit, the promise would be false.
    Lists and dictionaries are copied, and the copies cannot be changed either.
    """
    for name, parameter in inspect.signature(kind).parameters.items():
        if name not in FREE:
            setattr(kind, name, _Argument(name, parameter.default))
    return kind


def fix(synthesizer: Any) -> None:
    """Make the arguments unchangeable: the last step of construction."""
    synthesizer.__dict__['_fixed'] = True


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
