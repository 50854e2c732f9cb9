"""What the campaign of changed meanings asks of every kind of release: make one, change it, build it, judge it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from random import Random

LEVELS = ("release", "original", "key")


@dataclass(frozen=True)
class Case:
    """A release as ``verify`` takes it, with all that can be given to it."""

    release: Any
    original: Any
    key: Any
    policy: Any = None


@dataclass
class Judgement:
    """What brute force says of each level.

    Attributes:
        broken: why the promise of a level does not hold; levels that are not there keep theirs.
        unseen: why a release cannot have come from the original, though its level is documented not to see that.
        undecided: levels of which brute force cannot tell.
    """

    broken: dict[str, str] = field(default_factory=dict)
    unseen: dict[str, str] = field(default_factory=dict)
    undecided: set[str] = field(default_factory=set)

    def fault_at(self, level: str) -> str | None:
        """The first fault of a level or of those below it: a higher level includes the lower ones."""
        return next(
            (self.broken[each] for each in LEVELS[: LEVELS.index(level) + 1] if each in self.broken), None
        )

    def open_at(self, level: str) -> bool:
        """Whether a level, or one below it, cannot be judged."""
        return any(each in self.undecided for each in LEVELS[: LEVELS.index(level) + 1])


class Kind(Protocol):
    """A kind of release, in a plain form that can be changed anyhow."""

    @property
    def name(self) -> str:
        """How the table of the campaign calls it."""

    def make(self, rng: Random) -> Any:
        """A small sound release in its plain form, with original and key."""

    def change(self, plain: Any, rng: Random) -> str:
        """Change the meaning in one place; says what was done, or nothing where it was not possible."""

    def build(self, plain: Any) -> Case:
        """The release in canonical order, with the key that fits it best."""

    def judge(self, plain: Any) -> Judgement:
        """What brute force says, from the plain form alone."""
