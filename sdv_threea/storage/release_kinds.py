"""The names of released classes in files, which never change, although classes may move."""

from collections.abc import Mapping
from dataclasses import is_dataclass
from importlib import import_module
from typing import Any

#: The module of every released class, by the name of the class in files. A class that moves keeps
#: its name here; a removed class leaves its name to the class that replaces it.
KINDS = {
    'Agreement': 'sdv_threea.relational.model:Agreement',
    'Attribute': 'sdv_threea.relational.layout:Attribute',
    'Category': 'sdv_threea.domain:Category',
    'Chain': 'sdv_threea.joint.chain:Chain',
    'ChainColumn': 'sdv_threea.joint.chain:Column',
    'ChainLink': 'sdv_threea.joint.chain:Link',
    'ChainParents': 'sdv_threea.joint.terms:ParentPair',
    'Children': 'sdv_threea.relational.sizes:Children',
    'Classes': 'sdv_threea.encoding.classes:Classes',
    'DatabaseRelease': 'sdv_threea.relational.database_release:DatabaseRelease',
    'Domain': 'sdv_threea.domain:Domain',
    'Ends': 'sdv_threea.rows.units.links:Ends',
    'Expectation': 'sdv_threea.adapt.regression:Expectation',
    'ForeignKey': 'sdv_threea.schema:Link',
    'Interplay': 'sdv_threea.adapt.features:Interplay',
    'Joint': 'sdv_threea.joint.density:Joint',
    'JointConstants': 'sdv_threea.joint.joint_constants:JointConstants',
    'KernelFeatures': 'sdv_threea.adapt.features:KernelFeatures',
    'LabelModel': 'sdv_threea.adapt.labels:LabelModel',
    'Layout': 'sdv_threea.relational.layout:Layout',
    'Ledger': 'sdv_threea.accounting.receipts:Ledger',
    'Loss': 'sdv_threea.losses:Loss',
    'Magnitudes': 'sdv_threea.relational.magnitudes:Magnitudes',
    'Mixture': 'sdv_threea.approximate.mixture:Mixture',
    'NormalScores': 'sdv_threea.approximate.scores:NormalScores',
    'Number': 'sdv_threea.domain:Number',
    'NumberModel': 'sdv_threea.adapt.regression:NumberModel',
    'Part': 'sdv_threea.joint.date_parts:Part',
    'Pseudonyms': 'sdv_threea.domain:Pseudonyms',
    'Receipt': 'sdv_threea.accounting.receipts:Receipt',
    'RelationalConstants': 'sdv_threea.constants:RelationalConstants',
    'ReluNtk': 'sdv_threea.adapt.ntk:ReluNtk',
    'References': 'sdv_threea.relational.model:References',
    'Release': 'sdv_threea.release:Release',
    'Schema': 'sdv_threea.schema:Schema',
    'Share': 'sdv_threea.losses:Share',
    'Sum': 'sdv_threea.joint.column_sums:Sum',
    'TableRelease': 'sdv_threea.relational.model:TableRelease',
    'Term': 'sdv_threea.adapt.design:Term',
    'Trees': 'sdv_threea.adapt.trees:Trees',
    'Triples': 'sdv_threea.joint.terms:Triples',
}

#: Files of version 0.1.0 name a class by its place, ``module:class``. These classes have other
#: names today.
PLACES_OF_0_1_0 = {
    'sdv_threea.joint.chain:Column': 'ChainColumn',
    'sdv_threea.joint.chain:Link': 'ChainLink',
    'sdv_threea.joint.terms:Both': 'ChainParents',
    'sdv_threea.relational.schema:Link': 'ForeignKey',
}

#: Former fields of classes, which are not read from files.
FORMER_FIELDS = {
    'JointConstants': (
        *('few_triples', 'few_values', 'least_bins', 'least_held', 'least_information'),
        *('least_triple_bins', 'records_per_class', 'step'),
        *('left_out', 'look_doubt', 'most_cells', 'most_looks', 'most_needed', 'most_partners'),
        *('most_values', 'records_per_digit', 'records_per_error', 'unseen_part', 'value_part'),
        *('least_bins_of_guess', 'own_values', 'least_likeness', 'nearness', 'blur'),
        *('settled', 'most_triple_bins'),
    ),
    'Magnitudes': ('scale', 'doubt', 'seen'),
    'RelationalConstants': (
        *('most_lifted', 'most_shared', 'siblings_share', 'top_discount', 'units_false_alarm'),
        *('agreeing', 'agreement_share', 'clear_of_noise', 'links_share', 'magnitudes_of_hidden'),
        'magnitudes_of_few',
        *('magnitudes_share', 'orphans_share', 'repeats_share', 'typical_share'),
    ),
    'TableRelease': ('together', 'common'),
}

#: Former names of fields; if a file has several for one field, the one with a value is read.
RENAMED_FIELDS = {'Release': {'labels': 'adapted', 'number': 'adapted', 'left_out': 'plan'}}

_NAMES = {place: name for name, place in KINDS.items()}


def name_kind(value: Any) -> str | None:
    """Return the name in files of a value's class; ``None`` for classes that are not released."""
    return _NAMES.get(f'{type(value).__module__}:{type(value).__qualname__}')


def make_kind(name: str, fields: Mapping[str, Any]) -> Any:
    """Return an instance of the class that a file names, with its present fields."""
    name = _read_name(name)
    former, renamed = FORMER_FIELDS.get(name, ()), RENAMED_FIELDS.get(name, {})
    known = {field: own for field, own in fields.items() if field not in {*former, *renamed}}
    for field, today in renamed.items():
        if field in fields:
            known[today] = known.get(today) or fields[field]
    return find_kind(name)(**known)


def find_kind(name: str) -> type[Any]:
    """Import and return the class that a file names."""
    module, _, own = KINDS[_read_name(name)].partition(':')
    found: type[Any] = getattr(import_module(module), own)
    assert is_dataclass(found)
    return found


def _read_name(name: str) -> str:
    return PLACES_OF_0_1_0.get(name, name.rpartition(':')[2])
