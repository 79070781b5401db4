"""The pieces of HTML, pictures and sentences of reports and datasheets.

These modules get names, numbers and shares, and return text. The modules read no table. A page is
one file and loads nothing from a network.

* :mod:`~sdv_threea.pages.fragments`: panels, tables, lists that unfold, and the file of a page,
* :mod:`~sdv_threea.pages.plots`: pictures of shares, curves and scores,
* :mod:`~sdv_threea.pages.promise`: a privacy statement in plain words.
"""
