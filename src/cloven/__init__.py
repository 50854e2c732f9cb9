"""Cloven: anonymise sets of items, attack the result, publish only what holds.

The map of the package, in the order in which a data owner thinks:

==========================  ==================================================================================
read data                   ``read``, ``from_frame``, ``sample``, ``Transactions``
look at it                  ``describe``
anonymise                   ``Disassociation`` -> ``Anonymised`` (``release`` for the world, ``key`` for the owner)
or merge items              ``Coat``, ``Pcta``, ``AprioriKm`` with a ``Policy`` -> ``Generalised``
or publish a table          ``propose`` a ``Schema``, ``read_table``; ``Mondrian``, ``Slicing`` -> ``PublishedTable``
prove                       ``verify``, ``verify_folder``
publish and read back       ``write_release``, ``read_release``, ``read_key``
what is it worth            ``utility``, ``reconstruct``, ``lower_bound_supports``, ``Taxonomy``
what does it give away      ``person_risk``, ``candidates``
attack it yourself          ``attacks``: ``Semantic``, ``Elimination``, ...; ``score``, ``trial``; ``covers``, ``prove``
what words mean             ``relatedness``: ``Vectors``, ``Corpus``, ``WordNet``, ...
text                        ``read_documents``, ``to_transactions``
all at once                 ``Audit`` with ``Knowledge``, ``Limits``, ``Effort`` -> ``AuditReport`` (``Risk``, ...)
many machines  ``Spark`` -> the same release in parts; ``LargeAudit`` -> attacked there
what others made            ``audit_published``, a table and its original -> ``AuditReport``
the best setting            ``Tune`` -> ``Tuned``
whom to fear                ``Threat``: ``known_items``, ``release_alone``, ``the_method``, ``word_meanings``, ...
==========================  ==================================================================================

>>> import cloven as cv
>>> data = cv.sample("clinic")
>>> result = cv.Disassociation(k=5, m=2).anonymise(data)
>>> cv.verify(result.release, original=data, key=result.key).ok
True

Names are loaded when they are first used, so that importing the package is quick. ``help(cloven.Audit)`` and the like
explain each of them; the documentation begins with docs/tutorials/ten-minutes.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cloven._version import __version__
from cloven.names import homes, loader

if TYPE_CHECKING:
    from cloven import attacks, relatedness
    from cloven.audit.decision import Decision, Limits
    from cloven.audit.foreign import audit_published
    from cloven.audit.large import LargeAudit
    from cloven.audit.loop import Audit
    from cloven.audit.people import person_risk
    from cloven.audit.report import AuditReport
    from cloven.data.schema import Column, Schema
    from cloven.data.table import Table
    from cloven.data.taxonomy import Taxonomy, read_taxonomy
    from cloven.data.transactions import Transactions
    from cloven.datasets import sample
    from cloven.disclosure.outcome import Outcome
    from cloven.disclosure.risk import Risk
    from cloven.engines.spark import Spark
    from cloven.errors import (
        ClovenError,
        GuaranteeError,
        InputError,
        OutputError,
        ParameterError,
        ReleaseError,
    )
    from cloven.kinds.disassociated.key import Anonymised, Key
    from cloven.kinds.disassociated.methods import Disassociation
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.threats import another_release, release_alone, the_method, word_meanings
    from cloven.kinds.frames import to_frame
    from cloven.kinds.generalised.key import Generalised
    from cloven.kinds.generalised.methods.apriori_km import AprioriKm
    from cloven.kinds.generalised.methods.by_policy import Coat, Pcta
    from cloven.kinds.generalised.policy import Policy
    from cloven.kinds.generalised.policy_files import read_policy, write_policy
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.kinds.known_items import candidates, known_items
    from cloven.kinds.tables.key import PublishedTable
    from cloven.kinds.tables.methods.anatomy import Anatomy
    from cloven.kinds.tables.methods.diffgen import DiffGen
    from cloven.kinds.tables.methods.mondrian import Mondrian
    from cloven.kinds.tables.methods.slicing import Slicing
    from cloven.kinds.tables.methods.ul import UL
    from cloven.kinds.tables.release import GeneralisedTable, Sliced
    from cloven.kinds.tables.threats import shared_rows
    from cloven.kinds.tables.utility import table_utility
    from cloven.kinds.tables.verify.checker import verify_table
    from cloven.kinds.transactions import utility
    from cloven.reading import read
    from cloven.reading.arrow import from_frame
    from cloven.reading.proposal import Proposal, propose
    from cloven.reading.schema_file import read_schema
    from cloven.reading.tables import read_table
    from cloven.reconstruction import lower_bound_supports, reconstruct, reconstruct_table
    from cloven.statistics.uniqueness import describe
    from cloven.storage.inspection import verify_folder
    from cloven.storage.release import read_key, read_release, write_release
    from cloven.text import read_documents, to_transactions
    from cloven.threats import Effort, Knowledge, OtherRelease, Threat
    from cloven.tuning.result import Tuned
    from cloven.tuning.tune import Tune
    from cloven.verification import Verdict, verify

    # Told to type checkers alone: ``help(cloven)`` shows the map above, and not every page of the book.
    __all__ = [
        "Anatomy",
        "Anonymised",
        "AprioriKm",
        "Audit",
        "AuditReport",
        "ClovenError",
        "Coat",
        "Column",
        "Decision",
        "DiffGen",
        "Disassociated",
        "Disassociation",
        "Effort",
        "Generalised",
        "GeneralisedTable",
        "GuaranteeError",
        "InputError",
        "Key",
        "Knowledge",
        "LargeAudit",
        "Limits",
        "Mondrian",
        "OtherRelease",
        "Outcome",
        "OutputError",
        "ParameterError",
        "Pcta",
        "Policy",
        "Proposal",
        "PublishedTable",
        "ReleaseError",
        "Risk",
        "Schema",
        "SetGeneralised",
        "Sliced",
        "Slicing",
        "Spark",
        "Table",
        "Taxonomy",
        "Threat",
        "Transactions",
        "Tune",
        "Tuned",
        "UL",
        "Verdict",
        "__version__",
        "another_release",
        "attacks",
        "audit_published",
        "candidates",
        "describe",
        "from_frame",
        "known_items",
        "lower_bound_supports",
        "person_risk",
        "propose",
        "read",
        "read_documents",
        "read_key",
        "read_policy",
        "read_release",
        "read_schema",
        "read_table",
        "read_taxonomy",
        "reconstruct",
        "reconstruct_table",
        "relatedness",
        "release_alone",
        "sample",
        "shared_rows",
        "table_utility",
        "the_method",
        "to_frame",
        "to_transactions",
        "utility",
        "verify",
        "verify_folder",
        "verify_table",
        "word_meanings",
        "write_policy",
        "write_release",
    ]

_HOME = homes(
    {
        "cloven.audit.decision": "Decision Limits",
        "cloven.audit.foreign": "audit_published",
        "cloven.audit.large": "LargeAudit",
        "cloven.audit.loop": "Audit",
        "cloven.audit.people": "person_risk",
        "cloven.audit.report": "AuditReport",
        "cloven.data.schema": "Column Schema",
        "cloven.data.table": "Table",
        "cloven.data.taxonomy": "Taxonomy read_taxonomy",
        "cloven.data.transactions": "Transactions",
        "cloven.datasets": "sample",
        "cloven.disclosure.outcome": "Outcome",
        "cloven.disclosure.risk": "Risk",
        "cloven.engines.spark": "Spark",
        "cloven.errors": "ClovenError GuaranteeError InputError OutputError ParameterError ReleaseError",
        "cloven.kinds.disassociated.key": "Anonymised Key",
        "cloven.kinds.disassociated.methods": "Disassociation",
        "cloven.kinds.disassociated.release": "Disassociated",
        "cloven.kinds.disassociated.threats": "another_release release_alone the_method word_meanings",
        "cloven.kinds.generalised.key": "Generalised",
        "cloven.kinds.generalised.methods.apriori_km": "AprioriKm",
        "cloven.kinds.generalised.methods.by_policy": "Coat Pcta",
        "cloven.kinds.generalised.policy": "Policy",
        "cloven.kinds.generalised.policy_files": "read_policy write_policy",
        "cloven.kinds.generalised.release": "SetGeneralised",
        "cloven.kinds.known_items": "candidates known_items",
        "cloven.kinds.frames": "to_frame",
        "cloven.kinds.tables.key": "PublishedTable",
        "cloven.kinds.tables.methods.anatomy": "Anatomy",
        "cloven.kinds.tables.methods.diffgen": "DiffGen",
        "cloven.kinds.tables.methods.mondrian": "Mondrian",
        "cloven.kinds.tables.methods.slicing": "Slicing",
        "cloven.kinds.tables.methods.ul": "UL",
        "cloven.kinds.tables.threats": "shared_rows",
        "cloven.kinds.tables.release": "GeneralisedTable Sliced",
        "cloven.kinds.tables.utility": "table_utility",
        "cloven.kinds.tables.verify.checker": "verify_table",
        "cloven.kinds.transactions": "utility",
        "cloven.reading": "read",
        "cloven.reading.arrow": "from_frame",
        "cloven.reading.proposal": "Proposal propose",
        "cloven.reading.schema_file": "read_schema",
        "cloven.reading.tables": "read_table",
        "cloven.reconstruction": "lower_bound_supports reconstruct reconstruct_table",
        "cloven.statistics.uniqueness": "describe",
        "cloven.storage.inspection": "verify_folder",
        "cloven.storage.release": "read_key read_release write_release",
        "cloven.text": "read_documents to_transactions",
        "cloven.threats": "Effort Knowledge OtherRelease Threat",
        "cloven.tuning.tune": "Tune",
        "cloven.tuning.result": "Tuned",
        "cloven.verification": "Verdict verify",
    }
)
_PACKAGES = ("attacks", "relatedness")
_load = loader(__name__, _HOME)


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"{__name__}.{name}")
    return _load(name)


def __dir__() -> list[str]:
    return sorted((*_HOME, *_PACKAGES, "__version__"))
