"""The page on sizes says what is measured, on tables of the shape that is asked for."""

import numpy as np
import pandas as pd
from scripts import script_fixture

page = script_fixture('scaling_page')


def test_made_tables_have_the_shape_that_is_asked_for(load_script):
    with load_script('made') as made:
        table, metadata = made.make_table(2_000, 10, 7)
    assert table.shape == (2_000, 10)
    assert sorted(metadata.tables['made'].columns) == sorted(table)
    texts = table.select_dtypes('category')
    assert texts.shape[1] == 6
    assert {texts[name].nunique() for name in texts} == {7, 2}
    numbers = table.select_dtypes('number').corr().to_numpy()
    assert np.abs(numbers - np.eye(4)).max() > 0.1


def test_resampled_rows_are_small_rows_of_adult_written_once_and_in_parts(load_script, tmp_path):
    with load_script('out_of_core') as script:
        files = script.write_rows(tmp_path, 2_500, 1_000)
        times = [file.stat().st_mtime_ns for file in files]
        assert script.write_rows(tmp_path, 2_500, 1_000) == files
        assert [file.stat().st_mtime_ns for file in files] == times
    table = pd.read_parquet(tmp_path)
    assert len(table) == 2_500
    assert table.memory_usage(deep=True).sum() < 30 * 2_500 + 2**14
    with load_script('made') as made:
        official = made.as_objects(made.load_official()[0]).drop_duplicates()
        assert len(made.as_objects(table).merge(official)) == 2_500
