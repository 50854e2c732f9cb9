"""How much of the data a set-generalised release keeps: all utility measures in one report.

Certainty penalty and utility loss are those of the papers on generalisation (``generalisation``). Shares kept, tKd and
re are those of disassociation, so that both can be compared: what is kept is what stands as it was, and the rest is
measured on reconstructions (``reconstruction.generalised``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.measure.generalisation import density, log2_utility_loss, ncp
from cloven.measure.kept import pairs_of, share
from cloven.measure.sampled import plain_values

if TYPE_CHECKING:
    from cloven.measure.sampled import Sampled
    from cloven.measure.yardstick import Compared, Yardstick
    from cloven.model.set_generalised import SetGeneralised
    from cloven.model.transactions import Transactions


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
    reconstructions: int

    def to_dict(self) -> dict[str, object]:
        """Plain values for JSON."""
        return plain_values(self)


def measured(
    original: Transactions, release: SetGeneralised, yardstick: Yardstick, compared: Compared
) -> GeneralisedUtility:
    """All measures, given what the reconstructions of the release were compared to."""
    from cloven.reconstruction.generalised import certain_records

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
