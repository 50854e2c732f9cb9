"""Disassociated releases, as an audit sees them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.defaults import CLUSTER, K, M
from cloven.data.given import expect_sets
from cloven.figures import numbered
from cloven.kinds.disassociated.attack.known_person import readers
from cloven.kinds.disassociated.threats import (
    another_release,
    release_alone,
    the_method,
    word_meanings,
)
from cloven.kinds.disassociated.words import PARTS, WITHHOLD
from cloven.kinds.doubts import FEWEST_CANDIDATES, FEWEST_KNOWN, doubts_about
from cloven.kinds.known_items import known_items
from cloven.kinds.known_person import known_person
from cloven.kinds.transactions import (
    OfTransactions,
    being_in_it,
    drawn,
    is_of_sets,
    itemsets,
    pair_error,
    plain,
)
from cloven.kinds.words import parts
from cloven.statistics.telling import News
from cloven.threats import unusable_release

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from cloven.compiled import Floats
    from cloven.data.transactions import Transactions
    from cloven.disclosure.audience import Said
    from cloven.disclosure.outcome import Measured
    from cloven.disclosure.risk import Risk
    from cloven.kinds.disassociated.key import Anonymised
    from cloven.kinds.disassociated.methods import Disassociation
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.utility import UtilityReport
    from cloven.statistics.telling import People
    from cloven.statistics.uniqueness import Description
    from cloven.threats import Knowledge, Threat
    from cloven.verification import Verdict


@dataclass(frozen=True)
class DisassociationFamily(OfTransactions):
    """What to do with disassociated releases."""

    name: str = "disassociation"

    def describe(self, data: Any, method: Disassociation, rng: np.random.Generator) -> Description:
        """Figures of the data."""
        from cloven.statistics.uniqueness import describe

        expect_sets(data, "this method")
        return describe(data, m=method.m, k=method.k, rng=rng)

    def verify(self, data: Transactions, result: Anonymised) -> Verdict:
        """Check the release with all that is known; what is only compared may draw its lots from a seed."""
        from cloven.verification import verify

        return verify(result.release, original=data, key=result.key, allow_seeded=True)

    def threats(self, method: Disassociation, knowledge: Knowledge) -> tuple[Threat, ...]:
        """Every attacker that there is something to try with."""
        return (
            known_person(method.m, readers, News(method.sensitive)),
            known_items(method.m, promised=True),
            known_items(method.m + 1, promised=False),
            release_alone(),
            the_method(),
            *([] if knowledge.relatedness is None else [word_meanings(knowledge.relatedness)]),
            *(_having(other, numbered(number)) for number, other in enumerate(knowledge.releases, 1)),
            being_in_it(_fit),
        )

    def sizes(self, release: Disassociated) -> list[int]:
        """Size of every group of records."""
        return release.cluster_size.tolist()  # type: ignore[no-any-return]

    def made(self, published: Mapping[str, int | float]) -> str:
        """What a release is made of, in words."""
        return parts(published, PARTS)

    def doubts(self, data: Transactions, method: Disassociation, result: Anonymised) -> tuple[Said, ...]:
        """What speaks against publishing, whatever attackers reach."""
        withheld = result.release.rare_items == "withhold"
        return doubts_about(data, method.k, method.m, unnamed="" if withheld else WITHHOLD)

    def remedies(
        self,
        method: Disassociation,
        risks: tuple[Risk, ...],
        limit: float,  # noqa: ARG002 - whatever the limit, the same is tried
        data: Transactions | None = None,  # noqa: ARG002 - nor does it depend on the data
    ) -> dict[str, Disassociation]:
        """Settings that may hold where this one does not: what to type -> the method; the cheapest first.

        Rare items go first, for they tell most and cost least; then larger groups, repair and fewer joins, at last
        together; a larger k costs most.
        """
        k, m = max(method.k, FEWEST_CANDIDATES), max(method.m, FEWEST_KNOWN)
        size = method.max_cluster_size
        base = replace(method, k=k, m=m, max_cluster_size=None if size is None else max(size, 2 * k - 1))
        steps: list[dict[str, Any]] = []
        if method.rare_items != "withhold":
            steps.append({"rare_items": "withhold"})
        if method.refine:
            steps.append({"refine": False})
        if method.safe == "no" and any(risk.broken for risk in risks):
            steps.append({"safe": "cover"})
        if size is not None:
            steps.append({"max_cluster_size": max(4 * size, 4 * k - 1)})
        together = {name: value for change in steps for name, value in change.items()}
        changes = [{}, *steps, together, together | {"k": 2 * k}]
        return {_typed(method, one): one for change in changes if (one := replace(base, **change)) != method}

    def read(self, public: Path, private: Path) -> Anonymised:
        """Read back what ``write`` wrote."""
        from cloven.kinds.disassociated.key import Anonymised
        from cloven.kinds.disassociated.private_files import read_key
        from cloven.storage.release import read_release_of

        release = read_release_of(self.name, public, "this family")
        return Anonymised(release, read_key(private, release))


def _typed(method: Disassociation, other: Disassociation) -> str:
    """What to type for another setting than one has."""
    options = {
        "rare_items": f"--rare-items {other.rare_items}",
        "refine": "--refine" if other.refine else "--no-refine",
        "safe": f"--safe {other.safe}",
        "max_cluster_size": f"--max-cluster-size {other.max_cluster_size}",
        "k": f"-k {other.k}",
        "m": f"-m {other.m}",
    }
    return " ".join(words for name, words in options.items() if getattr(method, name) != getattr(other, name))


def _fit(release: Disassociated, people: People) -> Floats:
    """How well whole records fit a release."""
    from cloven.kinds.disassociated.attack.membership import Membership

    reader = Membership.of(release)
    return reader.scores(people.whole())[0] + reader.unknown(people.held - people.lengths)


def _having(other: Any, name: str) -> Threat:
    """Somebody who has another release, of whatever kind."""
    return another_release(other, name) if is_of_sets(other) else unusable_release(other, name)


def measures(found: UtilityReport) -> list[Measured]:
    """All measures of a report, the most telling first."""
    kept, lost = itemsets(found)
    stay, published = "stay in record or shared chunks", 1 - found.suppressed_share
    out = [
        *kept,
        # How many of them: that would tell how much was withheld, so that both are the owner's.
        plain("items kept", found.items_kept, 1.0, 0.0, f"item occurrences that {stay}", "owner"),
        plain(
            "pairs kept", found.pairs_kept, 1.0, 0.0, "pairs of items of a record that stay together", "owner"
        ),
        plain("tlost only", found.tlost_only, 0.0, 1.0, "frequent items found only in term chunks"),
        plain("tlost any", found.tlost_any, 0.0, 1.0, "frequent items found in some term chunk"),
        lost,
        plain("tKd chunks", found.tkd_chunks, 0.0, 1.0, "the same from what is certain"),
    ]
    if found.tkd_ml2 is not None:
        out.append(drawn("tKd-ML2", found.tkd_ml2, 1.0, "the same on all levels of the taxonomy"))
    return [
        *out,
        pair_error(found.re, found.re_pairs),
        plain("re chunks", found.re_chunks, 0.0, 2.0, "the same from what is certain", "owner"),
        # It tells how many were left out, so that it is the owner's.
        plain("records published", published, 1.0, 0.0, "records that are in the release", "owner"),
    ]


# Settings of disassociation for a data set, each with its reason, for owners who name none.


def suggested(data: Transactions, given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Values for k, m and the largest cluster where ``given`` has none, and why.

    >>> import cloven as cv
    >>> values, reasons = suggested(cv.sample("clinic"), {"k": 3})
    >>> values
    {'k': 3, 'm': 2, 'max_cluster_size': 120}
    >>> reasons[0]
    'm=2: the usual assumption, an attacker knows two items of somebody'
    """
    values, reasons = dict(given), []
    records, longest = len(data), int(np.diff(data.offsets).max(initial=0))
    if "k" not in values:
        values["k"] = K  # never less without being asked, however small the data
        reasons.append(
            f"k={K}: who knows m items of somebody is left with at least that many candidates, the usual least"
        )
    if "m" not in values:
        values["m"] = max(1, min(M, longest))
        usual = "the usual assumption, an attacker knows two items of somebody"
        reasons.append(f"m={values['m']}: {usual if values['m'] == M else 'no record has more items'}")
    if "max_cluster_size" not in values:
        values["max_cluster_size"] = max(2 * values["k"] - 1, min(CLUSTER, records // 2))
        usual = "larger groups hide better, smaller ones keep more pairs"
        small = f"half of the {records:,} records, so that there are several groups"
        size = values["max_cluster_size"]
        reasons.append(f"max={size}: {usual if size == CLUSTER else small}")
    return values, reasons


KIND = DisassociationFamily
