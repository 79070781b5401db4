"""The synthesizer that users meet: SDV's interface, and behind it one private release."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sdv.errors import NotFittedError, RefitWarning, SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea.accounting import Ledger
from sdv_threea.conditions.reading import Conditions, draw_rows
from sdv_threea.domain import Category, Domain
from sdv_threea.privacy.rows import Rows
from sdv_threea.settings import Settings
from sdv_threea.storage.metadata import MODELLED
from sdv_threea.storage.writing import decode
from sdv_threea.synthesizers.arguments import check_flag
from sdv_threea.synthesizers.guarded import COERCE, GuardedSynthesizer
from sdv_threea.synthesizers.progress import show_stages
from sdv_threea.synthesizers.statement import REFIT, PrivacyStatement, list_public_facts

if TYPE_CHECKING:
    from sdv_threea.release import Release


def release(
    rows: Rows[pd.DataFrame], domain: Domain, settings: Settings, begin: Callable[[str], None]
) -> Release:
    """Call :func:`sdv_threea.pipeline.release`.

    The pipeline is loaded at the first fit: everybody who imports SDV loads this module.
    """
    from sdv_threea import pipeline

    return pipeline.release(rows, domain, settings, begin)


class ClustMixSynthesizer(GuardedSynthesizer):
    """Synthesizer with a differential privacy guarantee, tuned to models trained on its output.

    The 3A framework: approximate, adapt, anonymize (Madl et al. 2023, arXiv 2307.01875). It is used
    like any synthesizer of SDV. Every fit is one private release, and sampling is free.

    Formal guarantees:
        * a fitted synthesizer, and what it samples, is a function of public facts (metadata,
          settings, dtypes, SDV's dates and identifiers) and of the release
        * the dtypes of the table are public; as pandas stores integers as floats, and booleans as
          objects, when one is missing, convert such columns to ``Int64`` and ``boolean`` before
          fitting if it must not be known that a value is missing

    Args:
        metadata: Metadata of the one table.
        enforce_min_max_values: Whether sampled numbers stay within the private table's range. Its
            ends have to be estimated, so ranges then end where values are sure to reach. Otherwise
            they go on to where the tails would end: closer to the real ends, which helps scores
            that compare ranges, and sometimes beyond them.
        enforce_rounding: Whether SDV rounds sampled numbers to the released granularity, of which
            they are multiples anyway.
        locales: Locales of the generators of personal information.
        epsilon: The privacy promise: the smaller, the more private; ``math.inf`` for none.
        delta: The privacy promise: choose it well below one over the number of rows.
        target_column: The column that models will be trained to predict, if it is known.
        public_metadata: Whether ranges, values, decimals and nullability in the metadata are
            public. By default they are dropped and estimated privately, because metadata
            that SDV detects from a table holds those of the private rows.
        guarantee: ``'end_to_end'``, or ``'paper'`` for the accounting of the paper, which leaves
            reads of the private rows uncharged.
        neighbors: ``'add_remove'`` or ``'replace_one'``: how neighbouring tables differ by one row.
        n_components: Number of components of the mixture, or ``'auto'``.
        alpha: Weight of the density against the prediction, in [0, 1]. With 1, the values of a
            categorical target are as uncertain as in the private rows; with less they are surer
            where little can be predicted, and a model learns more from as many rows, but its
            probabilities are too sure as well.
        kernel: Kernel of the adapt step (a ``neural_tangents.stax`` kernel function); ``None`` for
            the neural tangent kernel of a ReLU network.
        verbose: Whether to show the stages of a fit as they pass.
        invalid_cells: What becomes of cells that break what is stated of them (their type, range,
            values, that none is missing) and of rows that break a constraint. ``'raise'``: the fit
            is refused, as SDV does, which tells that there are some. ``'coerce'``: numbers and
            dates become the nearest stated bound, anything else is missing, record by record, and
            no message depends on them.

    Raises:
        SynthesizerInputError: If a setting is out of range, or the target cannot be predicted.
    """

    def __init__(
        self,
        metadata: Metadata,
        enforce_min_max_values: bool = True,
        enforce_rounding: bool = True,
        locales: list[str] | str = ['en_US'],
        epsilon: float = 1.0,
        delta: float = 1e-6,
        target_column: str | None = None,
        public_metadata: bool = False,
        guarantee: str = 'end_to_end',
        neighbors: str = 'add_remove',
        n_components: int | str = 'auto',
        alpha: float = 0.5,
        kernel: Callable[..., Any] | None = None,
        verbose: bool = False,
        invalid_cells: str = 'raise',
    ) -> None:
        super().__init__(
            metadata,
            enforce_min_max_values,
            enforce_rounding,
            locales,
            public_metadata,
            invalid_cells,
        )
        self.epsilon = epsilon
        self.delta = delta
        self.target_column = target_column
        self.guarantee = guarantee
        self.neighbors = neighbors
        self.n_components = n_components
        self.alpha = alpha
        self.kernel = kernel
        self.verbose = verbose
        check_flag(verbose=verbose)
        self._check_target()
        self._settings = self._make_settings()
        self.epsilon, self.delta = self._settings.epsilon, self._settings.delta
        self.alpha = self._settings.alpha
        self._num_releases = 0

    def get_privacy_statement(self) -> PrivacyStatement:
        """Return what the last fit promises, and what each of its releases cost.

        What is fixed when the synthesizer is made is what holds: setting an attribute later changes
        nothing. Of a synthesizer that was fitted several times, it says what its fits cost together
        if they were all of the same rows: ``k`` fits of ``mu``-GDP are ``sqrt(k) mu``-GDP. It knows
        of the fits of this synthesizer and of what it was copied or loaded from, and of no other.

        Raises:
            NotFittedError: If the synthesizer is not fitted.
        """
        if not self._fitted:
            raise NotFittedError(
                'This synthesizer has not been fitted. Please fit your synthesizer first before '
                'asking for its privacy statement.'
            )
        ledger = self._model.ledger if self._model else Ledger()
        return PrivacyStatement(
            epsilon=float(self._settings.epsilon),
            delta=float(self._settings.delta),
            neighbors=self._settings.neighbors,
            guarantee='none' if math.isinf(self._settings.epsilon) else self._settings.guarantee,
            mu=ledger.mu,
            receipts=ledger.receipts,
            public=list_public_facts(
                public_metadata=self.public_metadata,
                constrained=bool(self._reject_sampling_constraints),
                coerced=self.invalid_cells == COERCE,
            ),
            fits=self._num_releases,
        )

    def _check_target(self) -> None:
        target = self.target_column
        if target is None:
            return
        if not isinstance(target, str) or target not in self._columns:
            raise SynthesizerInputError(
                f"The target column '{target}' is not in the metadata, which has the columns "
                f'{list(self._columns)}.'
            )
        sdtype = self._columns[target]['sdtype']
        if sdtype not in MODELLED or sdtype == 'datetime':
            raise SynthesizerInputError(
                f"The target column '{target}' is of the sdtype '{sdtype}', which models cannot be "
                'trained to predict: choose a numerical, categorical, boolean or ordinal column.'
            )

    def _make_settings(self) -> Settings:
        try:
            settings = Settings(
                epsilon=self.epsilon,
                delta=self.delta,
                guarantee=self.guarantee,
                neighbors=self.neighbors,
                n_components=self.n_components,
                alpha=self.alpha,
                kernel=self.kernel,
                extrapolate=not self.enforce_min_max_values,
            )
        except ValueError as error:
            raise SynthesizerInputError(str(error)) from None
        if self.guarantee == 'paper':
            warnings.warn(
                "guarantee='paper' leaves reads of the private rows uncharged, as the paper does: "
                'it is not an end-to-end guarantee. Use it to reproduce the paper, and '
                "guarantee='end_to_end' to release data.",
                stacklevel=3,
            )
        return settings

    def _release(self, rows: Rows[pd.DataFrame]) -> None:
        domain = self._derive().derived
        self._num_releases += 1  # even if it fails: see fit
        with show_stages(shown=self.verbose) as begin:
            released = release(rows, domain, self._settings, begin)
        self._learn_storage(released.domain, released.transformers)
        self._warn_about_promise(released.num_rows)
        self._warn_about_silence(self._derivations.restore(released.domain))
        self._model = released

    def _warn_about_promise(self, num_rows: float) -> None:
        delta = float(self._settings.delta)
        if math.isinf(self._settings.epsilon):
            return
        if self._num_releases > 1:
            warnings.warn(
                REFIT.format(fits=self._num_releases),
                RefitWarning,
                stacklevel=2,
            )
        if delta * num_rows >= 1:
            warnings.warn(
                f'delta={delta:g} is at or above 1 / (released row count): the promise would '
                'allow to publish some row as it is. Choose a much smaller delta.',
                stacklevel=2,
            )

    def _warn_about_silence(self, domain: Domain) -> None:
        silent = [
            column.name
            for column in domain.columns
            if isinstance(column, Category) and not column.values  # noqa: PD011 (not pandas)
        ]
        if silent:
            warnings.warn(
                f'No value of the columns {silent} was common enough to be released: they are '
                'sampled as missing. If their values are public, state them in the metadata and '
                'set public_metadata=True; or choose a larger epsilon, or leave the columns out.',
                stacklevel=2,
            )

    def _set_random_state(self, random_state: int) -> None:
        self._generator = np.random.default_rng(random_state)
        self._random_state_set = True

    def _sample(self, num_rows: int, conditions: Conditions | None = None) -> pd.DataFrame:
        if conditions is None:
            sampled = self._model.sample(num_rows, self._generator)
        else:
            sampled = draw_rows(self._model, conditions, self._derivations, self._generator)
        released = self._model.domain
        sampled = self._derivations.back(sampled, released)
        domain = self._derivations.restore(released)
        return decode(sampled, self._columns, self._dtypes, domain)
