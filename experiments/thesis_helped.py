"""What makes the semantic attack better: knowledge, selection, context; and where document counts go wrong.

The setting is that of the quick trial: topic samples of about 210 transactions, k=2, at most 25 records in a cluster.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.disassociated.utility import terms_lost
from cloven.relatedness.combination import BackFilled, Combined
from cloven.relatedness.counts_index import ClosedIndex
from cloven.relatedness.evaluation import by_frequency, read_benchmark
from cloven.relatedness.ngd import CentredDistance, GoogleDistance, MutualInformation
from experiments.public_data import PUBLIC_DATA, PublicData
from experiments.thesis_runs import KS, Setting
from experiments.thesis_table_4_1 import thesis_table_4_1
from experiments.thesis_trial import Remembered, Tried

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.methods.horizontal import SmallClusters
    from cloven.protocols import Relatedness

BENCHMARK = PublicData("wordsim/EN-MEN-TR-3k.txt")
KNOWLEDGE = ("WE", "NGD", "NGD | WE", "NPMI", "NPMI + WE", "centred NGD", "SVD", "SVD + NPMI", "learned")
TRIED = (
    *(Tried("aba", "aba", name) for name in KNOWLEDGE),
    *(Tried("aba", term, "SVD") for term in ("rga", "mra")),
    *(Tried("aba", "aba", name, rule) for name in ("WE", "SVD") for rule in ("one-per-row", "optimal")),
    *(Tried("aba", "aba", name, grow_anchors=True) for name in ("WE", "SVD")),
    Tried("aba", "aba", "SVD", "optimal", grow_anchors=True),
)
HELPED = Setting("helped", 0, "base", attacks=TRIED)
STRATEGIES: tuple[SmallClusters, ...] = ("abandon", "suppress", "add", "remaining")


def with_mixtures(measures: dict[str, Relatedness]) -> dict[str, Relatedness]:
    """Measures, and what can be made of two of them."""
    glove = measures["WE"]
    return measures | {
        "NPMI + WE": Remembered(Combined((measures["NPMI"], glove))),
        "SVD + NPMI": Remembered(Combined((measures["SVD"], measures["NPMI"]))),
        "NGD | WE": Remembered(BackFilled(measures["NGD, gaps open"], glove)),
    }


@dataclass(frozen=True)
class ByFrequency:
    """Errors of one measure on pairs whose rarer word is in so many documents."""

    measure: str
    low: float
    high: float
    pairs: int
    unscored: int
    error: float
    error_half: float
    bias: float
    bias_half: float

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)


def counting_measures(
    own: Sequence[Transactions], words: Sequence[str]
) -> tuple[ClosedIndex, list[Relatedness]]:
    """The three measures that count documents, over all attackers' halves together."""
    index = ClosedIndex.build(
        (document for half in own for document in half), words, source="all three attackers' halves"
    )
    return index, [GoogleDistance(index), MutualInformation(index), CentredDistance(index)]


def errors_by_frequency(folder: Path, own: Sequence[Transactions]) -> list[ByFrequency]:
    """Relatedness error by word frequency, on pairs that people judged."""
    pairs = read_benchmark(BENCHMARK.path(folder))
    words = sorted({word for pair in pairs.pairs for word in pair})
    index, measures = counting_measures(own, words)
    frequency = dict(zip(words, index.count(words).single.tolist(), strict=True))
    return [
        ByFrequency(measure.name, **asdict(one))
        for measure in measures
        for one in by_frequency(measure, pairs, frequency, bins=4)
    ]


def table_4_1(own: Sequence[Transactions], glove: Relatedness) -> tuple[str, list[dict[str, Any]]]:
    """Table 4.1 without its heading, with our measures below the printed ones."""
    from experiments.thesis_table_4_1 import ROWS

    words = sorted({word for row in ROWS for word in row[:2]})
    measures = [glove, *counting_measures(own, words)[1][:2]]
    page, found = thesis_table_4_1(measures, np.random.default_rng(1))
    return page.split("\n", 2)[2], [one.to_dict() for one in found]


def lost_terms(folder: Path) -> list[dict[str, Any]]:
    """Fig. 3.2: tlost of the horizontal strategies, not refined, at most 30 records in a cluster."""
    rows = []
    for name in ("BMS-WebView-1", "BMS-WebView-2"):
        data = PUBLIC_DATA[name].load(folder)
        for strategy in STRATEGIES:
            for k in KS:
                method = Disassociation(
                    k=k, m=2, max_cluster_size=30, small_clusters=strategy, rare_items="cluster", refine=False
                )
                lost = terms_lost(data, method.anonymise(data).release)
                rows.append({"data": name, "strategy": strategy, "k": k, "only": lost.only, "any": lost.any})
    return rows
