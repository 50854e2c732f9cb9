"""Set-generalised releases, as an audit sees them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.disclosure.audience import Said
from cloven.disclosure.risk import MAX_TAIL
from cloven.figures import numbered, percent
from cloven.kinds.doubts import FEWEST_CANDIDATES, FEWEST_KNOWN, doubts_about
from cloven.kinds.generalised.release import SetGeneralised
from cloven.kinds.generalised.threats import (
    another_release,
    guesses_by_frequency,
    known_person,
    protected_itemsets,
    release_alone,
    word_meanings,
)
from cloven.kinds.generalised.words import PARTS, unchanged_alone
from cloven.kinds.known_items import known_items
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
from cloven.threats import unusable_release

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from cloven.compiled import Floats
    from cloven.data.transactions import Transactions
    from cloven.disclosure.outcome import Measured
    from cloven.disclosure.risk import Risk
    from cloven.kinds.generalised.key import Generalised
    from cloven.kinds.generalised.utility import GeneralisedUtility
    from cloven.statistics.telling import People
    from cloven.statistics.uniqueness import Description
    from cloven.threats import Knowledge, Threat
    from cloven.verification import Verdict


BEYOND = (1, 3)
"""So many items more than is promised are known of a person whose row is looked for."""
MOST_KNOWN = 3
"""Known items above which data are not described: counting who is singled out takes too long."""


@dataclass(frozen=True)
class GeneralisationFamily(OfTransactions):
    """What to do with set-generalised releases. Methods are whatever makes them: COAT, PCTA, Apriori."""

    name: str = "generalisation"

    def describe(self, data: Transactions, method: Any, rng: np.random.Generator) -> Description:
        """Figures of the data."""
        from cloven.statistics.uniqueness import describe

        return describe(data, m=min(method.m, MOST_KNOWN), k=method.k, rng=rng)

    def verify(self, data: Transactions, result: Generalised) -> Verdict:
        """Check the release with all that is known."""
        from cloven.verification import verify

        return verify(result.release, original=data, key=result.key, policy=result.policy)

    def threats(self, method: Any, knowledge: Knowledge) -> tuple[Threat, ...]:
        """Every attacker that there is something to try with."""
        return (
            known_person(_known_items_of(method)),
            *_linking(method),
            release_alone(),
            guesses_by_frequency(),
            *([] if knowledge.relatedness is None else [word_meanings(knowledge.relatedness)]),
            *(_having(other, numbered(number)) for number, other in enumerate(knowledge.releases, 1)),
            being_in_it(_fit),
        )

    def sizes(self, release: SetGeneralised) -> list[int]:
        """Size of every group of equal rows; they stand side by side."""
        rows = [release.row_blocks[a:b].tobytes() for a, b in pairwise(release.row_offsets.tolist())]
        first = [at for at in range(len(rows)) if at == 0 or rows[at] != rows[at - 1]]
        return np.diff([*first, len(rows)]).tolist()  # type: ignore[no-any-return]

    def made(self, published: Mapping[str, int | float]) -> str:
        """What a release is made of, in words."""
        return parts(published, PARTS)

    def doubts(self, data: Transactions, method: Any, result: Generalised) -> tuple[Said, ...]:
        """What speaks against publishing, whatever attackers reach: blocks name all their items, rows are whole."""
        named = doubts_about(data, method.k, method.m, unnamed="leave them out of the file")
        return (*named, *published_as_they_are(data, result))

    def remedies(
        self,
        method: Any,
        risks: tuple[Risk, ...],
        limit: float,
        data: Transactions | None = None,  # noqa: ARG002 - the same is tried whatever the data are
    ) -> dict[str, Any]:
        """Settings that may hold where this one does not: what to type -> the method.

        More records behind every item, or protection against more known items, makes larger blocks, which hide better.
        Where no risk is too large, it is utility that is missing: PCTA often keeps more than COAT.
        """
        out: dict[str, Any] = {}
        if method.k < FEWEST_CANDIDATES:
            out[f"-k {FEWEST_CANDIDATES}"] = replace(method, k=FEWEST_CANDIDATES)
        beyond = any(
            risk.exceeds(limit) or risk.broken or risk.doubt or risk.tails_beyond(MAX_TAIL, limit)
            for risk in risks
        )
        if beyond or method.m < FEWEST_KNOWN:
            out[f"-k {2 * method.k}"] = replace(method, k=2 * method.k)
            policy = getattr(method, "policy", None)
            if policy is None:
                out[f"-m {method.m + 1}"] = replace(method, m=method.m + 1)
            elif policy.all_up_to:
                size = policy.all_up_to + 1
                out[f"-m {size}"] = replace(method, policy=replace(policy, all_up_to=size), m=0)
        return out | _as_pcta(method)

    def read(self, public: Path, private: Path) -> Generalised:
        """Read back what ``write`` wrote."""
        from cloven.errors import ReleaseError
        from cloven.kinds.generalised.key import Generalised
        from cloven.kinds.generalised.private_files import read_key, read_private_policy
        from cloven.storage.release import read_release

        release = read_release(public)
        if not isinstance(release, SetGeneralised):
            message = f"{public}: is no set-generalised release; audit again"
            raise ReleaseError(message)
        return Generalised(release, read_key(private, release), read_private_policy(private))


def published_as_they_are(data: Transactions, result: Generalised) -> tuple[Said, ...]:
    """Of too many people the whole record is published unchanged, in a row that nobody else has: that is no hiding."""
    share = unchanged_alone(data, result)
    if share <= MAX_TAIL:
        return ()
    sentence = (
        f"Of {percent(share)} of the people the whole record is published as it is, in a row like no other; more than"
        f" {percent(MAX_TAIL, 0)} is too much: choose a larger k or m, or a method that splits records up, such as"
        " disassociation."
    )
    return (Said(sentence, "Some records are published as they are."),)


def _having(other: Any, name: str) -> Threat:
    """Somebody who has another release, of whatever kind."""
    return another_release(other, name) if is_of_sets(other) else unusable_release(other, name)


def _fit(release: SetGeneralised, people: People) -> Floats:
    """How well whole records fit a release."""
    from cloven.kinds.generalised.attack.known_person import MembershipGeneralised

    return MembershipGeneralised.of(release).scores(people.whole())


def _known_items_of(method: Any) -> int:
    """How many known items a method protects against; two where only listed itemsets are."""
    policy = getattr(method, "policy", None)
    return int((policy.all_up_to if policy is not None else getattr(method, "m", 2)) or 2)


def _linking(method: Any) -> list[Threat]:
    """Attackers who know items of a person: what is promised, and more, which finds a row that shows all the others."""
    policy = getattr(method, "policy", None)
    size = method.m if policy is None else policy.all_up_to
    listed = [] if policy is None or not policy.protected else [protected_itemsets(policy)]
    promised = [known_items(size, promised=True)] if size else []
    more = (known_items(size + beyond, promised=False, judged_beyond=True) for beyond in BEYOND)
    return [*promised, *listed, *more]


def _as_pcta(method: Any) -> dict[str, Any]:
    """The same policy with PCTA, if the method is COAT."""
    from cloven.kinds.generalised.methods.by_policy import Coat, Pcta

    if not isinstance(method, Coat):
        return {}
    other = Pcta(**{field.name: getattr(method, field.name) for field in fields(method)})
    return {f"pcta:k={method.k},m={method.m}": other}


def measures(found: GeneralisedUtility) -> list[Measured]:
    """All measures of a report, the most telling first."""
    kept, lost = itemsets(found)
    out = [
        *kept,
        plain("items kept", found.items_kept, 1.0, 0.0, "item occurrences that are published as they are"),
        plain("pairs kept", found.pairs_kept, 1.0, 0.0, "pairs of items of a record of which both are"),
        plain("NCP", found.ncp, 0.0, 1.0, "share of all items that a published item stands for, on average"),
        lost,
        plain(
            "tKd certain", found.tkd_certain, 0.0, 1.0, "the same from items that are published as they are"
        ),
    ]
    if found.tkd_ml2 is not None:
        out.append(drawn("tKd-ML2", found.tkd_ml2, 1.0, "the same on all levels of the taxonomy"))
    full = 1 - found.empty_records / max(1, found.records)
    published = 1 - found.suppressed_items / max(1, found.items)
    return [
        *out,
        pair_error(found.re, found.re_pairs),
        plain("re certain", found.re_certain, 0.0, 2.0, "the same from items that are published as they are"),
        # It tells how many were left out, so that it is the owner's.
        plain("records published", full, 1.0, 0.0, "records that are published with an item", "owner"),
        plain("items published", published, 1.0, 0.0, "items that are not suppressed"),
    ]


KIND = GeneralisationFamily
