"""Releases in files, and what comes out of them."""

import pandas as pd


def restore(synthesizer, path, draw=None):
    """Write a release and load it; compare all that it says, and what is drawn from it."""
    synthesizer.save_release(path)
    loaded = type(synthesizer).load_release(path)
    synthesizer.reset_sampling()
    assert str(loaded.get_privacy_statement()) == str(synthesizer.get_privacy_statement())
    one, other = (each.get_parameters() | {'verbose': None} for each in (loaded, synthesizer))
    assert one == other
    for one, other in zip(loaded.get_constraints(), synthesizer.get_constraints(), strict=True):
        assert type(one) is type(other)
    if draw:
        one, other = draw(loaded), draw(synthesizer)
        assert list(one) == list(other)
        for name, table in one.items():
            pd.testing.assert_frame_equal(table, other[name])
    return loaded
