"""SDV's base class, which can also sample into files: more rows than fit into memory."""

from __future__ import annotations

import os
from pathlib import Path

from tqdm import tqdm

from sdv_threea.storage.files import filling
from sdv_threea.storage.parquet import FileSchema, choose_schema, load_pyarrow, write_part
from sdv_threea.synthesizers.arguments import check_counts, check_flag
from sdv_threea.synthesizers.conditioned import ConditionedSynthesizer

#: Digits in the name of a file, at least: files are read in the order of their names.
DIGITS = 5


class PartitionedSynthesizer(ConditionedSynthesizer):
    """The sampling of a table in parts."""

    def sample_to_parquet(
        self,
        num_rows: int,
        folder: str | os.PathLike[str],
        rows_per_file: int = 1_000_000,
        max_tries_per_batch: int = 100,
        show_progress: bool = True,
    ) -> list[Path]:
        """Sample rows into a folder of Parquet files: free of privacy cost, however many.

        The rows are those of ``sample(num_rows, batch_size=rows_per_file)``, and no more of them
        than one file has are in memory at a time. ``pandas.read_parquet`` and
        ``dask.dataframe.read_parquet`` read the folder as one table: all files have the same
        schema. Objects are stored as what they are (``Int64``, ``boolean``, texts), and columns
        named by numbers are named by texts.

        Args:
            num_rows: How many.
            folder: The folder, which is made; it may exist if it is empty. It appears when all
                files are written: after an error or an interrupt there is none.
            rows_per_file: The most rows of a file.
            max_tries_per_batch: How often to draw again for what is met by rejection.
            show_progress: Whether to show how many rows there are already.

        Returns:
            The files, in order: ``part-00000.parquet`` and so on; one without rows, if there are
            none.

        Raises:
            FileExistsError: If there is a file, or a folder that is not empty.
            ImportError: If PyArrow is not installed.
            OSError: If the files cannot be written.
            SamplingError: If the synthesizer is not fitted.
            ValueError: If a number is not a whole one, or a column has values of several types.
        """
        check_counts(0, num_rows=num_rows)
        check_counts(rows_per_file=rows_per_file, max_tries_per_batch=max_tries_per_batch)
        check_flag(show_progress=show_progress)
        self._validate_fit_before_sample()
        self._check_input_metadata_updated()
        load_pyarrow()
        sizes = [min(rows_per_file, num_rows - at) for at in range(0, num_rows, rows_per_file)]
        digits, schema = max(DIGITS, len(str(len(sizes)))), None
        with (
            filling(folder) as place,
            tqdm(total=num_rows, desc='Sampling rows', disable=not show_progress) as bar,
        ):
            for number, size in enumerate(sizes or [0]):
                path = place / f'part-{number:0{digits}}.parquet'
                schema = self._sample_part(size, max_tries_per_batch, schema, path)
                bar.update(size)
        return sorted(Path(folder).iterdir())

    def _sample_part(
        self, size: int, max_tries: int, schema: FileSchema | None, path: Path
    ) -> FileSchema:
        """Sample and write some rows, and forget them."""
        rows = self._sample_nothing()
        if size:
            rows = self._sample_batch(batch_size=size, max_tries=max_tries)
        schema = schema or choose_schema(rows, self._get_storage())
        write_part(rows, schema, path)
        return schema
