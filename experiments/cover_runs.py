"""Runs behind ``cloven reproduce cover``: covers against cluster size for three attackers, and the price of repair."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.disassociated.covers.breaches import Moderate, WeakWords, breaches, simulate
from cloven.kinds.disassociated.covers.covers import covers
from cloven.kinds.disassociated.covers.proof import prove
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.transactions import utility
from cloven.verification import verify
from experiments.runs import SEED

if TYPE_CHECKING:
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.key import Anonymised

K, M = 3, 2
SIZES = (5, 10, 15, 20, 25, 30, 40, 50, 75, 100)
REPAIRED_SIZES = (10, 25, 100)


@dataclass(frozen=True)
class Size:
    """What covers give away at one maximum cluster size.

    Attributes:
        data: name of the data.
        size: maximum cluster size.
        strong: the counts of ``Breach`` for somebody who knows every pair.
        moderate: score of Algorithm 1, mean and interval over draws.
        weak: the same.
        seconds: time of the detection, and of one draw of the moderate and the weak attacker.
    """

    data: str
    size: int
    strong: dict[str, int | None]
    moderate: dict[str, float | None]
    weak: dict[str, float | None]
    seconds: tuple[float, float, float]


def at_size(name: str, data: Transactions, size: int, words: tuple[str, ...], draws: int) -> Size:
    """Anonymise without REFINE, as the paper does, find covers, and let the attackers draw."""
    release = (
        Disassociation(k=K, m=M, max_cluster_size=size, rare_items="cluster", refine=False)
        .anonymise(data)
        .release
    )
    covers(release)  # compiled, and warm
    start = perf_counter()
    found = covers(release)
    detection = perf_counter() - start
    rng = np.random.default_rng(SEED)
    results, seconds = [], [detection]
    for attacker in (Moderate(0.1), WeakWords(words, words=min(10, len(words)))):
        start = perf_counter()
        results.append(simulate(found, attacker, data, rng, draws)["score"])
        seconds.append((perf_counter() - start) / draws)
    moderate, weak = ({"mean": r.mean, "low": r.low, "high": r.high} for r in results)
    return Size(name, size, breaches(found).to_dict(), moderate, weak, (seconds[0], seconds[1], seconds[2]))


def repaired(
    name: str, data: Transactions, size: int, reconstructions: int, limit: int
) -> list[dict[str, Any]]:
    """Before and after repair: covers, broken pairs by exact worlds, what was suppressed, and utility."""
    rows = []
    for safe in ("no", "cover", "exact"):
        method = Disassociation(
            k=K, m=M, max_cluster_size=size, rare_items="cluster", refine=True, safe=safe, seed=SEED
        )
        start = perf_counter()
        made = method.anonymise(data)
        seconds = perf_counter() - start
        verify(made.release, original=data, key=made.key, allow_seeded=True).raise_if_broken()
        measured = utility(
            data, made.release, rng=np.random.default_rng(SEED), reconstructions=reconstructions
        ).to_dict()
        rows.append(
            {
                "data": name, "size": size, "safe": safe, "seconds": seconds,
                "suppressed": sum(map(len, made.key.suppressed_items)), "occurrences": int(data.lengths.sum()),
                **_left(made, limit),
                **{key: measured[key] for key in ("items_kept", "pairs_kept", "tlost_only", "tkd", "re")},
            }
        )  # fmt: skip
    return rows


def _left(made: Anonymised, limit: int) -> dict[str, Any]:
    """Covers and broken pairs, as a reader would look for them who takes the release for an unrepaired one."""
    plain = {
        name: value for name, value in made.release.parameters.items() if name not in ("safe", "supports")
    }
    release = replace(made.release, parameters=plain)
    proof = prove(release, rng=np.random.default_rng(SEED), limit=limit)
    return {
        "covers": len(covers(release)),
        "broken_pairs": proof.total("broken"),
        "enumerated": proof.exact,
        "several": release.clusters - proof.alone,
    }
