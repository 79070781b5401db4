from sdv_threea.datasets import load_adult, load_hospital


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
        'sdtype': 'numerical', 'range_min': 17, 'range_max': 90, 'decimal_places': 0,
        'range_is_nullable': False,
    }  # fmt: skip
    for part in (train, test):
        for name, column in columns.items():
            values = part[name].dropna()
            if column['sdtype'] == 'categorical':
                assert set(values) <= set(column['range_values'])
            else:
                assert values.between(column['range_min'], column['range_max']).all()
            assert column['range_is_nullable'] or len(values) == len(part)


def test_hospital_is_whole_patients_with_all_that_their_stays_refer_to():
    tables, metadata = load_hospital()

    assert {name: table.shape for name, table in tables.items()} == {
        'patient': (8_000, 3), 'encounter': (11_163, 15), 'admission_type': (8, 2),
        'discharge_disposition': (30, 2), 'admission_source': (25, 2),
    }  # fmt: skip
    assert tables['patient']['patient_nbr'].isin(tables['encounter']['patient_nbr']).all()
    assert (tables['encounter']['readmitted'] == '<30').sum() == 1_203
    metadata.validate_data(tables)


def test_gaps_are_empty_fields():
    tables, _ = load_hospital()

    gaps = {name: table.isna().sum().sum() for name, table in tables.items()}
    assert gaps == dict.fromkeys(tables, 0) | {'patient': 222}
    assert 'not measured' in set(tables['encounter']['A1Cresult'])


def test_the_metadata_of_hospital_tells_types_and_no_values():
    _, metadata = load_hospital()

    description = metadata.to_dict()['tables'].values()
    told = {key for table in description for column in table['columns'].values() for key in column}
    assert told == {'sdtype'}
