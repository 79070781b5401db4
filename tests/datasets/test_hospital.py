from sdv_threea.datasets import load_hospital


def test_hospital_is_whole_patients_with_all_that_their_stays_refer_to():
    tables, metadata = load_hospital()

    assert {name: table.shape for name, table in tables.items()} == {
        'patient': (8_000, 3),
        'encounter': (11_163, 15),
        'admission_type': (8, 2),
        'discharge_disposition': (30, 2),
        'admission_source': (25, 2),
    }
    assert tables['patient']['patient_nbr'].isin(tables['encounter']['patient_nbr']).all()
    assert (tables['encounter']['readmitted'] == '<30').sum() == 1_203
    metadata.validate_data(tables)


def test_every_foreign_key_refers_to_a_row():
    tables, metadata = load_hospital()

    assert len(metadata.relationships) == 4
    for link in metadata.relationships:
        keys = tables[link['parent_table_name']][link['parent_primary_key']]
        references = tables[link['child_table_name']][link['child_foreign_key']]
        assert references.isin(keys).all()
        assert keys.is_unique


def test_gaps_are_empty_fields():
    tables, _ = load_hospital()

    gaps = {name: table.isna().sum().sum() for name, table in tables.items()}
    assert gaps == dict.fromkeys(tables, 0) | {'patient': 222}
    assert 'not measured' in set(tables['encounter']['A1Cresult'])


def test_the_metadata_tells_types_and_no_values():
    _, metadata = load_hospital()

    description = metadata.to_dict()['tables'].values()
    told = {key for table in description for column in table['columns'].values() for key in column}
    assert told == {'sdtype'}
