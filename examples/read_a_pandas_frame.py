"""A pandas table with one row per finding, where a person may have several visits."""

# ruff: noqa: T201  an example prints

import pandas as pd

import cloven as cv

# Make such a table of the sample: every second visit belongs to the person before.
rows = [
    (visit // 2 if visit < 200 else visit, visit, finding)
    for visit, record in enumerate(cv.sample("clinic"))
    for finding in sorted(record)
]
frame = pd.DataFrame(rows, columns=["person", "visit", "finding"])
print(frame.head(3).to_string(index=False))

data = cv.from_frame(frame, id_column="visit", item_column="finding", person="person")
found = cv.describe(data, k=5)
print(f"{found.records:,} visits of {found.persons:,} persons")

result = cv.Disassociation(k=5, m=2).anonymise(data)
verdict = cv.verify(result.release, original=data, key=result.key)
print([check.name for check in verdict.checks if "persons" in check.name], verdict.ok)
