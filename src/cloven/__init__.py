"""Cloven: anonymise sets of items, attack the result, publish only what holds.

The map of the package, in the order in which a data owner thinks:

==========================  ==================================================================================
read data                   ``read``, ``from_frame``, ``sample``, ``Transactions``
look at it                  ``describe``
anonymise                   ``Disassociation`` -> ``Anonymised`` (``release`` for the world, ``key`` for the owner)
or merge items              ``Coat``, ``Pcta``, ``AprioriKm`` with a ``Policy`` -> ``Generalised``
or publish a table          ``read_table`` with a ``Schema``; ``Mondrian``, ``Slicing``, ``UL`` -> ``PublishedTable``
prove                       ``verify``, ``verify_folder``
publish and read back       ``write_release``, ``read_release``, ``read_key``
what is it worth            ``utility``, ``reconstruct``, ``lower_bound_supports``, ``Taxonomy``
what does it give away      ``person_risk``, ``candidates``; attacks ``Semantic``, ``VerticalPartitioning``,
                            ``Guesswork`` -> ``Guesses``
                            ``Elimination`` -> ``Eliminations`` for set-generalised releases
what words mean             ``Vectors``, ``Corpus``, ``GoogleDistance``, ``MutualInformation``, ``WordNet``, ``Learned``
what the method tells       ``covers`` -> ``breaches``, ``simulate``; ``possible_worlds``, ``prove``
was it right                ``score``, ``trial`` -> ``Findings``
text                        ``read_documents``, ``to_transactions``
all at once                 ``Audit`` with ``Knowledge``, ``Limits``, ``Effort`` -> ``AuditReport`` (``Risk``, ...)
the best setting            ``Tune`` -> ``Tuned``
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
    from cloven.anonymise.generalisation.apriori_km import AprioriKm
    from cloven.anonymise.generalisation.coat import Coat
    from cloven.anonymise.generalisation.pcta import Pcta
    from cloven.anonymise.slicing.anatomy import Anatomy
    from cloven.anonymise.slicing.composition_like import CompositionLike
    from cloven.anonymise.slicing.diffgen import DiffGen
    from cloven.anonymise.slicing.hybrid import Hybrid
    from cloven.anonymise.slicing.merging_like import MergingLike
    from cloven.anonymise.slicing.mondrian import Mondrian
    from cloven.anonymise.slicing.probabilistic_like import ProbabilisticLike
    from cloven.anonymise.slicing.protection import UL
    from cloven.anonymise.slicing.slicing import Slicing
    from cloven.attack.disassociated.guesswork import Guesswork
    from cloven.attack.disassociated.questions import questions
    from cloven.attack.disassociated.semantic import Semantic
    from cloven.attack.disassociated.vertical_attack import VerticalPartitioning
    from cloven.attack.generalised.elimination import Elimination
    from cloven.attack.generalised.random_attack import RandomElimination
    from cloven.attack.link import candidates
    from cloven.attack.sliced.composition import Composition
    from cloven.attack.sliced.known import Known
    from cloven.attack.sliced.linkage import RecordLinkage
    from cloven.attack.sliced.semantic import SemanticValues
    from cloven.attack.sliced.single import AttributeDisclosure, Membership
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
    from cloven.families.tables_other import shared_rows
    from cloven.io.checked import verify_folder
    from cloven.io.eliminations import read_eliminations, write_eliminations
    from cloven.io.frames import from_frame
    from cloven.io.guesses import read_guesses, write_guesses
    from cloven.io.key import read_key
    from cloven.io.policy import read_policy, write_policy
    from cloven.io.readers import read
    from cloven.io.release import read_release, write_release
    from cloven.io.schema_file import read_schema
    from cloven.io.table_csv import to_frame
    from cloven.io.table_reader import read_table
    from cloven.measure.describe import describe
    from cloven.measure.tables.utility import table_utility
    from cloven.measure.utility import utility
    from cloven.model.added import Eliminations
    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Guesses
    from cloven.model.key import Anonymised, Key
    from cloven.model.key_generalised import Generalised, GeneralisedKey
    from cloven.model.key_table import PublishedTable
    from cloven.model.outcome import Outcome
    from cloven.model.policy import Policy
    from cloven.model.published_table import GeneralisedTable, Sliced
    from cloven.model.risk import Risk
    from cloven.model.schema import Column, Schema
    from cloven.model.set_generalised import SetGeneralised
    from cloven.model.table import Table
    from cloven.model.taxonomy import Taxonomy, read_taxonomy
    from cloven.model.transactions import Transactions
    from cloven.people import person_risk
    from cloven.reconstruction import lower_bound_supports, reconstruct, reconstruct_table
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
    from cloven.scoring.generalised.score import score_eliminations
    from cloven.scoring.generalised.trial import trial_eliminations
    from cloven.scoring.score import score
    from cloven.scoring.trial import trial
    from cloven.text import read_documents, to_transactions
    from cloven.threats import Effort, Knowledge, OtherRelease, Threat
    from cloven.tuning.tune import Tune
    from cloven.tuning.tuned import Tuned
    from cloven.verification import Verdict, verify
    from cloven.verification.tables.checker import verify_table

__all__ = [
    "Anatomy",
    "Anonymised",
    "AprioriKm",
    "AttributeDisclosure",
    "Audit",
    "AuditReport",
    "BackFilled",
    "Breach",
    "CentredDistance",
    "ClovenError",
    "Coat",
    "Column",
    "Combined",
    "Composition",
    "CompositionLike",
    "Corpus",
    "Covers",
    "Decision",
    "DiffGen",
    "Disassociated",
    "Disassociation",
    "Effort",
    "Elimination",
    "Eliminations",
    "Findings",
    "Generalised",
    "GeneralisedKey",
    "GeneralisedTable",
    "GoogleDistance",
    "GuaranteeError",
    "Guesses",
    "Guesswork",
    "Hybrid",
    "InputError",
    "Key",
    "Knowledge",
    "Known",
    "Learned",
    "Limits",
    "Membership",
    "MergingLike",
    "Moderate",
    "Mondrian",
    "MutualInformation",
    "OtherRelease",
    "Outcome",
    "OutputError",
    "ParameterError",
    "Pcta",
    "Policy",
    "ProbabilisticLike",
    "Proof",
    "PublishedTable",
    "RandomElimination",
    "RecordLinkage",
    "ReleaseError",
    "Risk",
    "Schema",
    "Semantic",
    "SemanticValues",
    "SetGeneralised",
    "Shuffled",
    "Sliced",
    "Slicing",
    "Strong",
    "Table",
    "Taxonomy",
    "Threat",
    "Transactions",
    "Tune",
    "Tuned",
    "UL",
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
    "person_risk",
    "possible_worlds",
    "prove",
    "questions",
    "read",
    "read_documents",
    "read_eliminations",
    "read_guesses",
    "read_key",
    "read_knowledge",
    "read_policy",
    "read_release",
    "read_schema",
    "read_table",
    "read_taxonomy",
    "reconstruct",
    "reconstruct_table",
    "release_alone",
    "sample",
    "score",
    "score_eliminations",
    "shared_rows",
    "simulate",
    "table_utility",
    "the_method",
    "to_frame",
    "to_transactions",
    "trial",
    "trial_eliminations",
    "utility",
    "verify",
    "verify_folder",
    "verify_table",
    "word_meanings",
    "write_eliminations",
    "write_guesses",
    "write_policy",
    "write_release",
]

_NAMES = {
    "cloven.anonymise.disassociation": "Disassociation",
    "cloven.anonymise.generalisation.apriori_km": "AprioriKm",
    "cloven.anonymise.generalisation.coat": "Coat",
    "cloven.anonymise.generalisation.pcta": "Pcta",
    "cloven.anonymise.slicing.anatomy": "Anatomy",
    "cloven.anonymise.slicing.composition_like": "CompositionLike",
    "cloven.anonymise.slicing.diffgen": "DiffGen",
    "cloven.anonymise.slicing.hybrid": "Hybrid",
    "cloven.anonymise.slicing.merging_like": "MergingLike",
    "cloven.anonymise.slicing.mondrian": "Mondrian",
    "cloven.anonymise.slicing.probabilistic_like": "ProbabilisticLike",
    "cloven.anonymise.slicing.protection": "UL",
    "cloven.anonymise.slicing.slicing": "Slicing",
    "cloven.attack.disassociated.guesswork": "Guesswork",
    "cloven.attack.disassociated.questions": "questions",
    "cloven.attack.disassociated.semantic": "Semantic",
    "cloven.attack.disassociated.vertical_attack": "VerticalPartitioning",
    "cloven.attack.generalised.elimination": "Elimination",
    "cloven.attack.generalised.random_attack": "RandomElimination",
    "cloven.attack.link": "candidates",
    "cloven.attack.sliced.composition": "Composition",
    "cloven.attack.sliced.known": "Known",
    "cloven.attack.sliced.linkage": "RecordLinkage",
    "cloven.attack.sliced.semantic": "SemanticValues",
    "cloven.attack.sliced.single": "AttributeDisclosure Membership",
    "cloven.audit": "Audit",
    "cloven.audit_report": "AuditReport",
    "cloven.breach.attackers": "Moderate Strong WeakPublic WeakWords",
    "cloven.breach.breaches": "Breach breaches",
    "cloven.breach.covers": "Covers covers",
    "cloven.breach.knowledge_file": "read_knowledge",
    "cloven.breach.proof": "Proof prove",
    "cloven.breach.simulation": "simulate",
    "cloven.breach.worlds": "possible_worlds",
    "cloven.datasets": "sample",
    "cloven.decision": "Decision Limits",
    "cloven.errors": "ClovenError GuaranteeError InputError OutputError ParameterError ReleaseError",
    "cloven.families.tables_other": "shared_rows",
    "cloven.families.disassociation_threats": "another_release release_alone the_method word_meanings",
    "cloven.families.known_items": "known_items",
    "cloven.io.checked": "verify_folder",
    "cloven.io.eliminations": "read_eliminations write_eliminations",
    "cloven.io.frames": "from_frame",
    "cloven.io.guesses": "read_guesses write_guesses",
    "cloven.io.key": "read_key",
    "cloven.io.policy": "read_policy write_policy",
    "cloven.io.readers": "read",
    "cloven.io.release": "read_release write_release",
    "cloven.io.schema_file": "read_schema",
    "cloven.io.table_csv": "to_frame",
    "cloven.io.table_reader": "read_table",
    "cloven.measure.describe": "describe",
    "cloven.measure.tables.utility": "table_utility",
    "cloven.measure.utility": "utility",
    "cloven.model.added": "Eliminations",
    "cloven.model.disassociated": "Disassociated",
    "cloven.model.guesses": "Guesses",
    "cloven.model.key": "Anonymised Key",
    "cloven.model.key_generalised": "Generalised GeneralisedKey",
    "cloven.model.key_table": "PublishedTable",
    "cloven.model.outcome": "Outcome",
    "cloven.model.policy": "Policy",
    "cloven.model.published_table": "GeneralisedTable Sliced",
    "cloven.model.risk": "Risk",
    "cloven.model.schema": "Column Schema",
    "cloven.model.set_generalised": "SetGeneralised",
    "cloven.model.table": "Table",
    "cloven.model.taxonomy": "Taxonomy read_taxonomy",
    "cloven.model.transactions": "Transactions",
    "cloven.people": "person_risk",
    "cloven.reconstruction": "lower_bound_supports reconstruct reconstruct_table",
    "cloven.relatedness.backfill": "BackFilled",
    "cloven.relatedness.centred": "CentredDistance",
    "cloven.relatedness.combined": "Combined",
    "cloven.relatedness.corpus": "Corpus",
    "cloven.relatedness.learned": "Learned",
    "cloven.relatedness.ngd": "GoogleDistance",
    "cloven.relatedness.npmi": "MutualInformation",
    "cloven.relatedness.shuffled": "Shuffled",
    "cloven.relatedness.vectors": "Vectors",
    "cloven.relatedness.wordnet": "WordNet",
    "cloven.scoring.control": "control_of",
    "cloven.scoring.findings": "Findings",
    "cloven.scoring.generalised.score": "score_eliminations",
    "cloven.scoring.generalised.trial": "trial_eliminations",
    "cloven.scoring.score": "score",
    "cloven.scoring.trial": "trial",
    "cloven.text": "read_documents to_transactions",
    "cloven.threats": "Effort Knowledge OtherRelease Threat",
    "cloven.tuning.tune": "Tune",
    "cloven.tuning.tuned": "Tuned",
    "cloven.verification": "Verdict verify",
    "cloven.verification.tables.checker": "verify_table",
}
_HOME = {name: home for home, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        message = f"module 'cloven' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
