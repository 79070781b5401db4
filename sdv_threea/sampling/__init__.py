"""Sampling: records drawn from what was released. Free of cost, however many.

It must not touch a private row: all that comes in was released.

* :mod:`~sdv_threea.sampling.draws`: codes and classes of records,
* :mod:`~sdv_threea.sampling.conditional`: draws given that some scores lie in a region,
* :mod:`~sdv_threea.sampling.asked`: what each row is asked to have, and pools to draw it from,
* :mod:`~sdv_threea.sampling.each`: draws of rows that each have a region of their own,
* :mod:`~sdv_threea.sampling.context`: draws given the scores of some columns,
* :mod:`~sdv_threea.sampling.joint`: draws where pairs of columns are released.
"""
