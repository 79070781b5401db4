"""Weights of evidence: how they follow from histograms, and how classes are drawn by chance."""

from __future__ import annotations

import numpy as np

from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.evidence import (
    EVIDENCE_UNITS,
    weigh_evidence,
)


def test_evidence_is_the_log_of_a_ratio_and_none_where_no_record_is():
    chances = [np.array([[0.5, 0.5, 0.0], [0.25, 0.75, 0.0], [0.25, 0.75, 0.0]])]
    (found,) = weigh_evidence(chances, np.array([200.0, 100.0, 100.0]), AdaptConstants())
    expected = np.log([[4 / 3, 0.8], [2 / 3, 1.2], [2 / 3, 1.2]])
    np.testing.assert_allclose(found[:, :2] / EVIDENCE_UNITS, expected, atol=0.01)
    assert not found[:, 2].any()


def test_of_two_classes_it_is_that_of_the_second_against_the_first():
    chances = [np.array([[0.5, 0.5, 0.0], [0.25, 0.75, 0.0]])]
    (found,) = weigh_evidence(chances, np.array([100.0, 300.0]), AdaptConstants())
    np.testing.assert_allclose(
        found / EVIDENCE_UNITS, [[np.log(0.25 / 0.5), np.log(0.75 / 0.5), 0.0]], atol=0.01
    )


def test_evidence_is_bounded():
    constants = AdaptConstants(largest_evidence=3.0)
    for many in (2, 3):
        (table,) = weigh_evidence([np.eye(many)], np.full(many, 1e9), constants)
        assert np.abs(table).max() <= (2 if many == 2 else 1) * 3.0 * EVIDENCE_UNITS
        assert np.abs(table).max() >= 3.0 * EVIDENCE_UNITS
