"""Threat models: what an attacker may know beyond the release, each with the attack that uses it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from cloven.model.disassociated import Disassociated
    from cloven.model.key import Anonymised
    from cloven.protocols import Attack, Relatedness
    from cloven.scoring.findings import Findings


@dataclass(frozen=True)
class Threat:
    """An attacker.

    Attributes:
        name: a few words for tables.
        knows: what the attacker knows, in a sentence.
        prepare: makes the attack, given the release.
    """

    name: str
    knows: str
    prepare: Callable[[Disassociated], Attack]

    def try_on(
        self,
        result: Anonymised,
        rng: np.random.Generator,
        progress: Callable[[str, float], None] | None = None,
    ) -> Findings | str:
        """What the attack reached, or why there was nothing to try. It sees the release; scoring has the key."""
        from cloven.scoring.control import control_of
        from cloven.scoring.trial import trial

        try:
            attack = self.prepare(result.release)
            return trial(
                attack, result.release, result.key, rng=rng, control=control_of(attack), progress=progress
            )
        except ParameterError as error:
            return str(error)


def word_meanings(relatedness: Relatedness, method: str = "aba") -> Threat:
    """Somebody who knows how related words are.

    >>> import cloven as cv
    >>> word_meanings(cv.Vectors.sample()).knows
    'the release, and how related words are (vectors)'
    """
    from cloven.attack.disassociated.semantic import Semantic

    knows = f"the release, and how related words are ({relatedness.name})"
    return Threat("word meanings", knows, lambda _release: Semantic(relatedness, method, method))


def release_alone() -> Threat:
    """Somebody who learns from the release itself which items go together.

    >>> release_alone().name
    'release alone'
    """
    from cloven.attack.disassociated.semantic import Semantic
    from cloven.relatedness.learned import Learned

    knows = "the release alone: what goes together in one cluster is expected in the others"
    return Threat("release alone", knows, lambda release: Semantic(Learned.of_release(release)))


def the_method(tries: int = 200) -> Threat:
    """Somebody who knows how the release was cut, and rejects what would have been cut otherwise.

    >>> the_method().name
    'method'
    """
    from cloven.attack.disassociated.vertical_attack import VerticalPartitioning

    knows = "the release and the published method: records that it would have cut otherwise are ruled out"
    return Threat("method", knows, lambda _release: VerticalPartitioning(tries))
