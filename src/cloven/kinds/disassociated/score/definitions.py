"""Every measure in one sentence. Documentation, command line and reports quote these."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.kinds.disassociated.release import Kind
from cloven.statistics.findings import Definition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.compiled import Longs
    from cloven.kinds.disassociated.guesses import Questions
    from cloven.kinds.disassociated.release import Disassociated


SCOPES: Mapping[str, tuple[Kind, ...]] = {
    "all": (Kind.RECORD, Kind.SHARED, Kind.TERM),
    "record": (Kind.RECORD,),
    "shared": (Kind.SHARED,),
    "term": (Kind.TERM,),
}
GROUPS = ("ranking", "precision")


MEASURES: Mapping[str, Definition] = {
    "hit": Definition("ranking", "share of the slots that hold a target among as many best guesses for it"),
    "top_1": Definition("ranking", "probability that the best guess for a target is right"),
    "auc": Definition(
        "ranking", "link AUC: probability that a slot that holds a target outranks one that does not"
    ),
    "brier": Definition(
        "ranking", "mean squared distance between confidence and truth", higher_is_worse=False
    ),
    "precision": Definition("precision", "share of the items put on transactions that belong there"),
}


# What counts as one observation: answers inside one cluster go together, and so do those about one joint.
#
# One sub-record that is put on the wrong slot takes the place of another of its chunk. Record and term chunks lie in
# one cluster, so a cluster is one unit; the targets of shared chunks are put on slots of all clusters below their
# joint, so a joint is one unit for them. Clusters that are joined are still units of their own: what ties them are a
# few answers about shared chunks, which are in another unit. On data drawn again and again from the same source,
# intervals over these units held the mean in 86 to 99 of 100 cases, depending on the measure
# (``tests/unit/scoring/test_units.py`` looks at hits); all that is joined as one unit would leave a single observation
# in most releases.


class Units(NamedTuple):
    """Unit of each slot and of each target, numbered from 0 to ``total - 1``."""

    of_slot: Longs
    of_target: Longs
    total: int


def units(questions: Questions, release: Disassociated) -> Units:
    """Number the units of a release: its clusters, then its joints."""
    shared = questions.target_kind == Kind.SHARED
    of_target = np.where(
        shared, release.clusters + release.row_joint[questions.target_row], questions.target_cluster
    )
    of_slot = np.repeat(np.arange(release.clusters), release.cluster_size)
    return Units(of_slot, of_target.astype(np.int64), release.clusters + len(release.joint_parent))
