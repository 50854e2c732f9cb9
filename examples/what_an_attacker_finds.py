"""The attacker of k and m: somebody who knows a few items of one patient and has the release."""

# ruff: noqa: T201  an example prints

from itertools import combinations

import cloven as cv

data = cv.sample("clinic")
release = cv.Disassociation(k=5, m=2).anonymise(data).release

patient = sorted(data[4])
print("the patient:", ", ".join(patient))
for known in (1, 2, 3):
    found = [cv.candidates(release, items) for items in combinations(patient, known)]
    worst = min(found, key=lambda link: link.candidates)
    promise = "promised" if known <= release.m else "nothing promised"
    print(
        f"knows {known}: at least {worst.candidates} candidates ({promise}), worst for {', '.join(worst.items)}"
    )
