"""Maths: formulas that several rooms share, on plain arrays.

It touches released and public numbers only. It must not import any other room.

* :mod:`~sdv_threea.maths.shrinkage`: noisy values moved toward zero by what the noise can tell.
"""
