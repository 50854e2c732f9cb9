"""What does the promise cost? Try settings, look at items and pairs kept, then decide."""

# ruff: noqa: T201  an example prints

import cloven as cv
from cloven.kinds.disassociated.utility import items_kept, pairs_kept

data = cv.sample("clinic")

print("  k  m   max  clusters  items kept  pairs kept")
for k, m, size in [(3, 2, 30), (5, 2, 30), (10, 2, 30), (5, 1, 30), (5, 3, 30), (5, 2, 10), (5, 2, 100)]:
    release = cv.Disassociation(k=k, m=m, max_cluster_size=size).anonymise(data).release
    kept = f"{items_kept(data, release):>10.1%}  {pairs_kept(data, release):>10.1%}"
    print(f"{k:>3}  {m}  {size:>4}  {release.clusters:>8}  {kept}")
