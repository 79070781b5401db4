"""Claims of a release file are compared with its accounting records before it is opened."""

import math
from dataclasses import replace

import pytest

from sdv_threea.accounting import Receipt
from sdv_threea.synthesizers.released import check_claims
from sdv_threea.synthesizers.statement import PrivacyStatement

PAID = Receipt(stage='a', released='b', sensitivity=1.0, noise_scale=10.0, mu=0.1, delta=1e-7)

HONEST = PrivacyStatement(
    epsilon=1.0,
    delta=1e-6,
    neighbors='add_remove',
    guarantee='end_to_end',
    mu=0.1,
    receipts=(PAID,),
)


def test_honest_claims_are_believed():
    check_claims(HONEST, modelled=True)
    check_claims(replace(HONEST, fits=10), modelled=True)
    paper = replace(HONEST, guarantee='paper', receipts=(PAID, replace(PAID, charged=False)))
    check_claims(paper, modelled=True)
    check_claims(replace(HONEST, mu=0.0, receipts=(), fits=0), modelled=False)
    assert 'refits' not in str(replace(HONEST, fits=0))
    free = replace(PAID, mu=math.inf, noise_scale=0.0)
    noiseless = replace(HONEST, epsilon=math.inf, guarantee='none', receipts=(free,))
    check_claims(noiseless, modelled=True)


@pytest.mark.parametrize(
    'edited',
    [
        {'epsilon': 0.01}, {'delta': 1e-8},
        {'receipts': (replace(PAID, noise_scale=1.0),)},
        {'receipts': (replace(PAID, charged=False),)},
        {'receipts': (PAID,) * 20},
        {'receipts': ()}, {'receipts': (PAID, replace(PAID, sensitivity=0.0, mu=0.0))},
        {'fits': 0}, {'fits': 0, 'receipts': ()}, {'fits': -1}, {'fits': True}, {'fits': 1.5},
        {'fits': None}, {'fits': 'x'},
    ],
    ids=str,
)  # fmt: skip
def test_claims_beyond_the_evidence_are_refused(edited):
    with pytest.raises(ValueError, match='receipt|how many fits'):
        check_claims(replace(HONEST, **edited), modelled=True)
