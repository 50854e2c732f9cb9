"""The worked example of the thesis, section 4.2 to 4.3: Tables 4.2, 4.3 and 4.4."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cloven.kinds.disassociated.release import Disassociated, Kind
from cloven.protocols import Coverage

RECORDS = [
    {"vessel", "blood", "treatment", "lung", "catheterisation"},
    {"cancer", "radiotherapy", "lung", "treatment"},
    {"cancer", "lung", "blood", "tumor", "biopsy"},
    {"cancer", "blood", "treatment", "tumor", "biopsy"},
]
ANCHORS = [
    ("blood", "lung", "treatment"),
    ("cancer", "lung", "treatment"),
    ("blood", "cancer", "lung"),
    ("blood", "cancer", "treatment"),
]
SCORES = {
    "blood": {"tumor": 0.20, "biopsy": 0.27, "vessel": 0.17, "catheterisation": 0.25, "radiotherapy": 0.08},
    "treatment": {
        "tumor": 0.27,
        "biopsy": 0.34,
        "vessel": 0.16,
        "catheterisation": 0.37,
        "radiotherapy": 0.48,
    },
    "lung": {"tumor": 0.48, "biopsy": 0.36, "vessel": 0.18, "catheterisation": 0.36, "radiotherapy": 0.33},
    "cancer": {"tumor": 0.63, "biopsy": 0.44, "vessel": 0.11, "catheterisation": 0.20, "radiotherapy": 0.51},
}


def release(k: int = 2) -> Disassociated:
    """Table 4.3, rows in printed order, so that ties fall as they do in print."""
    names = tuple(sorted(set().union(*RECORDS)))
    code = {name: number for number, name in enumerate(names)}
    rows = [*ANCHORS, ("biopsy", "tumor"), ("biopsy", "tumor"), ("catheterisation", "radiotherapy", "vessel")]
    kinds = [Kind.RECORD] * 6 + [Kind.TERM]
    return Disassociated(
        k=k,
        m=2,
        parameters={},
        vocabulary=names,
        cluster_size=np.array([4]),
        cluster_joint=np.array([-1]),
        joint_parent=np.empty(0, np.int64),
        row_cluster=np.zeros(7, np.int64),
        row_joint=np.full(7, -1),
        row_chunk=np.array([0, 0, 0, 0, 1, 1, 0], np.int32),
        row_kind=np.array(kinds, np.int8),
        row_offsets=np.cumsum([0, *map(len, rows)]),
        row_items=np.array([code[item] for row in rows for item in row], np.int32),
    )


@dataclass(frozen=True)
class Printed:
    """Table 4.4 as a measure of relatedness."""

    name: str = "printed"

    def relate(self, items):
        return _Printed(tuple(items))


@dataclass(frozen=True)
class _Printed:
    items: tuple[str, ...]

    @property
    def coverage(self) -> Coverage:
        return Coverage({"exact": len(self.items)})

    def block(self, left, right):
        def score(a: str, b: str) -> float:
            return SCORES.get(a, {}).get(b, SCORES.get(b, {}).get(a, np.nan))

        return np.array([[score(self.items[i], self.items[j]) for j in right] for i in left])
