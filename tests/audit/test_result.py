"""The verdict: its words, its largest bound and its table."""

from sdv_threea.audit import AuditResult, Guesses, LowerBound


def decide(epsilon, *found):
    bounds = tuple(
        LowerBound('synthetic rows', 'any mechanism', Guesses(1, 20, 2, 20), each) for each in found
    )
    return AuditResult(epsilon, 1e-6, 0.95, 80, bounds)


def test_a_claim_below_a_bound_is_refuted():
    result = decide(1.0, 0.5, 2.5)
    assert result.refuted
    assert str(result).startswith('REFUTED: epsilon=1 was claimed, but epsilon is at least 2.5 ')
    assert 'synthetic rows, 80 fits, confidence 0.95' in str(result)


def test_a_claim_that_stands_is_not_called_proved():
    result = decide(1.0, 0.5, 1.0)
    assert not result.refuted
    assert 'Not refuted' in str(result)
    assert 'no proof' in str(result)


def test_the_table_has_a_row_per_bound():
    frame = decide(1.0, 0.5, 2.5).to_frame()
    assert frame['epsilon at least'].tolist() == [0.5, 2.5]
    assert frame['misses'].tolist() == [2, 2]
    assert list(frame)[:3] == ['view', 'form', 'epsilon at least']
