"""One small table, every method for tables: risk against utility, and what could not be made."""

# ruff: noqa: T201  an example prints

import numpy as np
import pyarrow as pa

import cloven as cv
from cloven.settings import parse_setting

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

method, *rivals = map(
    parse_setting,
    (
        "slicing:k=4,l=3",
        "mondrian:k=4,l=3",
        "ul:k=4,l=3",
        "anatomy:l=3",
        "diffgen:eps=1,specialisations=4,domains=from-data",  # no promise: the domains are read off the rows
        "hybrid:k=4,eps=1",
        "merging-like:k=4,l=3",  # like a method of that name, and not that method
        "composition-like:k=4",
        "probabilistic-like:k=4",
        "anatomy:l=6",
    ),
)
report = cv.Audit(method, limits=cv.Limits(max_risk=0.4), rivals=tuple(rivals), seed=1).run(table)

for outcome in sorted((report.outcome, *report.others), key=lambda each: each.risk):
    worst = f"{outcome.risk:.0%} ({outcome.worst.threat})"
    print(f"{outcome.name:40} risk at most {worst:20} utility {outcome.utility.score():.0%}")
for name, reason in report.failed.items():
    print(f"{name}: {reason}")
print(report.decision.sentence)
# report.save_html("methods.html") writes the page with all of them in one chart.
