"""The whole loop in one go: describe, anonymise, verify, measure."""

# ruff: noqa: T201  an example prints

import cloven as cv

data = cv.sample("clinic")
report = cv.Audit(cv.Disassociation(k=5, m=2), reconstructions=3).run(data)

print(data)
print(f"singled out by 2 known items: {report.description.singled_out[1].share:.0%}")
print(report.result.release)
print(f"{len(report.verdict.checks)} checks, ok: {report.verdict.ok}")
print(f"items kept {report.utility.items_kept:.0%}, pairs kept {report.utility.pairs_kept:.0%}")
# report.write("clinic-audit") writes the release to publish and, apart from it, all that knows the truth.
