"""How this folder was made: a table of forty people, coarse by Mondrian, and sliced, with the keys."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import cloven as cv

SCHEMA = cv.Schema((
    cv.Column("age", "quasi-identifier"),
    cv.Column("town", "quasi-identifier"),
    cv.Column("illness", "sensitive"),
))  # fmt: skip
TOWNS, ILLNESSES = ("Ålesund", "Bath, Somerset", '"Cork"'), ("flu", "gout", "naïve 🦊", "שלום")


def rows() -> list[tuple[str, str, str]]:
    """Forty people: the town by tens of years, the illness by turns."""
    return [(str(20 + number), TOWNS[number // 14], ILLNESSES[number % 4]) for number in range(40)]


def main(folder: Path) -> None:
    """Write original, releases and keys to a new folder."""
    folder.mkdir()
    with (folder / "people.csv").open("w", newline="", encoding="utf-8") as handle:
        csv.writer(handle, lineterminator="\n").writerows([("age", "town", "illness"), *rows()])
    data = cv.read_table(folder / "people.csv", SCHEMA)
    for name, method in (("coarse", cv.Mondrian(k=4, l=2)), ("sliced", cv.Slicing(l=2))):
        result = method.anonymise(data)
        cv.write_release(result, folder / name, original=data)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
