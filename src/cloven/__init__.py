"""Cloven: anonymise sets of items, attack the result, publish only what holds.

The map of the package, in the order in which a data owner thinks:

==========================  ==================================================================================
read data                   ``read``, ``from_frame``, ``sample``, ``Transactions``
look at it                  ``describe``
anonymise                   ``Disassociation`` -> ``Anonymised`` (``release`` for the world, ``key`` for the owner)
prove                       ``verify``, ``verify_folder``
publish and read back       ``write_release``, ``read_release``, ``read_key``
what is it worth            ``utility``, ``reconstruct``, ``lower_bound_supports``, ``Taxonomy``
what does it give away      ``candidates``; attacks ``Semantic``, ``VerticalPartitioning``, ``Guesswork`` -> ``Guesses``
what words mean             ``Vectors``, ``Corpus``, ``GoogleDistance``, ``MutualInformation``, ``WordNet``, ``Learned``
what the method tells       ``covers`` -> ``breaches``, ``simulate``; ``possible_worlds``, ``prove``
was it right                ``score``, ``trial`` -> ``Findings``
text                        ``read_documents``, ``to_transactions``
all at once                 ``Audit`` with ``Knowledge``, ``Limits``, ``Effort`` -> ``AuditReport`` (``Risk``, ...)
whom to fear                ``Threat``: ``known_items``, ``release_alone``, ``the_method``, ``word_meanings``, ...
==========================  ==================================================================================

>>> import cloven as cv
>>> data = cv.sample("clinic")
>>> result = cv.Disassociation(k=5, m=2).anonymise(data)
>>> cv.verify(result.release, original=data, key=result.key).ok
True

Names are loaded when they are first used, so that importing the package is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cloven._version import __version__

if TYPE_CHECKING:
    from cloven.anonymise.disassociation import Disassociation
    from cloven.attack.disassociated.guesswork import Guesswork
    from cloven.attack.disassociated.link import candidates
    from cloven.attack.disassociated.questions import questions
    from cloven.attack.disassociated.semantic import Semantic
    from cloven.attack.disassociated.vertical_attack import VerticalPartitioning
    from cloven.audit import Audit
    from cloven.audit_report import AuditReport
    from cloven.breach.attackers import Moderate, Strong, WeakPublic, WeakWords
    from cloven.breach.breaches import Breach, breaches
    from cloven.breach.covers import Covers, covers
    from cloven.breach.knowledge_file import read_knowledge
    from cloven.breach.proof import Proof, prove
    from cloven.breach.simulation import simulate
    from cloven.breach.worlds import possible_worlds
    from cloven.datasets import sample
    from cloven.decision import Decision, Limits
    from cloven.errors import (
        ClovenError,
        GuaranteeError,
        InputError,
        OutputError,
        ParameterError,
        ReleaseError,
    )
    from cloven.families.disassociation_threats import (
        another_release,
        release_alone,
        the_method,
        word_meanings,
    )
    from cloven.families.known_items import known_items
    from cloven.io.checked import verify_folder
    from cloven.io.frames import from_frame
    from cloven.io.guesses import read_guesses, write_guesses
    from cloven.io.key import read_key
    from cloven.io.readers import read
    from cloven.io.release import read_release, write_release
    from cloven.measure.describe import describe
    from cloven.measure.utility import utility
    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Guesses
    from cloven.model.key import Anonymised, Key
    from cloven.model.outcome import Outcome
    from cloven.model.risk import Risk
    from cloven.model.taxonomy import Taxonomy, read_taxonomy
    from cloven.model.transactions import Transactions
    from cloven.reconstruction import lower_bound_supports, reconstruct
    from cloven.relatedness.backfill import BackFilled
    from cloven.relatedness.centred import CentredDistance
    from cloven.relatedness.combined import Combined
    from cloven.relatedness.corpus import Corpus
    from cloven.relatedness.learned import Learned
    from cloven.relatedness.ngd import GoogleDistance
    from cloven.relatedness.npmi import MutualInformation
    from cloven.relatedness.shuffled import Shuffled
    from cloven.relatedness.vectors import Vectors
    from cloven.relatedness.wordnet import WordNet
    from cloven.scoring.control import control_of
    from cloven.scoring.findings import Findings
    from cloven.scoring.score import score
    from cloven.scoring.trial import trial
    from cloven.text import read_documents, to_transactions
    from cloven.threats import Effort, Knowledge, Threat
    from cloven.verification import Verdict, verify

__all__ = [
    "Anonymised",
    "Audit",
    "AuditReport",
    "BackFilled",
    "Breach",
    "CentredDistance",
    "ClovenError",
    "Combined",
    "Corpus",
    "Covers",
    "Decision",
    "Disassociated",
    "Disassociation",
    "Effort",
    "Findings",
    "GoogleDistance",
    "GuaranteeError",
    "Guesses",
    "Guesswork",
    "InputError",
    "Key",
    "Knowledge",
    "Learned",
    "Limits",
    "Moderate",
    "MutualInformation",
    "Outcome",
    "OutputError",
    "ParameterError",
    "Proof",
    "ReleaseError",
    "Risk",
    "Semantic",
    "Shuffled",
    "Strong",
    "Taxonomy",
    "Threat",
    "Transactions",
    "Vectors",
    "Verdict",
    "VerticalPartitioning",
    "WeakPublic",
    "WeakWords",
    "WordNet",
    "__version__",
    "another_release",
    "breaches",
    "candidates",
    "control_of",
    "covers",
    "describe",
    "from_frame",
    "known_items",
    "lower_bound_supports",
    "possible_worlds",
    "prove",
    "questions",
    "read",
    "read_documents",
    "read_guesses",
    "read_key",
    "read_knowledge",
    "read_release",
    "read_taxonomy",
    "reconstruct",
    "release_alone",
    "sample",
    "score",
    "simulate",
    "the_method",
    "to_transactions",
    "trial",
    "utility",
    "verify",
    "verify_folder",
    "word_meanings",
    "write_guesses",
    "write_release",
]

_HOME = {
    "Anonymised": "cloven.model.key",
    "Audit": "cloven.audit",
    "AuditReport": "cloven.audit_report",
    "BackFilled": "cloven.relatedness.backfill",
    "Breach": "cloven.breach.breaches",
    "CentredDistance": "cloven.relatedness.centred",
    "ClovenError": "cloven.errors",
    "Combined": "cloven.relatedness.combined",
    "Corpus": "cloven.relatedness.corpus",
    "Covers": "cloven.breach.covers",
    "Decision": "cloven.decision",
    "Disassociated": "cloven.model.disassociated",
    "Disassociation": "cloven.anonymise.disassociation",
    "Effort": "cloven.threats",
    "Findings": "cloven.scoring.findings",
    "GoogleDistance": "cloven.relatedness.ngd",
    "GuaranteeError": "cloven.errors",
    "Guesses": "cloven.model.guesses",
    "Guesswork": "cloven.attack.disassociated.guesswork",
    "InputError": "cloven.errors",
    "Key": "cloven.model.key",
    "Knowledge": "cloven.threats",
    "Learned": "cloven.relatedness.learned",
    "Limits": "cloven.decision",
    "Moderate": "cloven.breach.attackers",
    "MutualInformation": "cloven.relatedness.npmi",
    "Outcome": "cloven.model.outcome",
    "OutputError": "cloven.errors",
    "ParameterError": "cloven.errors",
    "Proof": "cloven.breach.proof",
    "ReleaseError": "cloven.errors",
    "Risk": "cloven.model.risk",
    "Semantic": "cloven.attack.disassociated.semantic",
    "Shuffled": "cloven.relatedness.shuffled",
    "Strong": "cloven.breach.attackers",
    "Taxonomy": "cloven.model.taxonomy",
    "Threat": "cloven.threats",
    "Transactions": "cloven.model.transactions",
    "Vectors": "cloven.relatedness.vectors",
    "Verdict": "cloven.verification",
    "VerticalPartitioning": "cloven.attack.disassociated.vertical_attack",
    "WeakPublic": "cloven.breach.attackers",
    "WeakWords": "cloven.breach.attackers",
    "WordNet": "cloven.relatedness.wordnet",
    "another_release": "cloven.families.disassociation_threats",
    "breaches": "cloven.breach.breaches",
    "candidates": "cloven.attack.disassociated.link",
    "control_of": "cloven.scoring.control",
    "covers": "cloven.breach.covers",
    "describe": "cloven.measure.describe",
    "from_frame": "cloven.io.frames",
    "known_items": "cloven.families.known_items",
    "lower_bound_supports": "cloven.reconstruction",
    "possible_worlds": "cloven.breach.worlds",
    "prove": "cloven.breach.proof",
    "questions": "cloven.attack.disassociated.questions",
    "read": "cloven.io.readers",
    "read_documents": "cloven.text",
    "read_guesses": "cloven.io.guesses",
    "read_key": "cloven.io.key",
    "read_knowledge": "cloven.breach.knowledge_file",
    "read_release": "cloven.io.release",
    "read_taxonomy": "cloven.model.taxonomy",
    "reconstruct": "cloven.reconstruction",
    "release_alone": "cloven.families.disassociation_threats",
    "sample": "cloven.datasets",
    "score": "cloven.scoring.score",
    "simulate": "cloven.breach.simulation",
    "the_method": "cloven.families.disassociation_threats",
    "to_transactions": "cloven.text",
    "trial": "cloven.scoring.trial",
    "utility": "cloven.measure.utility",
    "verify": "cloven.verification",
    "verify_folder": "cloven.io.checked",
    "word_meanings": "cloven.families.disassociation_threats",
    "write_guesses": "cloven.io.guesses",
    "write_release": "cloven.io.release",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        message = f"module 'cloven' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
