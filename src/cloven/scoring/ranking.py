"""How well an attack ranks the slots: link AUC, hit rate, best guess. None of them depends on what it chose.

Targets of which no candidate shows an anchor are left out: nothing could be said about them. Targets without a
score stay in, as ties: not knowing a word is a weakness of the attack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.scoring.definitions import SCOPES
from cloven.scoring.ranking_kernel import rank_targets
from cloven.scoring.tally import Tallies, Tally

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from cloven.model.guesses import Guesses, Questions
    from cloven.scoring.truth import Truth
    from cloven.scoring.units import Units


def answerable(questions: Questions) -> NDArray[np.bool_]:
    """Targets of which a candidate shows an anchor; read off the questions, so that no attack can leave others out."""
    found, some = np.zeros(len(questions), bool), np.diff(questions.offsets) > 0
    shows = questions.slot_anchor[questions.slots] >= 0
    found[some] = np.logical_or.reduceat(shows, questions.offsets[:-1][some]) if some.any() else False
    return found


def rankings(guesses: Guesses, truth: Truth, units: Units, asked: NDArray[np.bool_]) -> Tallies:
    """Link AUC, hit rate, best guess and Brier score over the asked targets, for each kind of chunk."""
    questions = truth.questions
    table = rank_targets(questions.offsets, guesses.score, guesses.confidence, truth.holds, asked)
    links, rivalled, outranked, hits, top, squared = table.T
    candidates = np.diff(questions.offsets).astype(float)
    ratios = {
        "hit": (hits, links),
        "top_1": (top, asked.astype(float)),
        "auc": (outranked, rivalled),
        "brier": (squared, candidates),
    }
    return _by_scope(ratios, truth, units, asked)


def chance_rankings(truth: Truth, units: Units, asked: NDArray[np.bool_]) -> Tallies:
    """The same for equal scores everywhere and the true share as confidence: the exact expectation of guessing.

    A guess that knows no more than how many of the candidates hold the target is right as often as that share.
    """
    questions = truth.questions
    copies, candidates = truth.copies.astype(float), np.diff(questions.offsets).astype(float)
    share = np.divide(copies, candidates, out=np.zeros_like(copies), where=candidates > 0)
    rivalled = np.where(copies < candidates, copies, 0.0)
    ratios = {
        "hit": (copies * share, copies),
        "top_1": (share, np.ones_like(copies)),
        "auc": (rivalled / 2, rivalled),
        "brier": (copies * (1 - share), candidates),
    }
    return _by_scope(ratios, truth, units, asked)


def _by_scope(
    ratios: Mapping[str, tuple[NDArray[Any], NDArray[Any]]],
    truth: Truth,
    units: Units,
    asked: NDArray[np.bool_],
) -> Tallies:
    tallies: Tallies = {}
    for scope, kinds in SCOPES.items():
        chosen = np.flatnonzero(asked & np.isin(truth.questions.target_kind, kinds))
        for name, (top, bottom) in ratios.items():
            unit = units.of_target[chosen]
            tallies[name, scope] = Tally.of(unit, top[chosen], bottom[chosen], units.total)
    return tallies
