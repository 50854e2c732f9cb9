"""Two hospitals publish tables that share patients: what somebody learns who has both, for three methods."""

# ruff: noqa: T201  an example prints

import numpy as np
import pyarrow as pa

import cloven as cv
from cloven.kinds.tables.guesses import ValueGuesses
from cloven.kinds.tables.score.score import score_values
from cloven.kinds.tables.score.truth import true_values

rng = np.random.default_rng(1)
PUBLIC, PRIVATE = ("Federal", "Local", "State"), ("Company", "Self-employed")
ILLNESSES = np.array(["asthma", "burn", "cold", "flu", "gout", "mumps", "ulcer", "zoster"])
schema = cv.Schema.of(
    ["age", "sex", "work"], ["illness"], trees={"work": {"public": PUBLIC, "private": PRIVATE}}
)


def patients(number: int) -> pa.Table:
    """Random people."""
    return pa.table(
        {
            "age": np.clip(rng.normal(45, 12, number), 18, 80).astype(int),
            "sex": rng.choice(["f", "m"], number),
            "work": rng.choice([*PUBLIC, *PRIVATE], number, p=[0.03, 0.06, 0.11, 0.6, 0.2]),
            "illness": rng.choice(ILLNESSES, number),
        }
    )


def left_of(guesses: ValueGuesses) -> str:
    """Mean number of illnesses that are still possible."""
    return f"{guesses.candidate.sum(axis=1).mean():.1f}"


shared = patients(100)
hospitals = [cv.read_table(pa.concat_tables([shared, patients(500)]), schema) for _ in range(2)]
known = cv.attacks.Known.of(hospitals[0], np.arange(100))
truth = true_values(hospitals[0], "illness", np.arange(100))

swapping = cv.UL(
    k=5, l=3, swap_rate=0.15, columns=(("age",), ("sex", "work"), ("illness",)), protected=("age", "work")
)
for method in (cv.Mondrian(k=5, l=3), cv.Slicing(k=5, l=3), swapping):
    results = [method.anonymise(table) for table in hospitals]
    sound = [
        cv.verify_table(each.release, table, each.key).ok
        for each, table in zip(results, hospitals, strict=True)
    ]
    releases = [each.release for each in results]
    alone = cv.attacks.AttributeDisclosure().guess(releases[0], known)
    both = cv.attacks.Composition().guess(releases, known)
    found = score_values(both, truth, rng=rng)
    certain, chance, left = (found.get(name).value for name in ("drr_strict", "drr_soft", "left"))
    print(f"{method.parameters['method']}: both releases verified: {all(sound)}")
    print(
        f"  illnesses left of a shared patient: {left_of(alone)} with one release, {left_of(both)} with both"
    )
    print(f"  theirs is left of {left:.0%}, alone of {certain:.0%}; mean chance to tell it {chance:.3f}")
