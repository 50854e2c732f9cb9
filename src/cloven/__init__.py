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
what does it give away      ``candidates``; attacks ``Semantic``, ``VerticalPartitioning``, ``Guesswork`` -> ``Guesses``
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
    from cloven.anonymise.slicing.diffgen import DiffGen
    from cloven.anonymise.slicing.hybrid import Hybrid
    from cloven.anonymise.slicing.merging_like import MergingLike
    from cloven.anonymise.slicing.composition_like import CompositionLike
    from cloven.anonymise.slicing.probabilistic_like import ProbabilisticLike
    from cloven.attack.sliced.single import Membership
    from cloven.attack.sliced.semantic import SemanticValues
    from cloven.io.table_csv import to_frame
    from cloven.reconstruction import reconstruct_table
    from cloven.anonymise.disassociation import Disassociation
    from cloven.anonymise.generalisation.apriori_km import AprioriKm
    from cloven.anonymise.generalisation.coat import Coat
    from cloven.anonymise.generalisation.pcta import Pcta
    from cloven.anonymise.slicing.anatomy import Anatomy
    from cloven.anonymise.slicing.mondrian import Mondrian
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
    from cloven.attack.sliced.single import AttributeDisclosure
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
    from cloven.io.eliminations import read_eliminations, write_eliminations
    from cloven.io.frames import from_frame
    from cloven.io.guesses import read_guesses, write_guesses
    from cloven.io.key import read_key
    from cloven.io.policy import read_policy, write_policy
    from cloven.io.readers import read
    from cloven.io.release import read_release, write_release
    from cloven.io.schema_file import read_schema
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
    from cloven.scoring.generalised.score import score_eliminations
    from cloven.scoring.generalised.trial import trial_eliminations
    from cloven.scoring.score import score
    from cloven.scoring.trial import trial
    from cloven.text import read_documents, to_transactions
    from cloven.threats import Effort, Knowledge, Threat
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

_HOME = {
    "Anatomy": "cloven.anonymise.slicing.anatomy",
    "Anonymised": "cloven.model.key",
    "AprioriKm": "cloven.anonymise.generalisation.apriori_km",
    "AttributeDisclosure": "cloven.attack.sliced.single",
    "Audit": "cloven.audit",
    "AuditReport": "cloven.audit_report",
    "BackFilled": "cloven.relatedness.backfill",
    "Breach": "cloven.breach.breaches",
    "CentredDistance": "cloven.relatedness.centred",
    "ClovenError": "cloven.errors",
    "Coat": "cloven.anonymise.generalisation.coat",
    "Column": "cloven.model.schema",
    "Combined": "cloven.relatedness.combined",
    "Composition": "cloven.attack.sliced.composition",
    "CompositionLike": "cloven.anonymise.slicing.composition_like",
    "Corpus": "cloven.relatedness.corpus",
    "Covers": "cloven.breach.covers",
    "Decision": "cloven.decision",
    "DiffGen": "cloven.anonymise.slicing.diffgen",
    "Disassociated": "cloven.model.disassociated",
    "Disassociation": "cloven.anonymise.disassociation",
    "Effort": "cloven.threats",
    "Elimination": "cloven.attack.generalised.elimination",
    "Eliminations": "cloven.model.added",
    "Findings": "cloven.scoring.findings",
    "Generalised": "cloven.model.key_generalised",
    "GeneralisedKey": "cloven.model.key_generalised",
    "GeneralisedTable": "cloven.model.published_table",
    "GoogleDistance": "cloven.relatedness.ngd",
    "GuaranteeError": "cloven.errors",
    "Guesses": "cloven.model.guesses",
    "Guesswork": "cloven.attack.disassociated.guesswork",
    "Hybrid": "cloven.anonymise.slicing.hybrid",
    "InputError": "cloven.errors",
    "Key": "cloven.model.key",
    "Knowledge": "cloven.threats",
    "Known": "cloven.attack.sliced.known",
    "Learned": "cloven.relatedness.learned",
    "Limits": "cloven.decision",
    "Membership": "cloven.attack.sliced.single",
    "MergingLike": "cloven.anonymise.slicing.merging_like",
    "Moderate": "cloven.breach.attackers",
    "Mondrian": "cloven.anonymise.slicing.mondrian",
    "MutualInformation": "cloven.relatedness.npmi",
    "Outcome": "cloven.model.outcome",
    "OutputError": "cloven.errors",
    "ParameterError": "cloven.errors",
    "Pcta": "cloven.anonymise.generalisation.pcta",
    "Policy": "cloven.model.policy",
    "ProbabilisticLike": "cloven.anonymise.slicing.probabilistic_like",
    "Proof": "cloven.breach.proof",
    "PublishedTable": "cloven.model.key_table",
    "RandomElimination": "cloven.attack.generalised.random_attack",
    "RecordLinkage": "cloven.attack.sliced.linkage",
    "ReleaseError": "cloven.errors",
    "Risk": "cloven.model.risk",
    "Schema": "cloven.model.schema",
    "Semantic": "cloven.attack.disassociated.semantic",
    "SemanticValues": "cloven.attack.sliced.semantic",
    "SetGeneralised": "cloven.model.set_generalised",
    "Shuffled": "cloven.relatedness.shuffled",
    "Sliced": "cloven.model.published_table",
    "Slicing": "cloven.anonymise.slicing.slicing",
    "Strong": "cloven.breach.attackers",
    "Table": "cloven.model.table",
    "Taxonomy": "cloven.model.taxonomy",
    "Threat": "cloven.threats",
    "Transactions": "cloven.model.transactions",
    "Tune": "cloven.tuning.tune",
    "Tuned": "cloven.tuning.tuned",
    "UL": "cloven.anonymise.slicing.protection",
    "Vectors": "cloven.relatedness.vectors",
    "Verdict": "cloven.verification",
    "VerticalPartitioning": "cloven.attack.disassociated.vertical_attack",
    "WeakPublic": "cloven.breach.attackers",
    "WeakWords": "cloven.breach.attackers",
    "WordNet": "cloven.relatedness.wordnet",
    "another_release": "cloven.families.disassociation_threats",
    "breaches": "cloven.breach.breaches",
    "candidates": "cloven.attack.link",
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
    "read_eliminations": "cloven.io.eliminations",
    "read_guesses": "cloven.io.guesses",
    "read_key": "cloven.io.key",
    "read_knowledge": "cloven.breach.knowledge_file",
    "read_policy": "cloven.io.policy",
    "read_release": "cloven.io.release",
    "read_schema": "cloven.io.schema_file",
    "read_table": "cloven.io.table_reader",
    "read_taxonomy": "cloven.model.taxonomy",
    "reconstruct": "cloven.reconstruction",
    "reconstruct_table": "cloven.reconstruction",
    "release_alone": "cloven.families.disassociation_threats",
    "sample": "cloven.datasets",
    "score": "cloven.scoring.score",
    "score_eliminations": "cloven.scoring.generalised.score",
    "simulate": "cloven.breach.simulation",
    "table_utility": "cloven.measure.tables.utility",
    "the_method": "cloven.families.disassociation_threats",
    "to_frame": "cloven.io.table_csv",
    "to_transactions": "cloven.text",
    "trial": "cloven.scoring.trial",
    "trial_eliminations": "cloven.scoring.generalised.trial",
    "utility": "cloven.measure.utility",
    "verify": "cloven.verification",
    "verify_folder": "cloven.io.checked",
    "verify_table": "cloven.verification.tables.checker",
    "word_meanings": "cloven.families.disassociation_threats",
    "write_eliminations": "cloven.io.eliminations",
    "write_guesses": "cloven.io.guesses",
    "write_policy": "cloven.io.policy",
    "write_release": "cloven.io.release",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        message = f"module 'cloven' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
