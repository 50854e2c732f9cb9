"""Other settings beside the audited one: what came of each, or why it could not be made."""

from __future__ import annotations

from dataclasses import dataclass, field
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple

from cloven.errors import ParameterError
from cloven.settings import setting

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.disclosure.outcome import Outcome
    from cloven.protocols import Anonymiser
    from cloven.verification import Verdict

METHODS = "--methods "
"""What families begin words with that name another setting; only here it is known how settings are written."""


class Evaluated(NamedTuple):
    """What came of one method: release and key, what the checker said, and the figures."""

    result: Any
    verified: Verdict
    outcome: Outcome


@dataclass
class Compared:
    """All that was compared.

    Attributes:
        evaluate: anonymises, verifies, attacks and measures with one method; stops attacking, if asked to, once one
            attack gets past the limits.
        made: what to type to get a setting -> what came of it, and its k.
        failed: name of a setting -> why nothing was made with it.
    """

    evaluate: Callable[[Anonymiser, bool], Evaluated]
    made: dict[str, tuple[Outcome, int]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def attempt(self, words: str, method: Anonymiser, *, stop: bool = False) -> None:
        """Try one more setting, once; one that cannot be met for this data is told, and stops nothing."""
        name = setting(method)
        if name in self.failed or any(outcome.name == name for outcome, _ in self.made.values()):
            return
        typed = f"{METHODS}{quote(name)}" if words.startswith(METHODS) else words
        try:
            self.made[typed] = self.evaluate(method, stop).outcome, method.k
        except ParameterError as error:
            self.failed[name] = str(error)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What came of those that were made."""
        return tuple(outcome for outcome, _ in self.made.values())
