"""Eliminations of an attack as a folder, format ``cloven.eliminations/1``; see docs/reference/eliminations-format.md.

``cells.parquet`` has one row for each item of each generalised item of each published row, so any program can write
eliminations and have them scored. ``rows.parquet`` says of which rows the attack knew nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.generalised.guesses import Cells, Eliminations, RowAnswer
from cloven.storage.atomic import PRIVATE_FILE, PRIVATE_FOLDER, staged, write_bytes
from cloven.storage.guesses import CONTROL, about_of, cast_columns, read_answers, release_digest, write_loose
from cloven.storage.manifest import expect, manifest_bytes

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.kinds.generalised.guesses import Tables
    from cloven.kinds.generalised.release import SetGeneralised


FORMAT = "cloven.eliminations/1"
ABOUT = "eliminations.json"
CELLS = ("block", "row", "item", "added", "eliminated", "order")
ANSWERS = tuple(each.name.lower() for each in RowAnswer)


def write_eliminations(
    eliminations: Eliminations,
    release: SetGeneralised,
    out: str | os.PathLike[str],
    *,
    control: Eliminations | None = None,
) -> None:
    """Write the folder ``out``, readable by its owner alone: eliminations with confidences are the attack.

    ``control``, the same attack with shuffled relatedness, goes to ``out/control``.

    >>> import tempfile
    >>> import cloven as cv
    >>> release = cv.Coat(k=5, m=1).anonymise(cv.sample("clinic")).release
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_eliminations(cv.attacks.RandomElimination().guess(release), release, Path(folder, "out"))
    ...     sorted(file.name for file in Path(folder, "out").iterdir())
    ['cells.parquet', 'eliminations.json', 'rows.parquet']
    """
    with staged(Path(out)) as (place,):
        _write_folder(eliminations, release, place)
        if control is not None:
            _write_folder(control, release, place / CONTROL)


def read_eliminations(path: str | os.PathLike[str], release: SetGeneralised, asked: Tables) -> Eliminations:
    """Read eliminations about a release; cells that the file leaves out stay, with confidence 0.

    Raises:
        ReleaseError: the folder is broken, or speaks of another release.

    >>> import tempfile
    >>> import cloven as cv
    >>> from cloven.kinds.generalised.guesses import tables
    >>> release = cv.Coat(k=5, m=1).anonymise(cv.sample("clinic")).release
    >>> found = cv.attacks.RandomElimination().guess(release)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_eliminations(found, release, Path(folder, "out"))
    ...     again = read_eliminations(Path(folder, "out"), release, tables(release))
    >>> bool((again.eliminated == found.eliminated).all())
    True
    """
    folder = Path(path)
    about = about_eliminations(folder, release)
    file = folder / "cells.parquet"
    block, row, item, added, taken, order = _cells(file, release)
    place = _places(asked, release, block, row, item, file)
    confidence = np.zeros(asked.cells, np.float32)
    confidence[place] = added
    eliminated = np.zeros(asked.cells, bool)
    eliminated[place] = taken
    rounds = np.full(asked.cells, -1, np.int32)
    rounds[place] = np.where(taken, order, -1)
    answer = _answers(asked, folder / "rows.parquet")
    return Eliminations(asked, eliminated, confidence, rounds, answer, about["attack"], about["notes"])


def about_eliminations(path: str | os.PathLike[str], release: SetGeneralised) -> dict[str, Any]:
    """What a folder says about itself; its ``attack`` tells by ``marked`` which tables it answers."""
    return about_of(Path(path), ABOUT, FORMAT, release_digest(release))


def _write_folder(eliminations: Eliminations, release: SetGeneralised, place: Path) -> None:
    import pyarrow as pa

    asked = eliminations.tables
    about = {
        "format": FORMAT,
        "release": release_digest(release),
        "attack": dict(eliminations.attack),
        "notes": dict(eliminations.notes),
        "generalised_items": len(asked),
        "cells": asked.cells,
    }
    place.mkdir(PRIVATE_FOLDER)
    laid_out, names = Cells.of(asked), pa.array(release.vocabulary, pa.string())
    block = asked.block[laid_out.line_table]
    cells = {
        "block": pa.array(block[laid_out.line]),
        "row": pa.array(laid_out.row),
        "item": names.take(pa.array(laid_out.item)),
        "added": pa.array(eliminations.confidence),
        "eliminated": pa.array(eliminations.eliminated),
        "order": pa.array(eliminations.order, mask=eliminations.order < 0),
    }
    write_loose(place / "cells.parquet", pa.table(cells))
    rows = {
        "block": pa.array(block),
        "row": pa.array(asked.rows),
        "answer": pa.array(ANSWERS).take(pa.array(eliminations.answer)),
    }
    write_loose(place / "rows.parquet", pa.table(rows))
    write_bytes(place / ABOUT, manifest_bytes(about), PRIVATE_FILE)


def _cells(file: Path, release: SetGeneralised) -> tuple[Any, ...]:
    import pyarrow as pa
    import pyarrow.compute as pc

    kinds = (pa.int64(), pa.int64(), pa.string(), pa.float32(), pa.bool_(), pa.int32())
    columns = dict(zip(CELLS, cast_columns(file, dict(zip(CELLS, kinds, strict=True))), strict=True))
    order = columns.pop("order").fill_null(-1).to_numpy()
    expect(not sum(each.null_count for each in columns.values()), str(file), "cells", "without null", "null")
    item = pc.index_in(columns.pop("item"), value_set=pa.array(release.vocabulary, pa.string()))
    expect(not item.null_count, str(file), "item", "an item of the release", "another name")
    added = columns["added"].to_numpy()
    bad = added[~((added >= 0) & (added <= 1))]
    expect(not len(bad), str(file), "added", "from 0 to 1", bad[:1].tolist())
    block, row, _, taken = (column.to_numpy() for column in columns.values())
    return block, row, item.to_numpy().astype(np.int64), added, taken, order


def _places(
    asked: Tables, release: SetGeneralised, block: Longs, row: Longs, item: Longs, file: Path
) -> Longs:
    """Position of each cell among those that the release asks about."""
    cells, width = Cells.of(asked), max(1, len(release.vocabulary))
    # An item is in one block, so row and item name a cell.
    known = cells.row * width + cells.item
    by_name = np.argsort(known)
    keys = np.where((row >= 0) & (row < release.records), row * width + item, -1)
    place = np.searchsorted(known[by_name], keys)
    place = by_name[np.minimum(place, len(known) - 1)] if len(known) else np.zeros(0, np.int64)
    right = len(known) > 0 and (known[place] == keys) & (
        asked.block[cells.line_table][cells.line[place]] == block
    )
    wrong = np.flatnonzero(~np.broadcast_to(right, keys.shape))[:1]
    told = f"block {block[wrong].tolist()}, row {row[wrong].tolist()}"
    expect(not len(wrong), str(file), "every cell", "an item of a generalised item that its row shows", told)
    expect(len(np.unique(keys)) == len(keys), str(file), "cells", "named once", "the same cell twice")
    return np.asarray(place, np.int64)


def _answers(asked: Tables, file: Path) -> NDArray[np.int8]:
    """What the attack could say, by row; without the file it is taken to have known something of all."""
    if not file.exists():
        return np.full(len(asked.rows), RowAnswer.INFORMED, np.int8)
    listed = read_answers(file, len(asked.rows), ANSWERS)
    return np.array([ANSWERS.index(name) for name in listed], np.int8)
