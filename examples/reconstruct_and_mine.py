"""What an analyst can say who has only the release: what is certain, what is plausible, and how far off it is."""

# ruff: noqa: T201  an example prints

import numpy as np

import cloven as cv
from cloven.statistics.mining import supports, top_itemsets

data = cv.sample("clinic")
release = cv.Disassociation(k=5, m=2).anonymise(data).release

pairs = [itemset for itemset, _ in top_itemsets(data, 8, min_size=2, max_size=2)]
truth = supports(data, pairs)  # only the owner can count this
certain = cv.lower_bound_supports(release, pairs)
rng = np.random.default_rng(1)
drawn = np.array([supports(cv.reconstruct(release, rng), pairs) for _ in range(10)])

print("certain  drawn (mean)  truth  pair")
for number, pair in enumerate(pairs):
    print(f"{certain[number]:>7}  {drawn[:, number].mean():>12.1f}  {truth[number]:>5}  {' + '.join(pair)}")
