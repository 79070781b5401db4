"""The private names of SDV and RDT that this package relies on, and the check that they exist.

We override private methods of SDV and RDT to keep private rows from them. If a minor release
renamed such a method, it would no longer call ours, and SDV would read the rows without an error.
So this module compares all names with the installed libraries, and raises an error if one has
changed. The adapters import it before they define a class.
"""

import inspect
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import version
from types import CodeType, ModuleType

#: Versions with which the tests have passed.
WORKING = {'sdv': ('2.0.0',), 'rdt': ('2.0.0',)}

#: Names that we override, by the class that calls them, and what happens if it no longer does.
OVERRIDDEN = {
    'sdv.single_table.base:BaseSynthesizer': {
        '_auto_assign_transformers(self, data)': 'SDV chooses transformers by private rows',
        '_preprocess(self, table_data)': 'RDT learns ranges, formats and seeds from private rows',
        '_validate_transform_constraints(self, table_data, enforce_constraint_fitting=False)': (
            'SDV fits constraints on private rows, and shows those that break one'
        ),
    },
    'sdv.single_table.base:BaseSingleTableSynthesizer': {
        '_sample_batch(self, batch_size, max_tries=100, conditions=None, '
        'transformed_conditions=None, float_rtol=0.01, progress_bar=None, output_file_path=None, '
        'keep_extra_columns=False)': 'synthesizers of several tables by others draw nothing',
    },
    'sdv.multi_table.base:BaseMultiTableSynthesizer': {
        '_assign_table_transformers(self, synthesizer, table_name, table_data)': (
            'SDV chooses transformers by private rows'
        ),
        '_augment_tables(self, processed_data)': 'nothing is released',
        '_get_all_constraints_list(self)': 'rules between tables are not listed',
        '_handle_composite_keys(self)': 'keys of several columns are refused',
        '_initialize_models(self)': 'tables make a promise of their own',
        '_model_tables(self, augmented_data)': 'nothing is released',
        '_sample_from_scale(self, scale, batch_size, max_tries_per_batch, output_folder_path)': (
            'the memory of a sample is not checked, and threads draw at once'
        ),
        '_synthesizer': 'tables are learned without privacy, by a Gaussian copula',
        '_validate_sample_input(self, num_rows, main_table_name, batch_size, max_tries_per_batch, '
        'output_folder_path)': 'names of tables may lead out of a folder',
    },
    'sdv.cag.base:BaseConstraint': {
        '_fit(self, data, metadata)': 'our constraints cannot be fitted',
        '_is_single_table': 'one table takes rules between tables',
        '_is_valid(self, data, metadata)': 'rows that break one of our constraints are kept',
        '_reverse_transform(self, data)': 'our constraints cannot be sampled',
        '_transform(self, data)': 'our constraints cannot be fitted',
        '_validate_constraint_with_data(self, data, metadata)': 'rows that break one are fitted',
        '_validate_constraint_with_metadata(self, metadata)': 'constraints are not checked',
    },
    'rdt.transformers.base:BaseTransformer': {
        '_fit(self, columns_data)': 'our transformers learn nothing',
        '_reverse_transform(self, columns_data)': 'our transformers draw nothing',
        '_set_seed(self, data)': 'RDT makes a seed of the first five private cells of a column',
        '_transform(self, columns_data)': 'our transformers make no codes',
    },
    'rdt.transformers.datetime:OptimizedTimestampEncoder': {
        '_find_divider(self, transformed)': 'the unit of a date depends on all rows beside it',
    },
}

#: Names that we call, read or set, by their class or module, and what for.
USED = {
    'sdv.single_table.base:BaseSynthesizer': {
        '_check_input_metadata_updated(self)': 'to warn of metadata that were changed',
        '_creation_date': 'the day in a release',
        '_data_processor': 'what makes ids and personal information up',
        '_fitted': 'whether there is a release',
        '_fitted_date': 'the day in a release',
        '_fitted_sdv_version': 'the version in a release',
        '_input_metadata': "the user's own metadata, which are never saved",
        '_model': 'the release',
        '_original_columns': 'the names of columns that were numbers',
        '_original_metadata': 'the metadata, without what is not public',
        '_reject_sampling_constraints': 'constraints that SDV lists, and never fits',
        '_store_and_convert_original_cols(self, table_data)': 'to name columns by texts',
        '_synthesizer_id': 'the synthesizer in the log',
        '_validate_transformers(self, column_name_to_transformer)': 'to refuse transformers',
        '_warn_quality_and_performance(self, column_name_to_transformer)': 'to warn of them',
    },
    'sdv.single_table.base:BaseSingleTableSynthesizer': {
        '_make_condition_dfs(conditions)': 'the tables of conditions',
        '_random_state_set': 'whether samples have begun',
        '_table_name': 'the only table',
        '_validate_conditions(self, conditions)': 'to refuse columns that are not there',
        '_validate_fit_before_sample(self)': 'to refuse a sample before a fit',
        '_validate_table_name(self, table_name)': 'to refuse tables that are not there',
    },
    'sdv.multi_table.base:BaseMultiTableSynthesizer': {
        '_check_metadata_updated(self)': 'to warn of metadata that are not saved',
        '_creation_date': 'the day in a release',
        '_fitted': 'whether there is a release',
        '_fitted_date': 'the day in a release',
        '_fitted_sdv_version': 'the version in a release',
        '_modified_multi_table_metadata': 'the metadata, without keys of several columns',
        '_numpy_seed': 'where samples begin',
        '_original_metadata': 'the metadata, without what is not public',
        '_original_table_columns': 'the names of columns that were numbers',
        '_single_table_constraints': 'the constraints',
        '_store_and_convert_original_cols(self, data)': 'to name columns by texts',
        '_synthesizer_id': 'the synthesizer in the log',
        '_table_parameters': 'the parameters of each table',
        '_table_sizes': 'the rows of a sample',
        '_table_synthesizers': 'the synthesizer of each table',
        '_validate_single_table_constraints(self, constraints)': 'to check constraints',
        '_validate_table_name(self, table_name)': 'to refuse tables that are not there',
    },
    'sdv.data_processing.data_processor:DataProcessor': {
        '_dtypes': 'the dtypes of samples',
        '_hyper_transformer': 'the generators of ids and personal information',
        '_update_transformers_by_sdtypes(self, sdtype, transformer)': 'modelled columns have none',
    },
    'sdv.metadata.metadata:Metadata': {
        '_convert_to_single_table(self)': 'the metadata of the only table',
        '_get_all_foreign_keys(self, table_name)': 'the foreign keys',
        '_get_single_table_name(self)': 'the only table',
    },
    'sdv.metadata._single_table:_SingleTableMetadata': {
        '_get_primary_and_alternate_keys(self)': 'the keys of a table',
        '_updated': 'whether the metadata was changed',
        '_validate_primary_key(self, data)': 'to refuse keys of another dtype',
    },
    'sdv.cag._errors': {'ConstraintNotMetError': 'to refuse rows that break a constraint'},
    'sdv.cag._utils': {
        '_validate_constraints_single_table(constraints, synthesizer_fitted)': (
            'to refuse constraints of several tables'
        ),
    },
    'sdv.cag.base:BaseConstraint': {
        '_fitted': 'a constraint that learns from synthetic rows alone',
        '_single_table': 'the same constraint',
        '_table_name': 'the only table',
    },
    'sdv.cag.inequality:Inequality': {
        '_high_column_name': 'a column of the rule',
        '_low_column_name': 'a column of the rule',
    },
    'sdv.cag.one_hot_encoding:OneHotEncoding': {'_column_names': 'the columns of the rule'},
    'sdv.cag.range:Range': {
        '_high_column_name': 'a column of the rule',
        '_low_column_name': 'a column of the rule',
        '_middle_column_name': 'a column of the rule',
    },
}

#: Private names of other libraries, and what for. They protect no private row, and a missing name
#: raises an error. ``pyproject.toml`` bounds the versions.
ELSEWHERE = {
    '_backends': 'whether JAX has started (of a module of JAX)',
    '_baseline_prediction': 'where trees start (of scikit-learn)',
    '_getframe': 'the line of the user that a warning points at (of Python)',
    '_is_text_encoding': 'encodings of text files (of Python)',
    '_meta': 'the dtypes of a table (of Dask)',
    '_pa_array': 'the cells of a column as Arrow has them (of pandas)',
    '_predictors': 'the trees that were grown (of scikit-learn)',
    '_showwarnmsg_impl': 'where warnings are shown (of Python)',
}


def check_private_names() -> None:
    """Raise an ``ImportError`` if a name that we rely on is gone, changed or no longer called."""
    wrong = [*_find_wrong(OVERRIDDEN, called=True), *_find_wrong(USED, called=False)]
    if not wrong:
        return
    installed = ' and '.join(f'{name} {version(name)}' for name in WORKING)
    working = [f"'{name}=={those[-1]}'" for name, those in WORKING.items()]
    raise ImportError(
        f'sdv-threea does not work with {installed}, which changed private names that it relies '
        f'on: {"; ".join(wrong)}. Versions that work: pip install {" ".join(working)}'
    )


def _find_wrong(listed: Mapping[str, Mapping[str, str]], *, called: bool) -> Iterator[str]:
    for owner, names in listed.items():
        there, named = _look_up(owner)
        for expected, why in names.items():
            name, parenthesis, _ = expected.partition('(')
            found = inspect.getattr_static(there, name, None)
            if parenthesis and (shown := _show(name, found)) != expected:
                yield f'{owner}.{expected} is {shown} ({why})'
            elif name not in named and (called or found is None):
                yield f'{owner}.{name} is not used ({why})'


def _look_up(owner: str) -> tuple[object, frozenset[str]]:
    """Return a class or a module, and the attributes named in the code of its module."""
    path, _, name = owner.partition(':')
    try:
        module = import_module(path)
    except ImportError:
        return None, frozenset()
    return getattr(module, name, None) if name else module, frozenset(_list_named(module))


def _show(name: str, found: object) -> str:
    if not callable(found):
        return 'gone'
    parameters = inspect.signature(found).parameters.values()
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in parameters]
    return f'{name}{inspect.Signature(bare)}'


def _list_named(module: ModuleType) -> Iterator[str]:
    classes = [each for each in vars(module).values() if isinstance(each, type)]
    own = [one for one in classes if one.__module__ == module.__name__]
    for each in (module, *own):
        for one in vars(each).values():
            code = getattr(inspect.unwrap(one) if callable(one) else one, '__code__', None)
            yield from _list_in(code)


def _list_in(code: CodeType | None) -> Iterator[str]:
    for inner in code.co_consts if code else ():
        if isinstance(inner, CodeType):
            yield from _list_in(inner)
    yield from code.co_names if code else ()


check_private_names()
