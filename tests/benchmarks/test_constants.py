"""The benchmark of the constants moves one of them at a time."""

from scripts import script_fixture

from sdv_threea.settings import Constants, Settings

CLIP = Constants().approximate.clip


script = script_fixture('constants')


def test_a_constant_is_moved_and_all_others_stay(script):
    settings = Settings(epsilon=3.0)

    clipping = script.moved(settings, 'approximate.clip', 3.0)
    sharing = script.moved(settings, 'shares.classes', 0.6)
    stepping = script.moved(settings, 'adapt.label_steps', 5.0)

    assert clipping.constants.approximate.clip == 3.0
    assert sharing.shares['classes'] == 0.6
    assert stepping.constants.adapt.label_steps == 5
    assert isinstance(stepping.constants.adapt.label_steps, int)
    assert settings == Settings(epsilon=3.0)
    back = script.moved(clipping, 'approximate.clip', CLIP)
    assert (back, sharing.constants) == (settings, Constants())


def test_all_constants_are_there_and_tried_below_and_above(script):
    for constant, (low, high) in script.CONSTANTS.items():
        assert low < script.find(constant) < high, constant
