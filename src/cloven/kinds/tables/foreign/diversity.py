"""How many rows of a published table look alike, and how different their sensitive values are: k, l and t.

They are found in the texts as published, whoever made them. Distances are those of the paper on t-closeness (Li, Li,
Venkatasubramanian, ICDE 2007): of categories the equal one, of numbers the ordered one; a class is compared with the
whole table. Recursive (c, l)-diversity (Machanavajjhala et al., 2007) holds for every c above the figure told here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Longs


@dataclass(frozen=True)
class Diversity:
    """One sensitive attribute over all classes, at the worst.

    Attributes:
        attribute: its name.
        distinct: different values of a class.
        entropy: the same by entropy: as many equally common values would be as diverse.
        recursive: how many times as common the most common value is as those from rank ``distinct`` on; None where
            some class shows one value alone.
        t: distance of a class from the whole table.
        ordered: whether distances are those of numbers.
        alike: classes that show one value alone, and rows of these classes.
    """

    attribute: str
    distinct: int
    entropy: float
    recursive: float | None
    t: float
    ordered: bool
    alike: tuple[int, int]


def classes_of(columns: NDArray[np.int32]) -> Longs:
    """Number of the class of each row: rows that are equal in all columns have the same.

    >>> classes_of(np.array([[1, 0], [0, 0], [1, 0]], np.int32)).tolist()
    [1, 0, 1]
    """
    number = np.zeros(len(columns), np.int64)
    for column in columns.T:
        width = int(column.max(initial=0)) + 1
        number = np.unique(number * width + column, return_inverse=True)[1].reshape(-1)
    return number


def diversity(attribute: str, class_of_row: Longs, values: NDArray[np.int64], *, ordered: bool) -> Diversity:
    """The figures of one attribute; values are numbered in their order.

    >>> found = diversity("illness", np.array([0, 0, 1, 1]), np.array([0, 1, 0, 0]), ordered=False)
    >>> found.distinct, found.t, found.alike
    (1, 0.25, (1, 2))
    """
    shown, code = np.unique(values, return_inverse=True)
    counts = np.zeros((int(class_of_row.max()) + 1, len(shown)), np.int64)
    np.add.at(counts, (class_of_row, code.reshape(-1)), 1)
    sizes = counts.sum(axis=1)
    shares = counts / sizes[:, None]
    different = (counts > 0).sum(axis=1)
    single = different == 1
    return Diversity(
        attribute,
        int(different.min()),
        float(_effective(shares).min()),
        _recursive(counts, int(different.min())),
        float(_distance(shares, counts.sum(axis=0) / len(values), ordered=ordered).max()),
        ordered,
        (int(single.sum()), int(sizes[single].sum())),
    )


def _effective(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Equally common values that are as diverse as each class."""
    logs = np.log(np.where(shares > 0, shares, 1.0))
    effective: NDArray[np.float64] = np.exp(-(shares * logs).sum(axis=1))
    return effective


def _recursive(counts: NDArray[np.int64], l: int) -> float | None:
    if l < 2:
        return None
    falling = -np.sort(-counts, axis=1)
    return float((falling[:, 0] / falling[:, l - 1 :].sum(axis=1)).max())


def _distance(
    shares: NDArray[np.float64], whole: NDArray[np.float64], *, ordered: bool
) -> NDArray[np.float64]:
    """Earth mover's distance of each class from the whole table."""
    apart = shares - whole
    if not ordered:
        halves: NDArray[np.float64] = np.abs(apart).sum(axis=1) / 2
        return halves
    carried: NDArray[np.float64] = np.abs(np.cumsum(apart, axis=1)).sum(axis=1) / max(1, apart.shape[1] - 1)
    return carried
