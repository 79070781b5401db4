"""RDT transformers between cells and codes, which are whole numbers.

A synthesizer makes them from public or released facts, so they learn nothing from private rows;
``get_transformers()`` returns them. Used alone, for example in a ``HyperTransformer``, they learn
all missing arguments from the rows they are fitted to, and these rows must then be public:

>>> import pandas as pd
>>> from sdv_threea.transformers import NumberEncoder
>>> table = pd.DataFrame({'age': [17, 18, None, 20]})
>>> encoder = NumberEncoder()
>>> codes = encoder.fit_transform(table, 'age')
>>> codes['age'].tolist()
[1, 2, 0, 4]
>>> encoder
NumberEncoder(edges=<4 cells from 16.5 to 20.5>, step=1.0, nullable=True)
>>> encoder.reverse_transform(codes)['age'].tolist()
[17.0, 18.0, nan, 20.0]
"""

from sdv_threea.encoding.encoders import CategoryEncoder, NumberEncoder
from sdv_threea.transforms.texts import NumberTexts
from sdv_threea.transforms.transformer_set import DateEncoder

__all__ = ['CategoryEncoder', 'DateEncoder', 'NumberEncoder', 'NumberTexts']
