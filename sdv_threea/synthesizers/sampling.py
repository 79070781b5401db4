"""Rows of one table, drawn from its release, in the user's dtypes and formats."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sdv.data_processing.data_processor import DataProcessor
from sdv.single_table.base import FIXED_RNG_SEED
from sdv.single_table.utils import check_num_rows
from tqdm import tqdm

from sdv_threea.conditions.sampler import ConditionSampler
from sdv_threea.cost import check_rows, tell_shortage
from sdv_threea.domain import Domain
from sdv_threea.storage.files import write_folder, write_tables
from sdv_threea.storage.processing import fit_processor, list_strict, store_made_up
from sdv_threea.synthesizers.disclosing import tell_rejected
from sdv_threea.synthesizers.progress import log_event
from sdv_threea.transforms.preprocessor import Preprocessor

if TYPE_CHECKING:
    from sdv_threea.release import Release

#: Sampling stops after this many draws if no row meets the constraints.
HOPELESS = 1000

#: The largest number of rows per requested row that are drawn again at once, as in SDV.
MOST_AGAIN = 10


def learn_release(preprocessor: Preprocessor, processor: DataProcessor, released: Any) -> None:
    """Let SDV and the constraints learn dtypes, formats and seeds from released facts."""
    learned = (released.domain, released.transformers) if released else (Domain(()), ())
    generators = processor._hyper_transformer.field_transformers
    named = {name: generators[name] for name in preprocessor.pseudonyms if generators.get(name)}
    preprocessor.generators |= named
    proxy, storage = preprocessor.learn(*learned), preprocessor.storage
    generators.update(preprocessor.choose_generators(learned[0]))
    strict = list_strict(storage.columns, storage.dtypes)
    fit_processor(processor, proxy, storage.dtypes, strict)


def finish_rows(
    preprocessor: Preprocessor,
    generate: Callable[[pd.DataFrame], pd.DataFrame],
    drawn: pd.DataFrame,
    domain: Domain,
) -> pd.DataFrame:
    """Turn drawn modelled columns into the user's rows, and drop rows that break a constraint."""
    storage = preprocessor.storage
    if not len(drawn):
        return storage.make_empty()
    rows = generate(preprocessor.restore(drawn, domain))
    rows = store_made_up(rows, list_strict(storage.columns, storage.dtypes))
    return preprocessor.constraints.keep_valid(rows)


@dataclass(frozen=True)
class TableSampler:
    """Sampler of the rows of one table; ``released`` is ``None`` if no column is modelled.

    ``generate`` is SDV's processor, which adds keys and personal information, and sets dtypes.
    """

    released: Release | None
    preprocessor: Preprocessor
    generate: Callable[[pd.DataFrame], pd.DataFrame]
    rng: np.random.Generator

    def draw(self, num_rows: int) -> pd.DataFrame:
        """Draw rows once, and drop those that break a constraint."""
        if self.released is None:
            return self.generate(pd.DataFrame(index=range(num_rows)))
        drawn = self.released.sample(num_rows, self.rng)
        return finish_rows(self.preprocessor, self.generate, drawn, self.released.domain)

    def sample(
        self, num_rows: int, max_tries: int, batch_size: int | None, memory_limit: float | None
    ) -> pd.DataFrame:
        """Draw rows in batches; in each, rows that break a constraint are drawn again."""
        if not num_rows:
            return self.preprocessor.storage.make_empty()
        check_rows(num_rows, num_rows * len(self.preprocessor.columns), memory_limit)
        rules, size = self.preprocessor.constraints.adopted, min(batch_size or num_rows, num_rows)
        shown, batches = bool(rules) or batch_size not in (None, num_rows), list[pd.DataFrame]()
        try:
            with tqdm(total=num_rows, desc='Sampling rows', disable=not shown) as bar:
                for start in range(0, num_rows, size):
                    batches.append(self.fill(min(size, num_rows - start), max_tries, bar))
                    if not any(map(len, batches)) and size * max_tries >= HOPELESS:
                        break
            rows = pd.concat(batches, ignore_index=True)
        except Exception as error:
            if _is_shortage(error):
                raise tell_shortage(num_rows) from None
            raise
        tell_rejected(len(rows), num_rows, max_tries, rules)
        return rows

    def meet(
        self, asked: Sequence[pd.DataFrame], max_tries: int, batch_size: int | None, doing: str
    ) -> list[pd.DataFrame]:
        """Draw a row for each condition; return a table for each table of conditions."""
        sampler = ConditionSampler(self.released, self.preprocessor, self.generate)
        found = list[pd.DataFrame]()
        sampler.refuse_impossible(asked)
        total = sum(map(len, asked))
        with tqdm(total=total, desc=doing) as bar:
            for known in asked:
                parts = []
                for rows in sampler.sample(known, self.rng, max_tries, batch_size):
                    parts.append(rows)
                    bar.update(len(rows))
                found.append(
                    pd.concat(parts).sort_index(kind='stable') if parts else pd.DataFrame()
                )
        # SDV's function warns of missing rows, and raises an error if there are no rows.
        check_num_rows(sum(map(len, found)), total, True, max_tries)
        return found

    def write(
        self,
        num_rows: int,
        folder: str | os.PathLike[str],
        rows_per_file: int,
        max_tries: int,
        *,
        show_progress: bool,
    ) -> list[Path]:
        """Sample rows into a folder of Parquet files, one file at a time."""
        rules, drawn, found = self.preprocessor.constraints.adopted, 0, 0

        def sample(size: int) -> pd.DataFrame:
            nonlocal drawn, found
            if not size:
                return self.preprocessor.storage.make_empty()
            rows = self.fill(size, max_tries)
            drawn, found = drawn + size, found + len(rows)
            if not found and (drawn == num_rows or drawn * max_tries >= HOPELESS):
                tell_rejected(0, num_rows, max_tries, rules)
            return rows

        storage = self.preprocessor.describe_storage(
            self.released.domain if self.released else None
        )
        paths = write_folder(
            sample, num_rows, folder, rows_per_file, storage, show_progress=show_progress
        )
        tell_rejected(found, num_rows, max_tries, rules)
        return paths

    def fill(self, num_rows: int, max_tries: int, bar: Any = None) -> pd.DataFrame:
        """Draw rows until enough meet the constraints, or the tries run out."""
        parts, missing, asked = list[pd.DataFrame](), num_rows, num_rows
        for _ in range(max_tries):
            parts.append(self.draw(asked))
            found = len(parts[-1])
            if bar is not None:
                bar.update(min(found, missing))
            missing -= found
            if missing <= 0:
                break
            asked = min(MOST_AGAIN * num_rows, int(missing / (max(found, 1) / asked)))
        return pd.concat(parts, ignore_index=True).head(num_rows)


def open_sampler(synthesizer: Any) -> TableSampler:
    """Return the sampler of a single-table synthesizer, seeded anew after a fit or a reset."""
    if not synthesizer._random_state_set:
        synthesizer._generator = np.random.default_rng(FIXED_RNG_SEED)  # as SDV seeds its own
        synthesizer._random_state_set = True
    generate = synthesizer._data_processor.reverse_transform
    model, preprocessor = synthesizer._model, synthesizer.preprocessor
    return TableSampler(model, preprocessor, generate, synthesizer._generator)


def hand_over(synthesizer: Any, rows: pd.DataFrame, folder: Any) -> dict[str, pd.DataFrame]:
    """Return sampled rows with the user's column names; log them, and write them to ``folder``."""
    if len(rows.columns) == len(synthesizer._original_columns):
        rows.columns = synthesizer._original_columns
    log_event(synthesizer, 'Sample', len(rows.columns), num_rows=len(rows))
    sampled = {synthesizer._table_name: rows}
    write_tables(sampled, folder)
    return sampled


def _is_shortage(error: BaseException | None) -> bool:
    if error is None or isinstance(error, MemoryError):
        return error is not None
    return _is_shortage(error.__cause__) or _is_shortage(error.__context__)
