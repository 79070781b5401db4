"""The release: everything that a fitted synthesizer keeps, and everything that sampling reads.

A release depends on the private rows only through the receipts of its ledger.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sdv_threea.accounting import Ledger
from sdv_threea.adapt.labels import LabelModel
from sdv_threea.adapt.regression import NumberModel
from sdv_threea.approximate.mixture import Mixture
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.domain import Domain
from sdv_threea.encoding.classes import Classes
from sdv_threea.encoding.encoders import Transformer, decode
from sdv_threea.joint.chain import Chain
from sdv_threea.joint.column_sums import Sum
from sdv_threea.joint.date_parts import Part
from sdv_threea.joint.density import Joint
from sdv_threea.joint.places import draw_places
from sdv_threea.losses import Loss
from sdv_threea.sampling.asked import CodeCondition, ImpossibleCondition, RowConditions, group
from sdv_threea.sampling.chained import Chained
from sdv_threea.sampling.draws import Model, Targeted, draw_wanted
from sdv_threea.sampling.gaussians import Gaussians


@dataclass(frozen=True)
class Release:
    """The released model of a table. The model, and everything computed from it, may be published.

    Args:
        domain: The domain, its blanks filled in.
        ledger: The receipts of the release.
        transformers: Maps between the cells of each column and codes.
        scored: The columns with a normal score, shape (m,).
        scores: Maps between codes and normal scores, by class.
        mixture: The density of the normal scores, by class.
        classes: The classes on which the density is conditioned.
        adapted: The model that draws the target of a record given its codes; ``None`` if the target
            is drawn together with the codes.
        joint: The density from which records are drawn if pairs of columns are released; otherwise
            ``None``, and records are drawn from the mixture.
        losses: The estimated losses, by column.
        plan: Lines about the target, the parts of the budget with their uses, and what is left out;
            in old releases only what was left out.
        sums: Numbers that are computed from others, unless a condition restricts them.
    """

    domain: Domain
    ledger: Ledger
    transformers: tuple[Transformer, ...]
    scored: Wholes
    scores: NormalScores
    mixture: Mixture
    classes: Classes
    adapted: LabelModel | NumberModel | None = None
    joint: Joint | None = None
    losses: tuple[Loss, ...] = ()
    plan: tuple[str, ...] = ()
    sums: tuple[Sum | Part, ...] = ()

    @property
    def num_rows(self) -> float:
        """The released number of records."""
        return float(self.mixture.weights.sum())

    @property
    def sharpened(self) -> tuple[str, ...]:
        """The target, if it is easier to predict in samples than in private rows."""
        target = self.domain.target
        return () if self.adapted is None or target is None else (target,)

    def model(self, chain: Chain | None = None) -> Model:
        """Return the density from which records are drawn, with this ``chain`` if it has one."""
        if self.joint is None:
            return Gaussians(self.mixture, self.scores)
        return Chained(self.joint, self.mixture.weights.sum(axis=1), chain=chain)

    def sample(
        self,
        num_rows: int,
        rng: np.random.Generator,
        asked: Mapping[str, CodeCondition] | None = None,
        chain: Chain | None = None,
    ) -> pd.DataFrame:
        """Draw any number of rows: sampling costs no privacy.

        Args:
            num_rows: Number of rows.
            rng: Source of randomness, which needs no secrecy.
            asked: Conditions: the codes that each row may have, by column. Rows are drawn from the
                conditional distribution, not by rejection.
            chain: A chain of the joint density that begins with the asked columns. Their codes are
                then used as they are, even if the model gives their combination no probability.

        Returns:
            The columns of the domain; numbers as floats with NaN, categories as objects with
            ``None`` for missing values.

        Raises:
            ImpossibleCondition: If the model gives a condition no probability.
        """
        model, target = self.model(chain), self.adapted
        given, wanted = self._read(num_rows, asked or {})
        if not asked or not num_rows:
            found = model.draw(num_rows, rng)
        elif target is None or wanted is None:
            found = model.draw(num_rows, rng, given)
        else:
            groups = group([*given.keys, asked[self.domain.target or ''].codes], num_rows)

            def draw(rows: Wholes) -> Targeted:
                drawn = model.draw(len(rows), rng, given.take(rows))
                return target.draw(*drawn, wanted[rows], rng)

            return self._decode(*draw_wanted(draw, groups, rng), rng, asked)
        if target is not None:
            occurs = self.mixture.weights.sum(axis=1) > 0
            found = target.draw(*found, occurs if target.of_classes else None, rng)[:2]
        return self._decode(*found, rng, asked or ())

    def _read(
        self, num_rows: int, asked: Mapping[str, CodeCondition]
    ) -> tuple[RowConditions, Bools | None]:
        classes = np.tile(self.mixture.weights.sum(axis=1) > 0, (num_rows, 1))
        scored, wanted = {}, None
        for name, own in asked.items():
            at, reached = self.domain.names.index(name), own.list_classes().T
            if not reached.any(axis=1).all():
                raise ImpossibleCondition(
                    f'The released model gives no probability to the condition on {name!r}.'
                )
            if name in self.sharpened:
                wanted = own.list_masks() & own.occurs.any(axis=0)
                if self.adapted is not None and self.adapted.of_classes:
                    wanted = classes & reached
            elif at in self.scored:
                scored[int(np.searchsorted(self.scored, at))] = own
            else:
                classes = classes & reached
        possible = [classes, *(own.list_classes().T for own in scored.values())]
        if self.joint is None and not np.logical_and.reduce(possible).any(axis=1).all():
            raise ImpossibleCondition(
                'The released model gives some probability to each of the conditions on '
                f'{list(asked)}, but none to all of them together.'
            )
        return RowConditions(scored, classes), wanted

    def _decode(
        self, found: Wholes, classes: Wholes, rng: np.random.Generator, kept: Collection[str]
    ) -> pd.DataFrame:
        """Turn codes of scored columns, and classes, into rows; sums in ``kept`` stay as drawn."""
        # Codes are read column by column, so columns are stored contiguously.
        codes = np.zeros((len(found), len(self.transformers)), dtype=np.int64, order='F')
        # A target whose values are the classes has no score; its codes follow from the class.
        codes[:, self.scored] = found
        self.classes.write_target(codes, classes)
        places = {}
        if self.joint is not None:
            drawn = draw_places(codes[:, self.scored], self.joint.ties, rng)
            places = {int(self.scored[at]): own for at, own in drawn.items()}
        rows = decode(codes, self.transformers, rng, places)
        for own in self.sums:
            if own.total not in kept:
                own.write(rows, self.domain)
        return rows

    def chances(self, name: str) -> Floats:
        """Return the probabilities of a column's codes by class, shape (C, size of column).

        Probabilities are zero in classes that do not occur, so a combination of codes can be drawn
        if all of its codes have a positive probability in one class.
        """
        at = self.domain.names.index(name)
        occurs = self.mixture.weights.sum(axis=1, keepdims=True) > 0
        if at in self.scored:
            chances = self.scores.chances(int(np.searchsorted(self.scored, at)))
        else:
            codes = np.zeros((len(occurs), len(self.transformers)), dtype=np.int64)
            self.classes.write_target(codes, np.arange(len(codes)))
            chances = np.eye(self.transformers[at].size)[codes[:, at]]
        return np.asarray(chances * occurs)
