"""Relatedness by word vectors: the cosine of two words' vectors (Mikolov et al. 2013; Pennington et al. 2014).

Words a file lacks are looked up by the rungs of ``cloven.relatedness.ladder``; a phrase whose parts are known gets
the mean of their vectors.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import warnings
import zlib
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from cloven.errors import InputError, OutputError, ParameterError
from cloven.intake.files import content, open_plain
from cloven.intake.packing import ARRAY_DAMAGE
from cloven.intake.trees import tree_of
from cloven.relatedness.ladder import Ladder
from cloven.relatedness.vector_files import (
    VectorTable,
    WordIndex,
    read_vectors,
    refuse_repeated,
    row_blocks,
    source_files,
)
from cloven.relatedness.wordnet_files import WordNetFiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Floats, Longs
    from cloven.protocols import Coverage
    from cloven.relatedness.ladder import Found
    from cloven.relatedness.vector_files import RowBlock

_SAMPLE = Path(__file__).parent / "data" / "clinic-glove-100d.txt"


@dataclass(frozen=True, eq=False)
class VectorsRelated:
    """Cosines of the items of one vocabulary.

    Attributes:
        coverage: how the items were found.
        units: vector of each item at length 1; zeros for unknown items.
        known: which items have a vector.
    """

    coverage: Coverage
    units: Floats
    known: NDArray[np.bool_]

    def block(self, left: Longs, right: Longs) -> Floats:
        """Cosine of every left item to every right one; NaN where one of them has no vector."""
        cosines: Floats = np.clip(self.units[left] @ self.units[right].T, -1.0, 1.0)
        cosines[~self.known[left]] = np.nan
        cosines[:, ~self.known[right]] = np.nan
        return cosines


@dataclass(frozen=True)
class Vectors:
    """Word vectors from a file.

    Attributes:
        path: GloVe or word2vec file, NumPy pair (``cloven.relatedness.vector_files``), or cache.
        wordnet: folder or tar file of WordNet, for lemmas, spelling variants and synonyms of unknown words.
        ladder: look unknown words up by lemma, spelling and parts; if not, as written only.

    >>> related = Vectors.sample().relate(["asthma", "inhaler", "fracture", "zzyzx"])
    >>> related.block(np.array([0]), np.array([1, 2, 3])).round(2)
    array([[0.55, 0.32,  nan]])
    """

    path: str | Path
    wordnet: str | Path | None = None
    ladder: bool = True

    @classmethod
    def sample(cls) -> Vectors:
        """Vectors of all items of the built-in sample ``clinic``: rows of GloVe 6B, 100 dimensions."""
        return cls(_SAMPLE)

    @property
    def name(self) -> str:
        """One word for tables."""
        return "vectors"

    def relate(self, items: Sequence[str]) -> VectorsRelated:
        """Look the items up; an item whose vector is zero has no score."""
        matrix, known, found = self._look_up(items)
        units = matrix.astype(np.float64)
        units[known] /= np.linalg.norm(units[known], axis=1, keepdims=True)
        return VectorsRelated(found.coverage(items, known), units, known)

    def table(self, items: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Vectors as they stand in the file, zeros for unknown items, and which items are known."""
        matrix, known, _ = self._look_up(items)
        return matrix, known

    def _look_up(self, items: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_], Found]:
        found = Ladder(self._words_of_wordnet, exact_only=not self.ladder).look_up(items, self._table.find)
        served = found.rung >= 0
        rows, place = np.unique(found.rows, return_inverse=True)
        matrix = np.zeros((len(items), self._table.dimensions), np.float32)
        if served.any():
            sums = np.add.reduceat(self._table.take(rows)[place], found.offsets[:-1][served])
            matrix[served] = sums / np.diff(found.offsets)[served, None]
        known: NDArray[np.bool_] = np.any(matrix != 0, axis=1)
        if len(items) and not known.any():
            raise self._no_overlap(items)
        return matrix, known, found

    def _no_overlap(self, items: Sequence[str]) -> ParameterError:
        some = ", ".join(repr(item) for item in items[:3])
        return ParameterError(
            f"{self.path}: none of the {len(items):,} items has a vector, not even {some};"
            " take vectors of the items' own language, and names rather than codes"
        )

    @cached_property
    def _table(self) -> VectorTable:
        return open_vectors(self.path)

    @cached_property
    def _words_of_wordnet(self) -> WordNetFiles | None:
        return None if self.wordnet is None else WordNetFiles(Path(self.wordnet))


# A cache opens at once, since nothing of it is parsed: a folder of ``.npy`` files that are memory-mapped.
#
# ``matrix.npy`` holds a row of 32-bit floats for each word, the others are the four arrays of ``WordIndex``, and
# ``vectors.json`` says what they were made from.


FORMAT = "cloven.vectors/1"
_ABOUT = "vectors.json"
_INDEX = ("text", "offsets", "hashes", "rows")
_ROWS_AT_ONCE = 65_536


class _DamagedError(Exception):
    """What is wrong with the arrays of a cache."""


@dataclass(frozen=True)
class CacheOrigin:
    """What a cache was made from, and how its files must look.

    Attributes:
        format: name and version of the format.
        source: file it was made from.
        stamps: size and last change (in nanoseconds) of that file then, and of the words beside a NumPy matrix.
        sizes: bytes of each array file.
        index_crc32: checksum of the arrays of the index.
    """

    format: str
    source: str
    stamps: dict[str, list[int] | None]
    sizes: dict[str, int]
    index_crc32: int

    @classmethod
    def read(cls, folder: Path) -> CacheOrigin:
        """Read what stands in a cache."""
        try:
            noted: dict[str, Any] = tree_of(content(folder / _ABOUT, within=folder))
            if str(noted["format"]) != FORMAT:
                message = (
                    f"a cache of another version ({noted['format']}); make it anew from {noted['source']}"
                )
                raise InputError(message, source=str(folder))
            origin = cls(**noted)
            if not origin.well_formed:
                raise KeyError(*noted)
        except (OSError, ValueError, TypeError, KeyError) as error:
            message = f"a damaged cache of vectors: its {_ABOUT} cannot be read; make it anew"
            raise InputError(message, source=str(folder)) from error
        return origin

    @property
    def well_formed(self) -> bool:
        """Whether every field is of its type."""
        numbers = self.sizes.values() if isinstance(self.sizes, dict) else ()
        return (
            isinstance(self.source, str)
            and isinstance(self.stamps, dict)
            and set(self.sizes) == {"matrix", *_INDEX}
            and all(type(number) is int for number in numbers)
        )

    def refuse_stale(self, folder: Path) -> None:
        """A cache whose source has changed must not be used; one whose source is gone may."""
        for path, before in self.stamps.items():
            if _stamp(Path(path)) not in (None, before):
                message = f"stale: {path} has changed since the cache was made; make it anew from there"
                raise InputError(message, source=str(folder))

    def table(self, folder: Path) -> VectorTable:
        """The arrays, memory-mapped, if they are those that were written."""
        arrays = {name: _mapped(folder / f"{name}.npy", size) for name, size in self.sizes.items()}
        if _checksum(arrays) != self.index_crc32:
            message = "the index of words does not match its checksum"
            raise _DamagedError(message)
        matrix, index = arrays["matrix"], WordIndex(**{name: arrays[name] for name in _INDEX})
        if matrix.dtype != np.dtype("<f4") or matrix.shape[:-1] != (len(index),):
            message = "there is not one vector of 32-bit floats for each word"
            raise _DamagedError(message)
        return VectorTable(str(folder), index, matrix)


def open_vectors(path: str | Path) -> VectorTable:
    """Open word vectors: a cache made by ``cache_vectors``, or any file that ``vector_files`` describes.

    A damaged cache is never used. If its source is still there, it is set aside and made anew, with a warning.
    """
    path = Path(path)
    if not path.is_dir():
        return read_vectors(path)
    if not (path / _ABOUT).is_file():
        message = "a folder; name the vector file inside"
        raise InputError(message, source=str(path))
    origin = CacheOrigin.read(path)
    origin.refuse_stale(path)
    try:
        return origin.table(path)
    except _DamagedError as damage:
        if not Path(origin.source).is_file():
            message = f"a damaged cache of vectors: {damage}; make it anew"
            raise InputError(message, source=str(path)) from damage
        return _made_anew(path, origin.source, str(damage))


def cache_vectors(source: str | Path, destination: str | Path) -> VectorTable:
    """Write vectors of any format as a cache, and open it.

    The cache is complete or not there at all. An older cache in its place is replaced; anything else is not.
    """
    source, destination = Path(source), Path(destination)
    if (source / _ABOUT).is_file():
        message = "is a cache already; use it as it is"
        raise InputError(message, source=str(source))
    if destination.exists() and not (destination / _ABOUT).is_file():
        message = f"{destination}: exists and is not a cache of vectors; name another place"
        raise OutputError(message)
    partial = destination.with_name(f".{destination.name}.{secrets.token_hex(8)}.partial")
    older = partial.with_suffix(".older")
    try:
        partial.mkdir()
        _write(partial, source)
        if destination.exists():
            destination.rename(older)
        partial.rename(destination)
    except OSError as error:
        message = (
            f"{destination}: cannot be written ({error.strerror or error}); make room or name another place"
        )
        raise OutputError(message) from error
    finally:
        if older.exists() and not destination.exists():
            older.rename(destination)
        for folder in (partial, older):
            shutil.rmtree(folder, ignore_errors=True)
    return open_vectors(destination)


def _made_anew(path: Path, source: str, damage: str) -> VectorTable:
    aside = path.with_name(f"{path.name}.damaged-{secrets.token_hex(4)}")
    try:
        path.rename(aside)
    except OSError as error:
        message = f"a damaged cache of vectors: {damage}; make it anew"
        raise InputError(message, source=str(path)) from error
    message = (
        f"{path}: a damaged cache of vectors ({damage}); set aside as {aside.name}, made anew from {source}"
    )
    warnings.warn(message, RuntimeWarning, stacklevel=3)
    return cache_vectors(source, path)


def _mapped(path: Path, size: int) -> NDArray[Any]:
    try:
        if path.stat().st_size != size:
            message = f"{path.name} has {path.stat().st_size:,} bytes where {size:,} were written"
            raise _DamagedError(message)
        open_plain(path, within=path.parent).close()
        return np.lib.format.open_memmap(path, mode="r")
    except (OSError, *ARRAY_DAMAGE) as error:
        message = f"{path.name} cannot be read as a NumPy array"
        raise _DamagedError(message) from error


def _stamp(path: Path) -> list[int] | None:
    """Size and last change of a file; None where there is none to be seen."""
    try:
        state = path.stat()
    except OSError:
        return None
    return [state.st_size, state.st_mtime_ns]


def _checksum(arrays: dict[str, NDArray[Any]]) -> int:
    checksum = 0
    for name in _INDEX:
        checksum = zlib.crc32(arrays[name].data, checksum)
    return checksum


def _write(folder: Path, source: Path) -> None:
    """Stream the matrix first, so that no more than one block of it is ever in memory; then index and origin."""
    stamps = {str(path.resolve()): _stamp(path) for path in source_files(source)}
    index = _write_matrix(folder / "matrix.npy", row_blocks(source))
    refuse_repeated(index, source)
    arrays = {name: getattr(index, name) for name in _INDEX}
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)
    sizes = {name: (folder / f"{name}.npy").stat().st_size for name in ("matrix", *_INDEX)}
    origin = CacheOrigin(FORMAT, str(source.resolve()), stamps, sizes, _checksum(arrays))
    (folder / _ABOUT).write_text(json.dumps(asdict(origin), indent=1) + "\n", encoding="utf-8")
    for path in folder.iterdir():
        with path.open("rb") as stream:
            os.fsync(stream.fileno())


def _write_matrix(path: Path, blocks: Iterable[RowBlock]) -> WordIndex:
    words, lengths, width = [], [], 0
    with path.open("xb") as stream:
        for block in blocks:
            if not width:
                width = block.values.shape[1]
                _write_header(stream, 0, width)
            words.append(block.words)
            lengths.append(block.lengths)
            for start in range(0, len(block.values), _ROWS_AT_ONCE):
                stream.write(np.asarray(block.values[start : start + _ROWS_AT_ONCE], "<f4").tobytes())
        index = WordIndex.build(np.concatenate(words), np.concatenate(lengths))
        stream.seek(0)
        _write_header(stream, len(index), width)
    return index


def _write_header(stream: BinaryIO, rows: int, width: int) -> None:
    """The header of a ``.npy`` file; it has the same length whatever the number of rows, as NumPy leaves room."""
    about = {"descr": "<f4", "fortran_order": False, "shape": (rows, width)}
    np.lib.format.write_array_header_1_0(stream, about)
