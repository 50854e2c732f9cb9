"""The attack on a disassociated release that somebody chooses, and what it answered, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.escapes import names
from cloven.figures import many, percent
from cloven.kinds.disassociated.attack.named import RECORD_METHODS, TERM_METHODS, attack_named
from cloven.kinds.disassociated.attack.selection import SELECTIONS
from cloven.kinds.disassociated.guesses import Answer
from cloven.kinds.disassociated.guesses_files import write_guesses as write
from cloven.kinds.disassociated.release import Kind
from cloven.values import FLAG, one_of, option, whole

if TYPE_CHECKING:
    from cloven.kinds.disassociated.guesses import Guesses
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.protocols import Attack, Relatedness

__all__ = [
    "ABOUT", "METHODS", "SUREST", "TITLE", "USUAL", "Choice", "summary", "surest", "surest_row", "told", "write",
]  # fmt: skip

ABOUT, TITLE = "disassociated", "The attack"
METHODS, USUAL = RECORD_METHODS, "aba"


@dataclass(frozen=True)
class Choice:
    """What may be chosen of it."""

    record_method: str | None = option(
        None, one_of(*RECORD_METHODS), "For sub-records of record and shared chunks."
    )
    term_method: str | None = option(
        None, one_of(*TERM_METHODS), f"For term chunks: {', '.join(TERM_METHODS)}."
    )
    selection: str = option(
        "best", one_of(*SELECTIONS), f"How rows are chosen: {', '.join(SELECTIONS)}.", last=True
    )
    grow_anchors: bool = option(False, FLAG, "What was placed helps to place the rest.", last=True)
    tries: int = option(200, whole(1), "vpa: arrangements tried for one chunk.", last=True)

    @property
    def names_methods(self) -> bool:
        """Whether a method is among the options."""
        return self.record_method is not None or self.term_method is not None

    def attack(self, method: str | None, relatedness: Relatedness | None) -> Attack:
        """The attack that was chosen."""
        record = self.record_method or method or USUAL
        term = self.term_method or ("random" if method == "vpa" else method) or USUAL
        needed = {record, term} - {"vpa", "random"}
        if needed and relatedness is None:
            message = (
                f"method {min(needed)} needs to know how related words are: give --relatedness, such as"
                " vectors:glove.txt or corpus:FILE; without any knowledge there are --method vpa and --method random"
            )
            raise ParameterError(message)
        return attack_named(
            record,
            term,
            relatedness,
            selection=self.selection,
            grow_anchors=self.grow_anchors,
            tries=self.tries,
        )


def summary(guesses: Guesses) -> dict[str, int]:
    """How much was asked and answered."""
    answer = guesses.answer
    return {
        "targets": len(guesses.questions),
        "candidates": len(guesses.questions.slots),
        "links": int(guesses.chosen.sum()),
        "without_anchor": int((answer == Answer.NO_ANCHOR).sum()),
        "without_score": int((answer == Answer.NO_SCORE).sum()),
    }


def told(facts: dict[str, int]) -> list[str]:
    """The same in sentences."""
    lines = [
        f"{many(facts['targets'], 'hidden part')} with {many(facts['candidates'], 'candidate row')};"
        f" {many(facts['links'], 'link')} guessed"
    ]
    if facts["without_anchor"] or facts["without_score"]:
        lines.append(
            f"no information about {facts['without_anchor']:,} whose clusters show no record chunk,"
            f" and {facts['without_score']:,} of which the attack knows nothing"
        )
    return lines


# The links that an attack is surest of, for people to look at.


SHOWN = 10
KINDS = {Kind.RECORD: "record chunk", Kind.SHARED: "shared chunk", Kind.TERM: "term chunk"}
SUREST = ("confidence", "from", "cluster", "these go together")


def surest(guesses: Guesses, release: Disassociated, most: int = SHOWN) -> list[dict[str, Any]]:
    """The guessed links with the highest confidence: hidden items, the row they are put on, and how sure that is.

    Rows that show nothing are left out: to put something there joins nothing. Where every candidate holds a part
    there is nothing to guess, so that is left out too.
    """
    asked = guesses.questions
    target = asked.pair_target
    open_question = np.diff(asked.offsets)[target] > asked.target_copies[target]
    links = np.flatnonzero(guesses.chosen & (asked.slot_anchor[asked.slots] >= 0) & open_question)
    best = links[np.argsort(-guesses.confidence[links], kind="stable")][:most]
    starts, items = asked.items(release)
    found = []
    for pair in best.tolist():
        part, anchor = int(target[pair]), int(asked.slot_anchor[asked.slots[pair]])
        hidden = items[starts[part] : starts[part + 1]]
        beside = release.row_items[release.row_offsets[anchor] : release.row_offsets[anchor + 1]]
        found.append(
            {
                "confidence": float(guesses.confidence[pair]),
                "from": KINDS[Kind(int(asked.target_kind[part]))],
                "hidden": [release.vocabulary[code] for code in hidden.tolist()],
                "beside": [release.vocabulary[code] for code in beside.tolist()],
                "cluster": int(release.row_cluster[anchor]),
            }
        )
    return found


def surest_row(each: dict[str, Any]) -> tuple[str, ...]:
    """One of them as a line of a table."""
    return (
        percent(each["confidence"]),
        each["from"],
        f"{each['cluster']}",
        f"{names(each['hidden'], 40)}  with  {names(each['beside'], 40)}",
    )
