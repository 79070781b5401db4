"""Datasheet: what may be published about a release, beside the synthetic rows.

It gets released numbers and public facts, and never a row: so a datasheet may be published wherever
the synthesizer may. It follows "Datasheets for Datasets" (Gebru et al. 2021, arXiv 1803.09010) and
answers the questions of NIST SP 800-226 about a differential privacy claim.

* :mod:`~sdv_threea.datasheet.facts`: what a datasheet is made of,
* :mod:`~sdv_threea.datasheet.sections`: the questions and their answers,
* :mod:`~sdv_threea.datasheet.sheet`: the datasheet, as a page, as Markdown, as Croissant,
* :mod:`~sdv_threea.datasheet.croissant`: the description that machines read.
"""

from sdv_threea.datasheet.facts import ColumnFacts, SheetFacts, TableFacts
from sdv_threea.datasheet.sheet import Datasheet

__all__ = ['ColumnFacts', 'Datasheet', 'SheetFacts', 'TableFacts']
