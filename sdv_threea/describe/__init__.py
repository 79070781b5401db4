"""Describe: the first stage. The blanks of a domain are filled in privately.

It may read canonical private columns, as sums through :mod:`~sdv_threea.privacy`. It must not keep
anything but a :class:`~sdv_threea.describe.description.Description`, which may be published.

* :mod:`~sdv_threea.describe.description`: the stage: asks what the domain leaves open,
* :mod:`~sdv_threea.describe.size`: how many records there are,
* :mod:`~sdv_threea.describe.questions`: what is asked of which columns, and at what price,
* :mod:`~sdv_threea.describe.answers`: exact counts of a chunk of rows,
* :mod:`~sdv_threea.describe.values`: how often values occur,
* :mod:`~sdv_threea.describe.ranges`: noisy counts of numbers on a grid that all tables share,
* :mod:`~sdv_threea.describe.numbers`: how they are released: of the bulk, and of what lies beyond,
* :mod:`~sdv_threea.describe.bulk`: where the bulk of a number is likely to lie,
* :mod:`~sdv_threea.describe.ends`: where an estimated range ends,
* :mod:`~sdv_threea.describe.lattice`: numbers that are multiples of a step,
* :mod:`~sdv_threea.describe.granularity`: which step that is, and how round numbers are,
* :mod:`~sdv_threea.describe.filling`: the answers, put in the place of the blanks,
* :mod:`~sdv_threea.describe.constants`: what was chosen by measurement.
"""
