"""How this folder was made: a release, its key and its JSON twin, and a release with a list of terms."""

from __future__ import annotations

import sys
from pathlib import Path

import cloven as cv
from tests.unit.io.rooted_clinic import DATA, LISTED, METHOD


def main(folder: Path) -> None:
    """Write release, key, JSON twin and the listed release to a new folder."""
    folder.mkdir()
    data = cv.Transactions.from_records(map(sorted, DATA))
    cv.write_release(METHOD.anonymise(data), folder / "clinic", original=data)
    cv.write_release(METHOD.anonymise(data), folder / "twin", original=data, format="json")
    cv.write_release(LISTED.anonymise(data), folder / "listed", original=data, format="json")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
