"""Merge items by a policy, prove that it holds, and see which of the merged items words give back."""

# ruff: noqa: T201  an example prints

import numpy as np

import cloven as cv

data, rng = cv.sample("clinic"), np.random.default_rng(1)
policy = cv.Policy(protected=(("cough", "fever"), ("biopsy", "tumour")), all_up_to=1)
result = cv.Coat(k=5, policy=policy).anonymise(data)
verdict = cv.verify(result.release, original=data, key=result.key, policy=policy)

print(result.release)
print(f"{len(verdict.checks)} checks, ok: {verdict.ok}")
kept = cv.utility(data, result.release, rng=rng)
print(f"items published as they are {kept.items_kept:.0%}, NCP {kept.ncp:.5f}")

attack = cv.attacks.Elimination(cv.relatedness.Vectors.sample())
found = cv.attacks.trial_eliminations(
    attack, result.release, result.key, rng=rng, control=cv.attacks.control_of(attack)
)
hit = found.get("hit")
print(f"merged items put back: {hit.value:.3f}, guessing {hit.chance:.3f}, shuffled words {hit.control:.3f}")
