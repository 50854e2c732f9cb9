"""How this folder was made: 60 records of the clinic sample, by COAT."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

import cloven as cv

POLICY = cv.Policy(
    protected=(("asthma",), ("cough", "fever"), ("a name, with comma",)),
    all_up_to=1,
    groups=(
        ("anything else", ("אחר", "naïve 🦊")),
        ("clinic", tuple(cv.sample("clinic").take(np.arange(60)).vocabulary)),
    ),
)


def main(folder: Path) -> None:
    """Write original, release, key and JSON twin to a new folder."""
    records = [sorted(record) for record in cv.sample("clinic").take(np.arange(60))]
    for number in (3, 14, 15):
        records[number] += ["naïve 🦊"]
    records[26] += ["אחר", "a name, with comma"]
    folder.mkdir()
    with (folder / "clinic.csv").open("w", newline="", encoding="utf-8") as handle:
        csv.writer(handle).writerows(records)
    data = cv.read(folder / "clinic.csv", format="lines", delimiter=",")
    result = cv.Coat(k=3, policy=POLICY, max_suppressed=0.05).anonymise(data)
    cv.write_release(result, folder / "clinic", original=data)
    cv.write_release(result, folder / "twin", original=data, format="json")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
