"""How much of the data a release keeps: all utility measures of disassociated ones in one report.

tlost, tKd, tKd-ML2 and re follow Terrovitis et al., PVLDB 2012, section 7; each measure has a file of its
own. Supports of the original are always counted on the original data given. Measures of a reconstruction
vary with the reconstruction: they come with a 95 % interval for the mean. The chunk-only variants use what
is certain, and do not vary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.kinds.disassociated.release import Kind
from cloven.statistics.intervals import plain_values
from cloven.statistics.yardstick import pairs_of, share

if TYPE_CHECKING:
    from cloven.compiled import Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.statistics.intervals import Sampled
    from cloven.statistics.yardstick import Compared, Yardstick


@dataclass(frozen=True)
class UtilityReport:
    """Utility of a disassociated release; for tlost, tKd and re 0 is best.

    Attributes:
        records: records of the original.
        suppressed_records: records of the original that are not in the release.
        suppressed_share: the same as a share of the records.
        items_kept: share of item occurrences inside record or shared chunks.
        pairs_kept: share of item pairs inside records that stay inside one chunk.
        tlost_only: share of items with support >= k that are found only in term chunks.
        tlost_any: share of items with support >= k that are in some term chunk.
        top: how many itemsets tKd compares (fewer than asked for if the original has no more).
        tkd: share of the top itemsets that are lost, on reconstructions.
        tkd_chunks: the same, from the chunks alone.
        tkd_ml2: the same on all levels of a taxonomy, on reconstructions; None without a taxonomy.
        re: relative error of pair supports, on reconstructions (0 to 2); None if no pair counted.
        re_chunks: the same, from the chunks alone.
        re_pairs: pairs that counted, on the average reconstruction.
        re_pairs_chunks: pairs that counted from the chunks alone.
        several: share of the top itemsets of two or more items that are lost, on reconstructions.
        item_counts: share of the counts of frequent items that is kept, on reconstructions; None if there are none.
        pair_counts: the same of frequent pairs.
        rules: the same of the confidence of rules between two items.
        models: share of what models learn above chance that is kept; None if there is nothing to learn.
        reconstructions: number of reconstructions behind each mean.
    """

    records: int
    suppressed_records: int
    suppressed_share: float
    items_kept: float
    pairs_kept: float
    tlost_only: float
    tlost_any: float
    top: int
    tkd: Sampled
    tkd_chunks: float
    tkd_ml2: Sampled | None
    re: Sampled | None
    re_chunks: float | None
    re_pairs: float
    re_pairs_chunks: int
    several: Sampled
    item_counts: Sampled | None
    pair_counts: Sampled | None
    rules: Sampled | None
    models: Sampled | None
    reconstructions: int

    def to_dict(self) -> dict[str, object]:
        """Plain values for JSON."""
        return plain_values(self)


def measured(
    original: Transactions,
    release: Disassociated,
    yardstick: Yardstick,
    compared: Compared,
    suppressed_records: int = 0,
) -> UtilityReport:
    """All measures, given what the reconstructions of the release were compared to."""
    from cloven.kinds.disassociated.evidence import chunk_records

    certain = yardstick.certain(chunk_records(release))
    lost = terms_lost(original, release)
    return UtilityReport(
        records=len(original),
        suppressed_records=suppressed_records,
        suppressed_share=suppressed_records / len(original) if len(original) else 0.0,
        items_kept=items_kept(original, release),
        pairs_kept=pairs_kept(original, release),
        tlost_only=lost.only,
        tlost_any=lost.any,
        top=len(yardstick.frequent),
        **compared._asdict(),
        tkd_chunks=certain.tkd,
        re_chunks=certain.re.mean,
        re_pairs_chunks=certain.re.pairs,
        reconstructions=len(compared.tkd.values),
    )


# tlost: frequent items that a release names without counting (Terrovitis et al., PVLDB 2012, section 7).


class TermsLost(NamedTuple):
    """Shares of the items with support of at least ``k`` in the original.

    Attributes:
        only: in no record chunk and no shared chunk, so found only in term chunks (or suppressed everywhere).
        any: in the term chunk of at least one cluster (or suppressed everywhere).
        frequent: number of items with support of at least ``k``.
    """

    only: float
    any: float
    frequent: int


def terms_lost(original: Transactions, release: Disassociated) -> TermsLost:
    """Both readings of tlost.

    The paper counts items that are found only in term chunks; later work also reads it as items found in any
    term chunk. An item that was suppressed altogether is lost in both, so that suppressing never looks like
    a gain.
    """
    frequent = [
        name
        for name, support in zip(original.vocabulary, original.supports.tolist(), strict=True)
        if support >= release.k
    ]
    if not frequent:
        return TermsLost(0.0, 0.0, 0)
    in_term = np.repeat(release.row_kind == Kind.TERM, np.diff(release.row_offsets))
    names = release.vocabulary
    counted = {names[code] for code in np.unique(release.row_items[~in_term]).tolist()}
    hidden = {names[code] for code in np.unique(release.row_items[in_term]).tolist()}
    only = sum(name not in counted for name in frequent)
    some = sum(name in hidden or name not in counted for name in frequent)
    return TermsLost(only / len(frequent), some / len(frequent), len(frequent))


def items_kept(original: Transactions, release: Disassociated) -> float:
    """Share of the item occurrences of the original that are counted in record or shared chunks."""
    return share(int(_chunk_lengths(release).sum()), len(original.codes))


def pairs_kept(original: Transactions, release: Disassociated) -> float:
    """Share of the item pairs inside records of the original that stay inside one chunk.

    1.0 if no record of the original has two items: there was nothing to tear apart.
    """
    return share(pairs_of(_chunk_lengths(release)), pairs_of(original.lengths))


def _chunk_lengths(release: Disassociated) -> Longs:
    lengths: Longs = np.diff(release.row_offsets)[release.row_kind != Kind.TERM]
    return lengths
