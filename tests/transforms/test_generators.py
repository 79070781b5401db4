import pytest
from rdt.transformers import (
    AnonymizedFaker,
    FloatFormatter,
    LabelEncoder,
    PseudoAnonymizedFaker,
    RegexGenerator,
    UniformEncoder,
)
from sdv.errors import SynthesizerInputError

from sdv_threea.transforms.generators import refuse_learning


@pytest.mark.parametrize('transformer', [AnonymizedFaker(), RegexGenerator('[a-z]{3}'), None])
def test_generators_and_none_are_fine(transformer):
    refuse_learning({'email': transformer})


@pytest.mark.parametrize(
    'transformer', [PseudoAnonymizedFaker(), LabelEncoder(), UniformEncoder(), FloatFormatter()]
)
def test_what_learns_from_its_column_is_refused(transformer):
    with pytest.raises(SynthesizerInputError, match=r"columns \['email'\] need generators"):
        refuse_learning({'email': transformer, 'phone': AnonymizedFaker()})
