"""Sampling: records drawn from released distributions. Post-processing, however many are drawn.

It must not touch a private row: all inputs were released.

* :mod:`~sdv_threea.sampling.draws`: codes and classes of records,
* :mod:`~sdv_threea.sampling.conditional`: draws given that some scores lie in a region,
* :mod:`~sdv_threea.sampling.asked`: the condition of each row, and pools to draw rows from,
* :mod:`~sdv_threea.sampling.each`: draws of rows that each have their own condition,
* :mod:`~sdv_threea.sampling.context`: draws given the scores of some columns,
* :mod:`~sdv_threea.sampling.joint`: draws if pairs of columns are released.
"""
