"""Attacks by name, for whoever tries them one by one; an audit tries all that apply.

==========================  ==================================================================================
put records together        ``Semantic``, ``VerticalPartitioning``, ``Guesswork`` -> ``Guesses``
which items were added      ``Elimination``, ``RandomElimination`` -> ``Eliminations``
what tables tell            ``AttributeDisclosure``, ``Composition``, ``Membership``, ``RecordLinkage``, ...
what the method tells       ``covers`` -> ``breaches``, ``simulate``; ``possible_worlds``, ``prove``
was it right                ``score``, ``trial`` -> ``Findings``; ``control_of`` for the same attack with shuffled words
==========================  ==================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.names import homes, lazily

if TYPE_CHECKING:
    from cloven.kinds.disassociated.attack.named import Guesswork
    from cloven.kinds.disassociated.attack.questions import questions
    from cloven.kinds.disassociated.attack.semantic import Semantic
    from cloven.kinds.disassociated.attack.vertical import VerticalPartitioning
    from cloven.kinds.disassociated.covers.breaches import (
        Breach,
        Moderate,
        Strong,
        WeakPublic,
        WeakWords,
        breaches,
        simulate,
    )
    from cloven.kinds.disassociated.covers.covers import Covers, covers
    from cloven.kinds.disassociated.covers.knowledge import read_knowledge
    from cloven.kinds.disassociated.covers.proof import Proof, prove
    from cloven.kinds.disassociated.covers.worlds import possible_worlds
    from cloven.kinds.disassociated.guesses import Guesses
    from cloven.kinds.disassociated.guesses_files import read_guesses, write_guesses
    from cloven.kinds.disassociated.score.score import score
    from cloven.kinds.disassociated.score.trial import trial
    from cloven.kinds.generalised.attack.elimination import Elimination, RandomElimination
    from cloven.kinds.generalised.guesses import Eliminations
    from cloven.kinds.generalised.guesses_files import read_eliminations, write_eliminations
    from cloven.kinds.generalised.score.score import score_eliminations, trial_eliminations
    from cloven.kinds.tables.attack.link import RecordLinkage
    from cloven.kinds.tables.attack.semantic import SemanticValues
    from cloven.kinds.tables.attack.values import AttributeDisclosure, Composition, Membership
    from cloven.kinds.tables.guesses import Known
    from cloven.kinds.transactions import control_of
    from cloven.statistics.findings import Findings

__all__ = [
    "AttributeDisclosure",
    "Breach",
    "Composition",
    "Covers",
    "Elimination",
    "Eliminations",
    "Findings",
    "Guesses",
    "Guesswork",
    "Known",
    "Membership",
    "Moderate",
    "Proof",
    "RandomElimination",
    "RecordLinkage",
    "Semantic",
    "SemanticValues",
    "Strong",
    "VerticalPartitioning",
    "WeakPublic",
    "WeakWords",
    "breaches",
    "control_of",
    "covers",
    "possible_worlds",
    "prove",
    "questions",
    "read_eliminations",
    "read_guesses",
    "read_knowledge",
    "score",
    "score_eliminations",
    "simulate",
    "trial",
    "trial_eliminations",
    "write_eliminations",
    "write_guesses",
]

_HOME = homes(
    {
        "cloven.kinds.disassociated.attack.named": "Guesswork",
        "cloven.kinds.disassociated.attack.questions": "questions",
        "cloven.kinds.disassociated.attack.semantic": "Semantic",
        "cloven.kinds.disassociated.attack.vertical": "VerticalPartitioning",
        "cloven.kinds.disassociated.covers.breaches": "Breach Moderate Strong WeakPublic WeakWords breaches simulate",
        "cloven.kinds.disassociated.covers.covers": "Covers covers",
        "cloven.kinds.disassociated.covers.knowledge": "read_knowledge",
        "cloven.kinds.disassociated.covers.proof": "Proof prove",
        "cloven.kinds.disassociated.covers.worlds": "possible_worlds",
        "cloven.kinds.disassociated.guesses": "Guesses",
        "cloven.kinds.disassociated.guesses_files": "read_guesses write_guesses",
        "cloven.kinds.disassociated.score.score": "score",
        "cloven.kinds.disassociated.score.trial": "trial",
        "cloven.kinds.generalised.attack.elimination": "Elimination RandomElimination",
        "cloven.kinds.generalised.guesses": "Eliminations",
        "cloven.kinds.generalised.guesses_files": "read_eliminations write_eliminations",
        "cloven.kinds.generalised.score.score": "score_eliminations trial_eliminations",
        "cloven.kinds.tables.guesses": "Known",
        "cloven.kinds.tables.attack.link": "RecordLinkage",
        "cloven.kinds.tables.attack.semantic": "SemanticValues",
        "cloven.kinds.tables.attack.values": "AttributeDisclosure Composition Membership",
        "cloven.kinds.transactions": "control_of",
        "cloven.statistics.findings": "Findings",
    }
)
__getattr__, __dir__ = lazily(__name__, _HOME)
