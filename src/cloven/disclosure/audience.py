"""Who may read what. The rule is one: a text is the owner's, unless somebody wrote down what the public reads instead.

Texts of attacks, reasons and cautions are free: they may name an item, a person's value or a release that nobody else
knows of. So nothing is taken out of them for the public. What has a public audience brings its public words along
(``Said``, ``Wording``), and the public document is made from these and from figures; see ``public_document``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping


Audience = Literal["owner", "public"]
DIFFERENTIAL_PRIVACY = "differential privacy"
"""The kind of a promise that every further figure about the rows would weaken."""


@dataclass(frozen=True)
class Said:
    """A sentence for the owner, and what the public reads in its place: nothing, unless it is said.

    >>> str(Said("3 of 90 records of last year are here again")), Said("k is small", "k is small").audience
    ('3 of 90 records of last year are here again', 'public')
    """

    owner: str
    public: str = ""

    @property
    def audience(self) -> Audience:
        """Who may read anything of it."""
        return "public" if self.public else "owner"

    def __str__(self) -> str:
        return self.owner

    @classmethod
    def of(cls, text: str | Said) -> Said:
        """A sentence; plain text is the owner's.

        >>> Said.of("79 items are rare").audience
        'owner'
        """
        return text if isinstance(text, Said) else cls(text)


@dataclass(frozen=True)
class Wording:
    """What the public reads of one attacker: these words, and no other text of the threat or the risk.

    Attributes:
        threat: a few words for tables.
        knows: what this attacker knows.
        measure: what the figures are.
        sentence: the figures in plain words; empty to say only what was measured.
        meaning: what they mean, in a few words.
        broken_what: what the statements are that break the promise.
        by_kind: whether figures for each kind of part may be shown.
    """

    threat: str
    knows: str
    measure: str
    sentence: str = ""
    meaning: str = ""
    broken_what: str = ""
    by_kind: bool = False


def is_differentially_private(parameters: Mapping[str, Any]) -> bool:
    """Whether published parameters promise differential privacy.

    >>> is_differentially_private({"promise": {"kind": "differential privacy"}}), is_differentially_private({"k": 5})
    (True, False)
    """
    promise = parameters.get("promise")
    return isinstance(promise, dict) and promise.get("kind") == DIFFERENTIAL_PRIVACY
