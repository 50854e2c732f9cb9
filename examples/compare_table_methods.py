"""One small table, every method for tables: risk against utility, and what could not be made."""

# ruff: noqa: T201  an example prints

import numpy as np
import pyarrow as pa

import cloven as cv

rng = np.random.default_rng(1)
ROWS = 400
ages = rng.integers(20, 70, ROWS)
ill = np.where(
    rng.random(ROWS) < 0.3, ages // 10 - 2, rng.integers(0, 6, ROWS)
)  # age tells a part of the illness
people = pa.table(
    {
        "age": ages,
        "sex": rng.choice(["f", "m"], ROWS),
        "town": rng.choice(["Ash", "Elm", "Fir", "Oak"], ROWS),
        "illness": np.array(["asthma", "cold", "flu", "gout", "mumps", "ulcer"])[ill],
    }
)
table = cv.read_table(people, cv.Schema.of(["age", "sex", "town"], ["illness"]))

rivals = (
    cv.Mondrian(k=4, l=3),
    cv.UL(k=4, l=3),
    cv.Anatomy(l=3),
    cv.DiffGen(
        eps=1, specialisations=4, domains="from-data"
    ),  # no promise: the domains are read off the rows
    cv.Anatomy(l=6),
)
report = cv.Audit(cv.Slicing(k=4, l=3), limits=cv.Limits(max_risk=0.4), rivals=rivals, seed=1).run(table)

for outcome in sorted((report.outcome, *report.others), key=lambda each: each.risk):
    worst = f"{outcome.risk:.0%} ({outcome.worst.threat})"
    print(f"{outcome.name:40} risk at most {worst:20} utility {outcome.utility.score():.0%}")
for name, reason in report.failed.items():
    print(f"{name}: {reason}")
print(report.decision.sentence)
# report.save_html("methods.html") writes the page with all of them in one chart.
