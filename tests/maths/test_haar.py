import numpy as np
import pytest

from sdv_threea.maths.haar import invert, transform


def join(left, right):
    return (left + right) / np.sqrt(2), (left - right) / np.sqrt(2)


def part(nodes, detail):
    return (nodes + detail) / np.sqrt(2), (nodes - detail) / np.sqrt(2)


@pytest.mark.parametrize('length', [0, 1, 2, 3, 8, 13])
def test_parting_undoes_joining(rng, length):
    values = rng.normal(size=length)

    root, details = transform(values, join)

    assert invert(root, details, part, length) == pytest.approx(values)
    assert root.shape == (1,)


def test_the_orthonormal_transform_keeps_the_energy(rng):
    values = rng.normal(size=16)

    root, details = transform(values, join)

    energy = np.square(root).sum() + sum(np.square(detail).sum() for detail in details)
    assert energy == pytest.approx(np.square(values).sum())
    assert [len(detail) for detail in details] == [8, 4, 2, 1]


def test_several_sequences_are_joined_at_once(rng):
    """A sum that remembers how the second sequence is divided."""
    leaves = np.stack([np.arange(6.0), np.arange(1.0, 7.0)])

    root, shares = transform(leaves, lambda a, b: (a + b, a[1] / np.maximum(a[1] + b[1], 1)))

    assert root.ravel().tolist() == [15.0, 21.0]
    assert shares[0].tolist() == pytest.approx([1 / 3, 3 / 7, 5 / 11, 0])
    assert shares[2].tolist() == pytest.approx([10 / 21])
    found = invert(np.array([21.0]), shares, lambda n, s: (n * s, n - n * s), 6)
    assert found == pytest.approx(np.arange(1.0, 7.0))
