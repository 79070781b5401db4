"""Pages: the pieces of HTML, pictures and sentences of reports and datasheets.

It gets names, numbers and shares, and returns text. It reads no table, and a page loads nothing
from a network: it is one file.

* :mod:`~sdv_threea.pages.shell`: the frame of a page, with its style and its search,
* :mod:`~sdv_threea.pages.fragments`: panels, tables, lists that open and can be searched,
* :mod:`~sdv_threea.pages.plots`: pictures of shares, curves and scores,
* :mod:`~sdv_threea.pages.drawing`: a picture as SVG,
* :mod:`~sdv_threea.pages.promise`: a privacy statement in plain words.
"""
