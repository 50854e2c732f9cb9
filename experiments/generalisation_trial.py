"""All attacks on one set-generalised release, beside what no knowledge gets.

Every measure has up to four sides: ``value`` of the attack; ``chance``, random elimination with the same budget in each
table; ``control``, the same attack with shuffled words; ``one``, all but one random item of each generalised item.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.generalised.attack.elimination import elimination_named
from cloven.kinds.generalised.guesses import Cells
from cloven.kinds.generalised.score.score import score_eliminations
from cloven.kinds.generalised.words import BESIDE
from cloven.relatedness.combination import Shuffled
from experiments.thesis_trial import Remembered

if TYPE_CHECKING:
    from cloven.kinds.generalised.guesses import Eliminations
    from cloven.kinds.generalised.key import Generalised
    from cloven.protocols import Relatedness
    from cloven.statistics.findings import Findings

SIDES = ("value", "chance", "control", "one")
NEAREST = "nearest"
"""Not in the paper: all but the one item of each row that RBA trusts most. Its budget is that of ``one``."""
MEASURES = ("recall", "precision", "f", "auc", "auc_row", "rebuilt", "unique", "unique_again")
RANKED = ("auc", "auc_row")
Found = dict[str, dict[str, "float | None"]]
"""Values by measure and side."""


@dataclass(frozen=True, eq=False)
class Bout:
    """One release under attack with one kind of knowledge about words.

    Attributes:
        made: release and key.
        knowledge: how related words are.
        seed: seed of chance and control.
        without_context: what rows that show no item for certain get, as in ``Elimination``.
    """

    made: Generalised
    knowledge: Relatedness
    seed: int
    without_context: str = "no-answer"

    @cached_property
    def _shuffled(self) -> Relatedness:
        return Remembered(Shuffled(self.knowledge, self.seed))

    def tried(self, method: str) -> Found:
        """What an attack reached: ``random``, a method of the paper, or ``nearest``."""
        eliminations = self._guess(method, self.knowledge)
        shuffled = None if method == "random" else self._guess(method, self._shuffled)
        findings = score_eliminations(
            eliminations,
            self.made.release,
            self.made.key,
            rng=np.random.default_rng(self.seed),
            control=shuffled,
            draws=2,  # intervals are over samples, not inside one
        )
        counts = findings.notes["counts"]
        return _read(findings) | {
            "hidden": {"value": counts["records_no_longer_unique"]},
            "were_unique": {"value": counts["records_unique_in_the_original"]},
        }

    def _guess(self, method: str, knowledge: Relatedness) -> Eliminations:
        name = "rba" if method == NEAREST else method
        options: dict[str, Any] = {} if name == "random" else {"without_context": self.without_context}
        attack = elimination_named(name, knowledge, **options)
        found = attack.guess(self.made.release, np.random.default_rng(self.seed))
        return all_but_nearest(found) if method == NEAREST else found


def all_but_nearest(found: Eliminations) -> Eliminations:
    """Keep only the item of each row that the attack takes least for added; the first of equal ones."""
    cells = Cells.of(found.tables)
    order = np.lexsort((np.arange(found.tables.cells), found.confidence, cells.line))
    eliminated = np.ones(found.tables.cells, bool)
    eliminated[order[cells.line_offsets[:-1]]] = False
    return replace(found, eliminated=eliminated)


def _read(findings: Findings) -> Found:
    found: Found = {}
    for name in MEASURES:
        one = findings.get(name)
        found[name] = {"value": one.value, "chance": one.chance, "control": one.control}
        if name not in RANKED:
            found[name]["one"] = findings.get(name + BESIDE).chance
    return found
