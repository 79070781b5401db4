"""Arithmetic of columns: ``net + tax``, with numbers, brackets and the four operations.

A text is parsed, never run; anything except arithmetic is refused.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sdv_threea.arrays import Floats

#: A name in a formula that is not an identifier: `` `net price` ``, or ``table.column``.
QUOTED = re.compile(r'`([^`]+)`|\b([^\W\d]\w*\.[^\W\d]\w*)')


class FormulaError(ValueError):
    """A text that is not arithmetic on columns."""


@dataclass(frozen=True)
class Expression:
    """Arithmetic of columns, as a tree of names, finite numbers, signs and the four operations."""

    tree: ast.expr

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns, in the order in which they first occur."""
        return tuple(dict.fromkeys(self._list_names()))

    @cached_property
    def is_sum(self) -> bool:
        """Whether columns are only added and subtracted."""
        return not any(isinstance(each, ast.Mult | ast.Div) for each in ast.walk(self.tree))

    @cached_property
    def num_falls(self) -> int:
        """Number of operations that can make results small: subtractions and divisions."""
        falls = (ast.Sub, ast.USub, ast.Div)
        return sum(isinstance(each, falls) for each in ast.walk(self.tree))

    def occurs_once(self, name: str) -> bool:
        """Return whether a column occurs exactly once, so that :meth:`solve` works."""
        return self._list_names().count(name) == 1

    def evaluate(self, values: Mapping[str, Floats]) -> Floats:
        """Compute the result of each row from the columns, shape (n,); not finite if undefined."""
        with np.errstate(all='ignore'):
            return _evaluate(self.tree, values, NUMBERS)

    def bound(self, ends: Mapping[str, Floats]) -> Floats:
        """Return the ends of results, shape (n, 2), from the ends of columns (interval arithmetic).

        The ends are infinite if a divisor may be zero.
        """
        with np.errstate(all='ignore'):
            found = _evaluate(self.tree, ends, INTERVALS)
        return np.where(np.isnan(found), [-np.inf, np.inf], found)

    def solve(self, name: str, result: str) -> Expression:
        """Return the expression that computes a column, which occurs once, from the ``result``."""
        return Expression(_solve(self.tree, name, ast.Name(result)))

    def rename(self, names: Mapping[str, str]) -> Expression:
        """Return the same arithmetic with other column names."""
        tree = deepcopy(self.tree)
        for each in ast.walk(tree):
            if isinstance(each, ast.Name):
                each.id = names[each.id]
        return Expression(tree)

    def _list_names(self) -> list[str]:
        return [each.id for each in ast.walk(self.tree) if isinstance(each, ast.Name)]


def parse(text: str) -> Expression:
    """Parse arithmetic on columns; anything else is a ``FormulaError``."""
    quoted: dict[str, str] = {}

    def replace(found: re.Match[str]) -> str:
        word = f'_{len(quoted)}'
        while word in text:
            word = f'_{word}'
        quoted[word] = found[1] or found[2]
        return f' {word} '

    try:
        tree = ast.parse(QUOTED.sub(replace, text).strip(), mode='eval').body
        for each in ast.walk(tree):
            _check(each)
            if isinstance(each, ast.Name):
                each.id = quoted.get(each.id, each.id)
    except FormulaError:
        raise
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        raise FormulaError(f'{text!r} is no formula such as "net + 0.2 * `net price`".') from None
    found = Expression(tree)
    if not found.names:
        raise FormulaError(f'{text!r} names no column.')
    return found


def _check(node: ast.AST) -> None:
    operations = (ast.USub, ast.UAdd, ast.Add, ast.Sub, ast.Mult, ast.Div)
    fine = isinstance(node, (ast.Name, ast.Load, ast.BinOp, ast.UnaryOp, *operations))
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        fine = bool(np.isfinite(float(node.value)))  # type: ignore[arg-type]
    if not fine:
        raise FormulaError('A formula has columns, numbers, brackets, +, -, * and / only.')


def _evaluate(
    node: ast.expr, values: Mapping[str, Floats], operations: Mapping[type, Callable[..., Floats]]
) -> Floats:
    match node:
        case ast.Name():
            return values[node.id]
        case ast.Constant():
            return operations[ast.Constant](float(node.value))  # type: ignore[arg-type]
        case ast.UnaryOp():
            operand = _evaluate(node.operand, values, operations)
            return operations[ast.USub](operand) if isinstance(node.op, ast.USub) else operand
        case ast.BinOp():
            sides = [_evaluate(each, values, operations) for each in (node.left, node.right)]
            return operations[type(node.op)](*sides)
    raise AssertionError(node)


def _solve(node: ast.expr, name: str, result: ast.expr) -> ast.expr:
    match node:
        case ast.UnaryOp():
            negative = isinstance(node.op, ast.USub)
            return _solve(
                node.operand, name, ast.UnaryOp(ast.USub(), result) if negative else result
            )
        case ast.BinOp():
            at_left = any(
                isinstance(each, ast.Name) and each.id == name for each in ast.walk(node.left)
            )
            inner, other = (node.left, node.right) if at_left else (node.right, node.left)
            inverse: dict[type, ast.expr] = {
                ast.Add: ast.BinOp(result, ast.Sub(), other),
                ast.Mult: ast.BinOp(result, ast.Div(), other),
                ast.Sub: ast.BinOp(result, ast.Add(), other)
                if at_left
                else ast.BinOp(other, ast.Sub(), result),
                ast.Div: ast.BinOp(result, ast.Mult(), other)
                if at_left
                else ast.BinOp(other, ast.Div(), result),
            }
            return _solve(inner, name, inverse[type(node.op)])
    return result


def _multiply(one: Floats, other: Floats) -> Floats:
    products = np.stack([one * other, one * other[:, ::-1]])
    products = np.where(np.isnan(products), 0.0, products)  # 0 * infinity is 0 here
    return np.stack([products.min(axis=(0, 2)), products.max(axis=(0, 2))], axis=1)


def _divide(one: Floats, other: Floats) -> Floats:
    found = _multiply(one, 1.0 / other[:, ::-1])
    may_be_zero = (other[:, :1] <= 0) & (other[:, 1:] >= 0)
    return np.where(may_be_zero, [-np.inf, np.inf], found)


NUMBERS: dict[type, Any] = {
    ast.Constant: np.float64,
    ast.USub: np.negative,
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
}

INTERVALS: dict[type, Any] = {
    ast.Constant: lambda number: np.full((1, 2), number),
    ast.USub: lambda one: -one[:, ::-1],
    ast.Add: np.add,
    ast.Sub: lambda one, other: one - other[:, ::-1],
    ast.Mult: _multiply,
    ast.Div: _divide,
}
