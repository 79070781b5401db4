from sdv_threea.datasets import load_adult


def test_adult_is_the_official_split():
    train, test, metadata = load_adult()

    assert train.shape == (32_561, 15)
    assert test.shape == (16_281, 15)
    assert (train['income'] == '>50K').sum() == 7_841
    assert (test['income'] == '>50K').sum() == 3_846
    assert train.isna().sum().sum() + test.isna().sum().sum() == 6_465
    metadata.validate_data({'adult': train})


def test_the_metadata_tells_types_and_no_values():
    *_, metadata = load_adult()

    columns = metadata.to_dict()['tables']['adult']['columns']
    assert {key for column in columns.values() for key in column} == {'sdtype'}


def test_the_public_metadata_holds_for_both_parts():
    train, test, metadata = load_adult(public_metadata=True)

    metadata.validate_data({'adult': train})
    metadata.validate_data({'adult': test})
    columns = metadata.to_dict()['tables']['adult']['columns']
    assert columns['age'] == {
        'sdtype': 'numerical',
        'range_min': 17,
        'range_max': 90,
        'decimal_places': 0,
        'range_is_nullable': False,
    }
    for part in (train, test):
        for name, column in columns.items():
            values = part[name].dropna()
            if column['sdtype'] == 'categorical':
                assert set(values) <= set(column['range_values'])
            else:
                assert values.between(column['range_min'], column['range_max']).all()
            assert column['range_is_nullable'] or len(values) == len(part)
