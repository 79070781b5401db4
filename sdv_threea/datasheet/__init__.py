"""The facts about a release that may be published with its synthetic rows.

A datasheet is made from released numbers and public facts, and never from a row, so it may be
published wherever the synthesizer may. It follows "Datasheets for Datasets" (Gebru et al. 2021,
arXiv 1803.09010) and answers the questions of NIST SP 800-226 about a differential privacy claim.

* :mod:`~sdv_threea.datasheet.sections`: the facts, and the questions that they answer,
* :mod:`~sdv_threea.datasheet.sheet`: the datasheet as a page, as Markdown, and as Croissant.
"""

from sdv_threea.datasheet.sections import ColumnFacts, SheetFacts, TableFacts
from sdv_threea.datasheet.sheet import Datasheet

__all__ = ['ColumnFacts', 'Datasheet', 'SheetFacts', 'TableFacts']
