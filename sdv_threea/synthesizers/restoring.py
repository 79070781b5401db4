"""The release of a fitted synthesizer in a file without code.

``save`` writes a pickle, as SDV does, and a pickle can run code when it is opened. The file of a
release holds public facts and released numbers as plain values, from which a new synthesizer is
made, so untrusted files can be opened.
"""

import math
import os
from collections.abc import Mapping
from typing import Any

import pandas as pd
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea.constraints.constraint_set import BUILT_IN, read_constraint
from sdv_threea.errors import InputError
from sdv_threea.storage.files import check_version, get_version
from sdv_threea.storage.release_files import DamagedError, read_plain
from sdv_threea.synthesizers.arguments import TABLE_PARAMETERS
from sdv_threea.synthesizers.database_sampling import learn_tables
from sdv_threea.synthesizers.sampling import learn_release
from sdv_threea.synthesizers.statement import DatabaseStatement, PrivacyStatement
from sdv_threea.transforms.texts import NumberTexts

#: Arguments that are not part of a release: a kernel is code that only a fit needs, and the memory
#: limit and the ledger's path are facts about the machine.
LEFT_OUT = ('kernel', 'ledger', 'memory_limit', 'metadata', 'verbose')

#: The error for a synthesizer that a release cannot hold.
CODE = (
    'This synthesizer has constraints that you programmed, or transformers that were chosen. They '
    'are code, which a release cannot hold: save it by save().'
)

#: The attributes in which SDV notes facts about a fit.
DATES = ('_creation_date', '_fitted_date', '_fitted_sdv_version', '_synthesizer_id')


def find_holder(synthesizer: Any) -> Any:
    """Return the synthesizer that holds the release: for sequences, that of their database."""
    return synthesizer.__dict__.get('_database', synthesizer)


def gather_release(synthesizer: Any) -> dict[str, Any]:
    """Return the public facts and the release of a fitted synthesizer; an error if it has code."""
    held = find_holder(synthesizer)
    if any(map(_has_code, _list_tables(held).values())):
        raise SynthesizerInputError(CODE)
    given: dict[str, Any] = synthesizer.get_parameters()
    facts = {
        'made_with': get_version(),
        'kind': type(synthesizer).__name__,
        'metadata': synthesizer.metadata.to_dict(),
        'arguments': {name: each for name, each in given.items() if name not in LEFT_OUT},
        'dates': {name: getattr(held, name, None) for name in DATES},
        'fits': synthesizer.num_releases,
        'recorded': synthesizer._recorded and synthesizer._recorded.to_dict(),
        'constraints': [each.get_constraint_dict() for each in synthesizer.get_constraints()],
        **(_tell_tables if hasattr(held, '_table_synthesizers') else _tell_table)(held),
        'texts': _list_texts(held),
        'columns': getattr(synthesizer, '_labels', None),
    }
    restored = find_holder(_restore(type(synthesizer), facts))
    if _list_generators(held) != _list_generators(restored):
        raise SynthesizerInputError(CODE)
    return facts


def read_release(filepath: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the values of a release from its file."""
    try:
        facts = read_plain(os.fspath(filepath))
    except DamagedError as error:
        raise _damaged(filepath, error) from None
    check_version(facts.get('made_with'), get_version())
    return facts


def restore_release(kind: Any, facts: Mapping[str, Any], filepath: str | os.PathLike[str]) -> Any:
    """Make a synthesizer from the values of a release; an error if they promise too much."""
    try:
        restored = _restore(kind, facts)
        statement = restored.get_privacy_statement()
        str(statement)  # fails if a value is damaged
    except SynthesizerInputError:
        raise
    except Exception as error:  # a file from somebody else may hold anything
        raise _damaged(filepath, error) from None
    try:
        model = find_holder(restored)._model
        check_claims(statement, modelled=bool(getattr(model, 'tables', model is not None)))
    except ValueError as error:
        raise SynthesizerInputError(
            f"The release in the file '{os.fspath(filepath)}' is not as it was saved: {error}. Ask "
            'whoever made it for another copy, and do not rely on this one.'
        ) from None
    return restored


def check_claims(statement: PrivacyStatement | DatabaseStatement, *, modelled: bool) -> None:
    """Raise a ``ValueError`` if a statement, perhaps forged, exceeds what its receipts support."""
    fits = statement.fits
    receipts = [each for ledger in statement.ledgers for each in ledger.receipts]
    if isinstance(fits, bool) or not isinstance(fits, int) or fits < modelled:
        raise InputError('it does not say how many fits there were')
    if modelled and not receipts:
        raise InputError('it holds a model, and no receipt of its cost')
    if math.isinf(statement.epsilon):
        return
    if not all(one.sensitivity > 0 and one.mu > 0 for one in receipts):
        raise InputError('it has receipts of releases that cost nothing')
    for ledger in statement.ledgers:
        free = statement.guarantee != 'paper' and not all(one.charged for one in ledger.receipts)
        if free or not ledger.keeps(statement.epsilon, statement.delta):
            raise InputError('it promises more than its receipts show')


def _tell_table(synthesizer: Any) -> dict[str, Any]:
    return {
        'release': synthesizer._model,
        'dtypes': synthesizer.preprocessor.storage.declared,
        'labels': list(synthesizer._original_columns) or list(synthesizer.preprocessor.columns),
    }


def _adopt_table(synthesizer: Any, facts: Mapping[str, Any]) -> None:
    header = _make_header(facts['labels'], facts['dtypes'])
    synthesizer._store_and_convert_original_cols(pd.DataFrame(columns=header.columns))
    synthesizer._auto_assign_transformers({synthesizer._table_name: header})
    synthesizer._model = facts['release']
    learn_release(synthesizer.preprocessor, synthesizer._data_processor, synthesizer._model)


def _tell_tables(synthesizer: Any) -> dict[str, Any]:
    own, public = TABLE_PARAMETERS - set(LEFT_OUT), synthesizer._public_rows
    tables = {name: one for name, one in _list_tables(synthesizer).items() if name not in public}
    labels, parameters = synthesizer._original_table_columns, synthesizer._table_parameters
    return {
        'release': synthesizer._model,
        'public': public,
        'labels': {name: list(each.values()) for name, each in labels.items()},
        'dtypes': {name: each.preprocessor.storage.declared for name, each in tables.items()},
        'parameters': {
            name: {each: value for each, value in given.items() if each in own}
            for name, given in parameters.items()
        },
    }


def _adopt_tables(synthesizer: Any, facts: Mapping[str, Any]) -> None:
    for name, own in facts['parameters'].items():
        synthesizer.set_table_parameters(name, own)
    for name, dtypes in facts['dtypes'].items():
        header = _make_header(list(dtypes), dtypes)
        synthesizer._assign_table_transformers(_list_tables(synthesizer)[name], name, header)
    synthesizer._original_table_columns = {
        name: {str(label): label for label in each} for name, each in facts['labels'].items()
    }
    synthesizer._public_rows, synthesizer._model = facts['public'], facts['release']
    learn_tables(synthesizer)


def _list_tables(synthesizer: Any) -> dict[str, Any]:
    """Return the synthesizers of a database's tables; for one table, the synthesizer itself."""
    tables: dict[str, Any] = getattr(synthesizer, '_table_synthesizers', {'': synthesizer})
    return tables


def _make_header(labels: list[Any], dtypes: Mapping[str, Any]) -> pd.DataFrame:
    header = pd.DataFrame({name: pd.Series(dtype=dtypes[str(name)]) for name in map(str, labels)})
    return header.set_axis(pd.Index(labels), axis='columns')


def _restore(kind: Any, facts: Mapping[str, Any]) -> Any:
    synthesizer = kind(_read_metadata(facts), **facts['arguments'])
    if constraints := [read_constraint(each) for each in facts.get('constraints', ())]:
        synthesizer.add_constraints(constraints)
    held = find_holder(synthesizer)
    for name, texts in facts.get('texts', {}).items():
        chosen = {column: NumberTexts(**each) for column, each in texts.items()}
        _list_tables(held)[name].preprocessor.choose_transformers(chosen)
    held._num_releases = facts['fits']
    if recorded := facts.get('recorded'):  # releases of older versions have none
        from sdv_threea.storage.ledger_files import Recorded

        held._recorded = Recorded(**recorded)
    (_adopt_tables if hasattr(held, '_table_synthesizers') else _adopt_table)(held, facts)
    held.__dict__.update({name: facts['dates'][name] for name in DATES})
    held._fitted = True
    if held is not synthesizer:
        synthesizer._labels = facts['columns']
    synthesizer.reset_sampling()
    return synthesizer


def _read_metadata(facts: Mapping[str, Any]) -> Metadata:
    """Read the metadata of a release, without sequence keys that version 0.1.0 did not use."""
    models, tables = getattr(facts['release'], 'tables', {}), {}
    ordered = {name for name, model in models.items() if model.ordered}
    for name, table in facts['metadata']['tables'].items():
        left_out = set() if name in ordered else {'sequence_key', 'sequence_index'}
        tables[name] = {fact: each for fact, each in table.items() if fact not in left_out}
    return Metadata.load_from_dict({**facts['metadata'], 'tables': tables})


def _has_code(synthesizer: Any) -> bool:
    preprocessor = synthesizer.preprocessor
    own = [each for each in preprocessor.constraints.adopted if type(each) not in BUILT_IN]
    chosen = preprocessor.transformers.chosen.values()
    return bool(own) or not all(type(each) is NumberTexts for each in chosen)


def _list_texts(synthesizer: Any) -> dict[str, dict[str, Any]]:
    """Return how columns of numbers stored as texts are written, by table and column."""
    return {
        name: {column: one.notation for column, one in chosen.items()}
        for name, each in _list_tables(synthesizer).items()
        if (chosen := each.preprocessor.transformers.chosen)
    }


def _list_generators(synthesizer: Any) -> dict[Any, str]:
    listed: dict[Any, str] = {}
    for name, each in _list_tables(synthesizer).items():
        chosen = each._data_processor._hyper_transformer.field_transformers
        listed |= {(name, column): repr(one) for column, one in chosen.items()}
    return listed


def _damaged(filepath: str | os.PathLike[str], error: Exception) -> SynthesizerInputError:
    return SynthesizerInputError(
        f"The file '{os.fspath(filepath)}' is damaged, or no release was ever saved to it "
        f'({error if isinstance(error, DamagedError) else type(error).__name__}).'
    )
