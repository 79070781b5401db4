"""How large noise alone gets: one law for all decisions between noise and records."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.special import ndtri


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What noise alone may pass for, in every stage.

    Args:
        false_alarm: Probability that noise alone passes for records in one kind of decision: that
            any run of bins is significant, any column has missing cells, any range reaches too far.
            All tests of the kind share it. Set by hand.
    """

    false_alarm: float = 0.002

    def clear_of_noise(self, num_tests: int = 1) -> float:
        """Return the standard deviations that noise exceeds by a false alarm in any of these tests.

        The tests share the probability evenly (Bonferroni).
        """
        return -float(ndtri(self.false_alarm / max(num_tests, 1)))
