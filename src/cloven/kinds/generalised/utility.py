"""How much of the data a set-generalised release keeps: all utility measures in one report.

Certainty penalty and utility loss are those of the papers on generalisation (``generalisation``). Shares kept, tKd and
re are those of disassociation, so that both can be compared: what is kept is what stands as it was, and the rest is
measured on reconstructions (``reconstruction.generalised``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.statistics.intervals import plain_values
from cloven.statistics.yardstick import pairs_of, share

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.compiled import Floats, Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.statistics.intervals import Sampled
    from cloven.statistics.yardstick import Compared, Yardstick


@dataclass(frozen=True)
class GeneralisedUtility:
    """Utility of a set-generalised release; for ncp, log2_utility_loss, tKd and re less is better.

    Attributes:
        records: records of the original.
        empty_records: records that are published without any item.
        items: items of the original.
        suppressed_items: items of the original that are not in the release.
        items_kept: share of item occurrences that are published as they are, as blocks of one item.
        pairs_kept: share of item pairs inside records of which both are.
        ncp: normalised certainty penalty: mean over occurrences of the share of all items that the block stands for.
        log2_utility_loss: utility loss of COAT as a power of two; None if nothing is lost or published.
        density: mean share of original items per generalised item; None if there is none.
        top: how many itemsets tKd compares (fewer than asked for if the original has no more).
        tkd: share of the top itemsets that are lost, on reconstructions.
        tkd_certain: the same, from blocks of one item alone.
        tkd_ml2: the same on all levels of a taxonomy, on reconstructions; None without a taxonomy.
        re: relative error of pair supports, on reconstructions (0 to 2); None if no pair counted.
        re_certain: the same, from blocks of one item alone.
        re_pairs: pairs that counted, on the average reconstruction.
        re_pairs_certain: pairs that counted from blocks of one item alone.
        several: share of the top itemsets of two or more items that are lost, on reconstructions.
        item_counts: share of the counts of frequent items that is kept, on reconstructions; None if there are none.
        pair_counts: the same of frequent pairs.
        rules: the same of the confidence of rules between two items.
        models: share of what models learn above chance that is kept; None if there is nothing to learn.
        reconstructions: number of reconstructions behind each mean.
    """

    records: int
    empty_records: int
    items: int
    suppressed_items: int
    items_kept: float
    pairs_kept: float
    ncp: float
    log2_utility_loss: float | None
    density: float | None
    top: int
    tkd: Sampled
    tkd_certain: float
    tkd_ml2: Sampled | None
    re: Sampled | None
    re_certain: float | None
    re_pairs: float
    re_pairs_certain: int
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
    release: SetGeneralised,
    yardstick: Yardstick,
    compared: Compared,
    suppressed_records: int = 0,
) -> GeneralisedUtility:
    """All measures, given what the reconstructions of the release were compared to; every record has a row."""
    from cloven.kinds.generalised.reconstruction import certain_records

    if suppressed_records or release.records != len(original):
        message = (
            f"the release has {release.records:,} rows, and the data {len(original):,} records; compare a release with"
            " the data that it was made from"
        )
        raise ParameterError(message)
    certain, loss = certain_records(release), log2_utility_loss(release, original)
    sure = yardstick.certain(certain)
    return GeneralisedUtility(
        records=len(original),
        empty_records=int((np.diff(release.row_offsets) == 0).sum()),
        items=len(original.vocabulary),
        suppressed_items=len(set(original.vocabulary).difference(release.vocabulary)),
        items_kept=share(len(certain.codes), len(original.codes)),
        pairs_kept=share(pairs_of(certain.lengths), pairs_of(original.lengths)),
        ncp=ncp(release, original),
        log2_utility_loss=loss if np.isfinite(loss) else None,
        density=density(release, original),
        top=len(yardstick.frequent),
        **compared._asdict(),
        tkd_certain=sure.tkd,
        re_certain=sure.re.mean,
        re_pairs_certain=sure.re.pairs,
        reconstructions=len(compared.tkd.values),
    )


# What set-based generalisation costs: utility loss, normalised certainty penalty, density.
#
# Utility loss is that of COAT (Loukides et al., KAIS 2011): a generalised item of n items could stand for any of 2^n -
# 1 sets. NCP is that of Terrovitis, Mamoulis and Kalnis (PVLDB 1(1), 2008). Density is that of the paper on attacks.


def log2_utility_loss(
    release: SetGeneralised, original: Transactions, weights: Mapping[str, float] | None = None
) -> float:
    """Sum over blocks of ``(2^size - 1) / (2^items - 1)``, times weight, times share of the records that show it.

    A suppressed item costs as much as if it had been generalised to everything: its weight times its share of the
    records. The weight of a block is the mean of its items' weights, 1 where none is given. The loss is told as a power
    of two, since with many items it is too small for a number; minus infinity if nothing is published or lost.

    >>> from cloven.data.transactions import Transactions
    >>> from cloven.kinds.generalised.methods.assembly import assemble
    >>> data = Transactions.from_records([["a", "b"], ["b"], ["c"]])
    >>> release = assemble(data, np.array([0, 0, 1]), k=2, parameters={}).release
    >>> round(2 ** log2_utility_loss(release, data), 4)  # 3/7 * 2/3 + 1/7 * 1/3
    0.3333
    """
    given, items = weights or {}, len(original.vocabulary)
    weight = np.array([given.get(item, 1.0) for item in release.vocabulary])
    sizes = release.block_sizes
    mean_weight = np.add.reduceat(weight[release.block_items], release.block_offsets[:-1]) / sizes
    published = set(release.vocabulary)
    lost = np.array([item not in published for item in original.vocabulary], bool)
    lost_weight = np.array([given.get(item, 1.0) for item in original.vocabulary])[lost]
    shares = np.concatenate((mean_weight * release.supports, lost_weight * original.supports[lost]))
    powers = np.concatenate((_log2_sets(sizes) - _log2_sets(np.array([items])), np.zeros(lost.sum())))
    shown = shares > 0
    if not shown.any():
        return -np.inf
    terms = powers[shown] + np.log2(shares[shown] / len(original))
    largest = terms.max()
    return float(largest + np.log2(np.exp2(terms - largest).sum()))


def ncp(release: SetGeneralised, original: Transactions) -> float:
    """Mean over occurrences of the share of all items that a block stands for; 0 for a block of one item.

    Occurrences of suppressed items count 1, as if they had been generalised to everything.
    """
    sizes = release.block_sizes
    penalty = np.append(np.where(sizes > 1, sizes / max(1, len(original.vocabulary)), 0.0), 1.0)
    found = penalty[_block_of(release, original)[original.codes]]
    return float(found.mean()) if len(found) else 0.0


def density(release: SetGeneralised, original: Transactions) -> float | None:
    """Mean share of original items per generalised item, over all rows that show one; None if there is none.

    What is missing to 1 is the share of added items: the precision of guessing at random that an item was added.
    """
    block = _block_of(release, original)[original.codes]
    record = np.repeat(np.arange(len(original)), original.lengths)
    general = block >= 0
    general[general] = release.block_sizes[block[general]] > 1
    pairs = np.sort(record[general] * max(1, release.blocks) + block[general])
    if len(pairs) == 0:
        return None
    starts = np.flatnonzero(np.concatenate(([True], pairs[1:] != pairs[:-1])))
    held = np.diff(np.append(starts, len(pairs)))
    return float((held / release.block_sizes[pairs[starts] % max(1, release.blocks)]).mean())


def _log2_sets(sizes: Longs) -> Floats:
    """Logarithm of 2^size - 1."""
    return np.asarray(sizes + np.log1p(-np.exp2(-sizes.astype(np.float64))) / np.log(2.0), np.float64)


def _block_of(release: SetGeneralised, original: Transactions) -> Longs:
    """Block of each item of the original; -1 for suppressed ones."""
    block_of = dict(zip(release.vocabulary, release.block_of_item.tolist(), strict=True))
    return np.array([block_of.get(item, -1) for item in original.vocabulary], np.int64)
