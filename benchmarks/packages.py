"""Mondrian on Adult at k = 6, eight quasi-identifiers, against the packages of others.

``make bench`` installs them (dependency group ``rivals``); one that is absent, or does not run with the libraries that
are here, is left out, and why. Times are processor seconds of this process, reading apart. Of the others only the
search for classes is timed, of Cloven all up to the release and its key. Discernibility is the sum of squared class
sizes; a suppressed row counts as a class of everybody.
"""

from __future__ import annotations

import csv
import gzip
import importlib.util
import statistics
import warnings
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.schema import Column, Schema
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.reading.tables import read_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from benchmarks.measuring import Extent, Row
    from cloven.data.table import Table

K = 6
ARX = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class")
UCI = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship",
    "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "salary-class",
)  # fmt: skip
Sizes = tuple[list[int], int]
"""Sizes of the classes, and rows that were suppressed."""


def frame_of(table: Table) -> Any:
    """The table as pandas, numbers as numbers and the rest as categories."""
    import pandas as pd

    columns = {}
    for place, attribute in enumerate(table.attributes):
        values = (
            np.array(attribute.values) if attribute.numbers is None else attribute.numbers.astype(np.int64)
        )
        columns[attribute.name] = pd.Series(values[table.codes[:, place]])
        if attribute.numbers is None:
            columns[attribute.name] = columns[attribute.name].astype("category")
    return pd.DataFrame(columns)


def by_anonypy(frame: Any, known: list[str], _folder: Path) -> Callable[[], Sizes]:
    """Its Mondrian, k-anonymity alone."""
    from anonypy.mondrian import Mondrian as Theirs

    return lambda: ([len(part) for part in Theirs(frame, known, "occupation").partition(K)], 0)


def by_anonypyx(frame: Any, known: list[str], _folder: Path) -> Callable[[], Sizes]:
    """Its Mondrian, k-anonymity alone."""
    from anonypyx.models import kAnonymity
    from anonypyx.mondrian import Mondrian as Theirs

    return lambda: ([len(part) for part in Theirs(frame, known).partition([kAnonymity(K)])], 0)


def by_anjana(frame: Any, known: list[str], folder: Path) -> Callable[[], Sizes]:
    """Its full-domain generalisation, with the half of the rows that it may suppress to be quick."""
    import pandas as pd
    from anjana.anonymity import k_anonymity

    levels = {
        name: _levels(frame[name].astype(str), folder / f"adult_hierarchy_{name}.csv") for name in known
    }
    plain = frame.astype(str).astype(object)

    def run() -> Sizes:
        # It asks for arrays of numpy, which texts are in pandas before version 3 only.
        with pd.option_context("future.infer_string", False):  # noqa: FBT003
            found = k_anonymity(plain.copy(), [], known, K, 50, levels)
        sizes = found.groupby(known, observed=True).size().tolist()
        return sizes, len(plain) - sum(sizes)

    return run


def _levels(texts: Any, file: Path) -> dict[int, Any]:
    """A column at every level of its hierarchy; values that the file does not know go to the top at once."""
    rows = {row[0]: row for row in csv.reader(file.read_text().splitlines(), delimiter=";")}
    top = next(iter(rows.values()))[1:]
    full = {text: rows.get(text, [text, *[top[-1]] * len(top)]) for text in set(texts)}
    return {level: np.array([full[text][level] for text in texts]) for level in range(len(top) + 1)}


OTHERS = {"anonypy": by_anonypy, "anonypyx": by_anonypyx, "anjana": by_anjana}


def discernibility(sizes: list[int], suppressed: int, rows: int) -> int:
    """Sum over rows of how many rows each looks like."""
    return sum(size * size for size in sizes) + suppressed * rows


def published_sizes(table: Table, mode: str) -> list[int]:
    """Classes as the release shows them."""
    release = Mondrian(k=K, mode=mode).anonymise(table).release  # type: ignore[arg-type]
    known = [number for number, domain in enumerate(release.domains) if not domain.sensitive]
    sizes: list[int] = np.unique(release.cells[:, known], axis=0, return_counts=True)[1].tolist()
    return sizes


def spent_on(work: Callable[[], object], runs: int = 1) -> float:
    """Processor time of a piece of work, median of some runs."""
    times = []
    for _ in range(runs):
        start = process_time()
        work()
        times.append(process_time() - start)
    return statistics.median(times)


def adult_tables(data: Path) -> dict[str, Table]:
    """Adult without missing values as ARX has it, and all of it, ``?`` as a value."""
    folder = data / "relational"
    tables = {"30,162 rows": read_table(folder / "arx_adult/adult.csv.gz", Schema.of(ARX, ["occupation"]))}
    rows = []
    for name in ("adult.data.gz", "adult.test.gz"):
        with gzip.open(folder / "uci_adult" / name, "rt") as file:
            rows += [row for row in csv.reader(file, skipinitialspace=True) if len(row) == len(UCI)]
    import pyarrow as pa

    frame = pa.table({name: [row[place].rstrip(".") for row in rows] for place, name in enumerate(UCI)})
    columns = [Column(name, "quasi-identifier") for name in ARX]
    schema = Schema((*columns, Column("occupation", "sensitive")), missing_values=())
    return tables | {f"{len(rows):,} rows": read_table(frame, schema)}


def packages(extent: Extent) -> list[Row]:
    """Adult at k = 6, against the packages of others that are installed: one line for each program and table."""
    extent.file("relational/arx_adult/adult.csv.gz")
    found: list[Row] = []
    for name, table in adult_tables(extent.data).items():
        others = [_of_other(name, other, extent.some(table), extent.data) for other in OTHERS]
        own = [_of_cloven(name, mode, extent.some(table)) for mode in ("strict", "relaxed")]
        ran = [line for line in others if "missing" not in line]
        if ran:
            fastest = min(line["seconds"] for line in ran)
            least = min(line["discernibility"] for line in ran)
            for line in own:
                line["ratio"] = fastest / line["seconds"]
                lost = line["discernibility"] / least
                print(
                    f"{name}  {line['program']:15s} {line['ratio']:8.0f}x the fastest other,"
                    f" {lost:.2f} of the least discernibility",
                    flush=True,
                )
        found += [*others, *own]
    return found


def _of_other(name: str, other: str, table: Table, data: Path) -> Row:
    if importlib.util.find_spec(other) is None:
        return _left_out(name, other, "is not installed")
    result: list[Sizes] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            run = OTHERS[other](frame_of(table), list(ARX), data / "relational/arx_adult")
            spent = spent_on(lambda: result.append(run()))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is not ours
            return _left_out(name, other, f"does not run here: {type(error).__name__}")
    return told(name, other, spent, discernibility(*result[0], len(table)), len(result[0][0]))


def _left_out(name: str, other: str, why: str) -> Row:
    print(f"{name}  {other} {why}, left out", flush=True)
    return {"data": name, "program": other, "missing": why}


def _of_cloven(name: str, mode: str, table: Table) -> Row:
    sizes = published_sizes(table, mode)  # compiles too
    spent = spent_on(lambda: Mondrian(k=K, mode=mode).anonymise(table), 5)  # type: ignore[arg-type]
    return told(name, f"cloven {mode}", spent, discernibility(sizes, 0, len(table)), len(sizes))


def told(name: str, program: str, spent: float, lost: int, classes: int) -> Row:
    """A line of figures, printed too."""
    print(
        f"{name}  {program:15s} {spent:8.3f} s   {classes:6,} classes   discernibility {lost:12,}",
        flush=True,
    )
    return {"data": name, "program": program, "seconds": spent, "classes": classes, "discernibility": lost}
