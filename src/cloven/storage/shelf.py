"""Tables that do not stay in memory: rows are put into numbered compartments of one Arrow file, and taken out again.

Rows of a compartment come back in the order in which they were put. What is held before it is written is bounded, and
so is what is read at once: a compartment, or one of its pieces. The file lies in a folder of the run that makes it.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import run_starts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray


PIECE = 1 << 23
"""Bytes of a piece that is written and read at once; of a shelf that may hold little, less."""


class Shelf:
    """Rows by compartment, in one file."""

    def __init__(self, place: Path, held: int) -> None:
        """A new shelf.

        Args:
            place: the file, which must not exist yet.
            held: bytes that may wait in memory before they are written.
        """
        self._place, self._most = place, held
        self._piece = min(PIECE, max(1, held // 8))
        self._waiting: dict[int, list[pa.Table]] = {}
        self._held = 0
        self._pieces: dict[int, list[int]] = {}
        self._written = 0
        self._writer: Any = None
        self._reader: Any = None
        self._file: Any = None
        self._schema: pa.Schema | None = None
        self._lock = Lock()
        self.rows: dict[int, int] = {}
        self.bytes: dict[int, int] = {}

    def put(self, number: int, table: pa.Table) -> None:
        """Put rows into a compartment."""
        if not len(table):
            return
        self._schema = self._schema or table.schema
        size = table.nbytes
        self._waiting.setdefault(number, []).append(table)
        self.rows[number] = self.rows.get(number, 0) + len(table)
        self.bytes[number] = self.bytes.get(number, 0) + size
        self._held += size
        if self._held > self._most:
            self._flush()

    def scatter(self, numbers: NDArray[Any], table: pa.Table) -> None:
        """Put each row into the compartment that its number names."""
        import pyarrow as pa

        if not len(table):
            return
        if len(numbers) > 1 and np.any(numbers[1:] < numbers[:-1]):
            order = np.argsort(numbers, kind="stable")
            numbers, table = numbers[order], table.take(pa.array(order))
        starts = run_starts(numbers)
        ends = np.append(starts[1:], len(numbers))
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            self.put(int(numbers[start]), table.slice(start, end - start))

    def _flush(self) -> None:
        """Write what waits, a piece for each compartment."""
        import pyarrow as pa

        if self._writer is None:
            self._place.touch(mode=0o600, exist_ok=False)
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            self._file = pa.OSFile(str(self._place), "wb")
            self._writer = pa.ipc.new_file(self._file, self._schema, options=options)
        for number in sorted(self._waiting):
            whole = pa.concat_tables(self._waiting.pop(number)).combine_chunks()
            rows = max(1, len(whole) * self._piece // max(1, whole.nbytes))
            for batch in whole.to_batches(max_chunksize=rows):
                self._writer.write_batch(batch)
                self._pieces.setdefault(number, []).append(self._written)
                self._written += 1
        self._held = 0

    def close(self) -> None:
        """Nothing more is put; what waits is written, and can be taken out."""
        import pyarrow as pa

        if self._reader is not None or self._schema is None:
            return
        self._flush()
        self._writer.close()
        self._file.close()
        self._file = pa.OSFile(str(self._place), "rb")
        self._reader = pa.ipc.open_file(self._file, options=pa.ipc.IpcReadOptions(use_threads=False))

    @property
    def numbers(self) -> list[int]:
        """Compartments that hold something, ascending."""
        return sorted(self.rows)

    def pieces(self, number: int = 0) -> Iterator[pa.Table]:
        """What a compartment holds, piece by piece."""
        import pyarrow as pa

        self.close()
        for at in self._pieces.get(number, ()):
            with self._lock:
                batch = self._reader.get_batch(at)
            yield pa.Table.from_batches([batch])

    def take(self, number: int) -> Any:
        """All that a compartment holds; None where that is nothing."""
        import pyarrow as pa

        found = list(self.pieces(number))
        return pa.concat_tables(found) if found else None

    def remove(self) -> None:
        """The file is not needed any more."""
        self.close()
        if self._file is not None:
            self._file.close()
        self._reader = self._file = None
        self._waiting, self._pieces = {}, {}
        self._place.unlink(missing_ok=True)
