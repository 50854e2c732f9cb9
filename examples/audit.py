"""The whole loop in one go: describe, anonymise, verify, attack, measure, decide."""

# ruff: noqa: T201  an example prints

import cloven as cv

data = cv.sample("clinic")
audit = cv.Audit(
    cv.Disassociation(k=5, m=2), cv.Knowledge(cv.relatedness.Vectors.sample()), effort=cv.Effort().quick()
)
report = audit.run(data)

print(data)
print(f"singled out by 2 known items: {report.description.singled_out[1].share:.0%}")
print(report.result.release)
print(f"{len(report.verified.checks)} checks, ok: {report.verified.ok}")
for risk in report.risks:
    print(f"{risk.threat}: {risk.sentence}")
print(report.decision.sentence)
# report.write("clinic-audit") writes release and page to publish and, apart from them, all that knows the truth.
