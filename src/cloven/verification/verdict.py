"""What a verification found: one ``Check`` for each thing looked at, gathered in a ``Verdict``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import numpy as np

from cloven.errors import GuaranteeError, ParameterError, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from cloven.compiled import Flags
    from cloven.kinds.generalised.policy import Policy


Data = TypeVar("Data")
Key = TypeVar("Key")

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


@dataclass(frozen=True)
class Given(Generic[Data, Key]):
    """What a release is checked with besides itself; ``cloven.verification.verify`` tells what each is."""

    original: Data | None = None
    key: Key | None = None
    policy: Policy | None = None
    allow_unsafe: bool = False
    allow_seeded: bool = False

    def __post_init__(self) -> None:
        if self.key is not None and self.original is None:
            message = "a key was given without the original; give both, or neither"
            raise ParameterError(message)

    @property
    def level(self) -> Level:
        """The highest level that this allows."""
        return "release" if self.original is None else "original" if self.key is None else "key"


@dataclass(frozen=True)
class Checker:
    """Who checks one kind of release.

    Attributes:
        check: all checks of a release, in order, with what is given besides.
        structure: those of them that everything relies on which reads a release; they end with the first that fails.
        data: what such releases are made from.
        about: what to call such a release.
        by_policy: whether it may have been made by a policy.
    """

    check: Callable[[Any, Given[Any, Any]], Iterable[Check]]
    structure: Callable[[Any], Iterable[Check]]
    data: type
    about: str
    by_policy: bool = False


def _mark(check: Check) -> str:
    if not check.passed:
        return "FAIL"
    return "ok  " if check.decided else "open"


# From masks of faulty things to one ``Check`` with a line about the first fault.


NAMES_SHOWN = 6


@dataclass(frozen=True)
class Fault:
    """How often something is wrong, and where first."""

    count: int
    first: str


def spot(bad: Flags, describe: Callable[[int], str]) -> Fault:
    """Count what is marked, and describe the first."""
    count = int(np.count_nonzero(bad))
    return Fault(count, describe(int(np.argmax(bad))) if count else "")


def conclude(name: str, level: Level, examined: int, faults: Iterable[Fault], otherwise: str) -> Check:
    """Turn faults into a check; ``otherwise`` is what to say when there are none."""
    found = [fault for fault in faults if fault.count]
    if not found:
        return Check(name, level, passed=True, examined=examined, detail=otherwise)
    total = sum(fault.count for fault in found)
    detail = found[0].first if total == 1 else f"{found[0].first}; {total:,} such faults"
    return Check(name, level, passed=False, examined=examined, detail=detail)


def named(vocabulary: Sequence[str], codes: Iterable[int]) -> str:
    r"""Name items on one line, however strange their names are.

    >>> named(("flu", "a\nb"), [0, 1])
    "{'flu', 'a\\nb'}"
    """
    listed = list(codes)
    shown = [shorten(vocabulary[code], 40) for code in listed[:NAMES_SHOWN]]
    if len(listed) > NAMES_SHOWN:
        shown.append(f"{len(listed) - NAMES_SHOWN:,} more")
    return "{" + ", ".join(shown) + "}"
