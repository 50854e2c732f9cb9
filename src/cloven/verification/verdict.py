"""What a verification found: one ``Check`` for each thing looked at, gathered in a ``Verdict``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from cloven.errors import GuaranteeError

Level = Literal["release", "original", "key"]
NOT_CHECKED = "not checked at this level"


@dataclass(frozen=True)
class Check:
    """One thing that was looked at.

    Attributes:
        name: short name, stable between versions.
        level: what is needed for it: the release alone, the original too, or the key too.
        passed: False if the release is not what it says it is. Information is a check that passes.
        examined: how many things (rows, clusters, items, ...) were looked at.
        detail: one line; for a failure the place of the first fault and how many there are.
        decided: False for a claim of the release that nobody can check with what was given; it does not fail then.
    """

    name: str
    level: Level
    passed: bool
    examined: int
    detail: str
    decided: bool = True


@dataclass(frozen=True)
class Verdict:
    """All checks of one verification.

    >>> size = Check("cluster size", "release", False, 7, "cluster 3 has 2 records, k is 5")
    >>> verdict = Verdict("release", (Check("arrays", "release", True, 40, "sound"), size))
    >>> verdict.ok, [check.name for check in verdict.failures]
    (False, ['cluster size'])
    >>> print(verdict)
    BROKEN at release level: 1 of 2 checks failed
      ok    arrays        sound
      FAIL  cluster size  cluster 3 has 2 records, k is 5

    Attributes:
        level: the highest level that was asked for.
        checks: every check that was run, in the order of running.
    """

    level: Level
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether every check passed; claims that could not be checked do not count."""
        return not self.failures

    @property
    def undecided(self) -> tuple[Check, ...]:
        """Claims of the release that could not be checked with what was given."""
        return tuple(check for check in self.checks if not check.decided)

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if not check.passed)

    def raise_if_broken(self) -> None:
        """Raise ``GuaranteeError`` with one line if a check failed."""
        if self.failures:
            first = self.failures[0]
            count = f"{len(self.failures)} of {len(self.checks)} checks failed"
            message = f"{first.name}: {first.detail} ({count}); do not publish this release"
            raise GuaranteeError(message)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"level": self.level, "ok": self.ok, "checks": [asdict(check) for check in self.checks]}

    def __str__(self) -> str:
        total, broken = len(self.checks) - len(self.undecided), len(self.failures)
        head = (
            f"verified at {self.level} level: all {total} checks passed"
            if self.ok
            else f"BROKEN at {self.level} level: {broken} of {total} checks failed"
        )
        if self.undecided:
            count = len(self.undecided)
            head += f"; {count} claim{'s' if count > 1 else ''} {NOT_CHECKED}"
        width = max((len(check.name) for check in self.checks), default=0)
        lines = [f"  {_mark(check)}  {check.name:<{width}}  {check.detail}" for check in self.checks]
        return "\n".join([head, *lines])


def _mark(check: Check) -> str:
    if not check.passed:
        return "FAIL"
    return "ok  " if check.decided else "open"
