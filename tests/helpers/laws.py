"""Distributions over a few columns of few values, and the law of a chain fitted to one."""

import math
from itertools import combinations

import numpy as np
from scipy.stats import chisquare

from sdv_threea.joint.chain import Column, Drawn, fit_chain
from sdv_threea.joint.joint_constants import JointConstants

#: As many rounds as it takes.
CONSTANTS = JointConstants(rounds=50)

SHAPE = (3, 4, 5, 3)
ROWS = 40_000

#: A false alarm less than once in a million runs, were they not seeded.
ALARM = 1e-7


def make_joint(rng, strength=0.8):
    """A distribution over all columns, log-linear in the pairs of them."""
    logs = np.zeros(SHAPE)
    for i, j in combinations(range(len(SHAPE)), 2):
        shape = [size if at in (i, j) else 1 for at, size in enumerate(SHAPE)]
        logs = logs + strength * rng.normal(size=shape)
    joint = np.exp(logs)
    return joint / joint.sum()


def make_chained(rng, strength=0.8):
    """A distribution in which each column is log-linear in those before it."""
    joint = np.ones(())
    for j, size in enumerate(SHAPE):
        logs = 0.5 * rng.normal(size=size)
        for i in range(j):
            shape = [SHAPE[i] if at == i else 1 for at in range(j)]
            logs = logs + strength * rng.normal(size=[*shape, size])
        given = np.exp(logs)
        joint = joint[..., None] * given / given.sum(axis=-1, keepdims=True)
    return joint


def sum_to(joint, *columns):
    return joint.sum(axis=tuple(at for at in range(joint.ndim) if at not in columns))


def make_column(shares, of_code=None):
    """A column without classes; of as many bins as codes, unless told."""
    of_code = np.arange(len(shares)) if of_code is None else of_code
    margin = np.bincount(of_code[of_code >= 0], shares[of_code >= 0])
    return Column(of_code, shares[None], margin)


def fit(joint, order=None, constants=CONSTANTS, seed=3, tables=None, functions=None, triples=None):
    """Fit a chain to the true tables of all pairs of columns."""
    columns = range(joint.ndim)
    if tables is None:
        tables = {pair: sum_to(joint, *pair) for pair in combinations(columns, 2)}
    singles = [make_column(sum_to(joint, at)) for at in columns]
    rng = np.random.default_rng(seed)
    order = list(order or columns)
    return fit_chain(singles, tables, functions or {}, order, constants, rng, triples)


def enumerate_chain(chain, shape):
    """The law of a chain: the product of its links over all combinations of bins."""
    bins = np.stack(np.meshgrid(*map(np.arange, shape), indexing='ij'), axis=-1)
    bins = bins.reshape(-1, len(shape))
    chances = np.ones(len(bins))
    for link in chain.links:
        own = link.chances(Drawn(bins, bins))
        chances *= own[np.arange(len(bins)), bins[:, link.column]]
    return chances.reshape(shape)


def count(bins, shape):
    return np.bincount(np.ravel_multi_index(bins.T, shape), minlength=math.prod(shape))


def has_law(counts, law):
    """Whether counts are those of draws from a law; bins that expect few are taken together."""
    expected = counts.sum() * law.ravel() / law.sum()
    rare = expected < 10
    found = [np.append(each[~rare], each[rare].sum()) for each in (counts, expected)]
    found = [each[found[1] > 0] for each in found]
    return counts[expected == 0].sum() == 0 and chisquare(*found).pvalue > ALARM


def distance(one, other):
    """The total variation of two distributions."""
    return np.abs(one - other).sum() / 2


def make_dense(rng, rows, columns, total=10_000.0):
    """A table in which every bin is filled."""
    table = rng.gamma(2.0, size=(rows, columns)) + 0.1
    return total * table / table.sum()
