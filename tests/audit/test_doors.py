"""Recorded and replayed fits: all calls of the doors are caught, and all distances are exact."""

import sys
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest

from sdv_threea.audit.doors import DivergedError, compare, record, replay
from sdv_threea.privacy import door, mechanism

TERMS = {'sensitivity': 1.0, 'mu': 0.5, 'stage': 'a stage', 'released': 'counts'}


def ask(*values, **terms):
    """Ask for noisy values by a door that a module has imported."""
    noisy, _ = door.add_noise(np.array(values, dtype=np.int64), **{**TERMS, **terms})
    return noisy


def show(tally, **terms):
    """Ask which keys are frequent."""
    shown, noisy, _ = door.threshold_release(
        list(tally),
        np.array(list(tally.values()), dtype=np.int64),
        **{**TERMS, 'mu': 5.0, 'delta': 1e-6, 'max_new_keys': 1, **terms},
    )
    return dict(zip(shown, noisy, strict=True))


def measure(one, other, question=ask):
    """Put a question to two tables, and return the distance between their exact values."""
    _, transcript = record(lambda: question(*one))
    _, asked = replay(lambda: question(*other), transcript)
    (move,) = compare(transcript, asked)
    return move


def test_a_replay_gives_the_recorded_answers():
    answers, transcript = record(lambda: (ask(1, 2), ask(3)))
    others, _ = replay(lambda: (ask(5, 6), ask(7)), transcript)
    for answer, other in zip(answers, others, strict=True):
        np.testing.assert_array_equal(answer, other)


def test_what_becomes_of_an_answer_does_not_change_the_record():
    def spoil():
        noisy = ask(1, 2)
        first = noisy.copy()
        noisy[:] = 0
        return first

    first, transcript = record(spoil)
    again, _ = replay(spoil, transcript)
    np.testing.assert_array_equal(first, again)


def test_the_distance_is_that_of_the_exact_values():
    assert measure((3, 4), (0, 0)) == (5.0, 5.0)


def test_large_values_are_subtracted_exactly():
    assert measure((2**60 + 1,), (2**60,)).distance == 1.0


def test_the_distance_is_in_units_of_the_receipt():
    one, other = (lambda each=each: ask(each, resolution=0.25) for each in (3, 1))
    _, transcript = record(one)
    _, asked = replay(other, transcript)
    assert compare(transcript, asked)[0].distance == 0.5
    assert transcript.receipts[0].sensitivity == 0.25


def test_a_threshold_is_one_question():
    _, transcript = record(lambda: show({'a': 90}))
    assert [question.terms['door'] for question in transcript.questions] == ['threshold_release']


def test_keys_that_are_passed_over_do_not_count():
    def question(**tally):
        return show(tally, least=10)

    _, transcript = record(lambda: question(a=90, b=9, c=3))
    _, asked = replay(lambda: question(a=91, b=2, d=9), transcript)
    assert compare(transcript, asked)[0].distance == 1.0


def test_only_shown_keys_of_both_tables_tell_anything():
    _, transcript = record(lambda: show({'a': 90, 'b': 1, 'c': 90}))
    _, asked = replay(lambda: show({'a': 92, 'b': 2}), transcript)
    move = compare(transcript, asked)[0]
    assert set(transcript.answers[0][0]) == {'a', 'c'}
    assert move.distance == pytest.approx(np.hypot(2, np.hypot(1, 90)))
    assert move.seen == 2.0


@pytest.mark.parametrize(
    'other',
    [
        lambda: ask(1, 2, mu=0.6), lambda: ask(1, 2, released='something else'),
        lambda: ask(1, 2, 3), lambda: (ask(1, 2), ask(1, 2)), lambda: None,
        lambda: show({'a': 90}),
    ],
)  # fmt: skip
def test_who_is_asked_something_else_has_diverged(other):
    _, transcript = record(lambda: ask(1, 2))
    with pytest.raises(DivergedError):
        replay(other, transcript)


def test_a_fit_that_hides_its_errors_has_diverged_too():
    def hide():
        try:
            ask(1, 2, mu=0.6)
        except RuntimeError:
            return

    _, transcript = record(lambda: ask(1, 2))
    with pytest.raises(DivergedError):
        replay(hide, transcript)


def test_a_fit_that_fails_once_it_has_asked_has_diverged():
    def fail():
        ask(1, 2)
        raise KeyError('a cell')

    _, transcript = record(lambda: ask(1, 2))
    with pytest.raises(DivergedError, match='KeyError after 1 questions') as caught:
        replay(fail, transcript)
    assert 'a cell' not in str(caught.value)


def test_a_table_that_is_refused_before_anything_is_asked_is_refused():
    def refuse():
        raise ValueError('refused')

    _, transcript = record(lambda: ask(1, 2))
    with pytest.raises(ValueError, match='refused'):
        replay(refuse, transcript)


def test_the_doors_hang_as_before():
    record(lambda: ask(1))
    assert door.add_noise is mechanism.add_noise
    with pytest.raises(ZeroDivisionError):
        record(lambda: 1 / 0)
    assert door.add_noise is mechanism.add_noise


def test_a_module_that_is_loaded_during_the_fit_is_watched_and_left_as_it_should_be(monkeypatch):
    late = ModuleType('sdv_threea.late')

    def load():
        monkeypatch.setitem(sys.modules, late.__name__, late)
        exec('from sdv_threea.privacy.mechanism import add_noise as noisy', late.__dict__)
        late.noisy(np.array([1]), **TERMS)

    _, transcript = record(load)
    assert len(transcript.questions) == 1
    assert late.noisy is mechanism.add_noise


def test_chance_that_nobody_seeds_is_the_same_in_both_fits():
    def draw(rows):
        one, two = np.random.default_rng().spawn(2)
        return [one.random(rows)[:3], one.random(3), two.normal(size=3)]

    first, transcript = record(lambda: draw(3))
    again, _ = replay(lambda: draw(3), transcript)
    more, _ = replay(lambda: draw(30), transcript)
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first, more)
    assert len(np.unique(first)) == 9
    fresh, _ = record(lambda: draw(3))
    assert not np.array_equal(first, fresh)


def test_chance_that_somebody_seeds_is_left_alone():
    drawn, _ = record(lambda: np.random.default_rng(3).random())
    assert drawn == np.random.default_rng(3).random()


def test_the_noise_is_as_wide_as_its_receipt_says():
    values = np.zeros(20_000, dtype=np.int64)
    _, transcript = record(lambda: ask(*values, resolution=0.5))
    ratio, size = transcript.measure_noise()
    assert size == 20_000
    assert ratio == pytest.approx(1, abs=0.04)  # 8 standard errors


def test_noise_of_a_third_shows():
    def third(size, scale):
        return mechanism.discrete_gaussian(size, scale / 3)

    _, transcript = record(lambda: ask(*np.zeros(20_000, dtype=np.int64)), third)
    assert transcript.measure_noise()[0] == pytest.approx(1 / 3, abs=0.015)


def test_a_record_of_other_values_compares_two_replays():
    _, transcript = record(lambda: ask(0, 0))
    tables = [replay(lambda each=each: ask(*each), transcript)[1] for each in ((3, 0), (0, 4))]
    (move,) = compare(replace(transcript, questions=tables[0]), tables[1])
    assert move.distance == 5.0
