"""The attackers whom k and m do not stop: those who know what words mean, what goes together, or the method."""

# ruff: noqa: T201  an example prints

import numpy as np

import cloven as cv

made = cv.Disassociation(k=5, m=2).anonymise(cv.sample("clinic"))
rng = np.random.default_rng(1)
for name, relatedness in (
    ("word vectors", cv.relatedness.Vectors.sample()),
    ("the release itself", cv.relatedness.Learned.of_release(made.release)),
):
    attack = cv.attacks.Semantic(relatedness)
    found = cv.attacks.trial(
        attack, made.release, made.key, control=cv.attacks.control_of(attack), rng=rng, measures=["ranking"]
    )
    hit = found.get("hit")
    print(
        f"{name}: {hit.value:.3f} of the best guesses are right, guessing {hit.chance:.3f}, shuffled {hit.control:.3f}"
    )

leaked = cv.attacks.breaches(cv.attacks.covers(made.release))
print(
    f"the method itself: {leaked.covers} covers tell of {leaked.pairs} pairs that they meet fewer than k times"
)
safe = cv.Disassociation(k=5, m=2, safe="cover").anonymise(cv.sample("clinic"))
print(f"without covers: {sum(map(len, safe.key.suppressed_items))} occurrences suppressed")
