"""Hybrid: a random sample, coarse cells, and noise on the counts of sensitive values.

After Li, Baig, Sattar, Ding, Liu et al. (Information Sciences 367-368, 2016), as far as its description goes (BinJubier
et al. 2022, section 2): rows are sampled, the sample is generalised by Mondrian, and Laplace noise is added to the
count of every sensitive value in each class. The rate of the sample is not told.

What this promises is k rows that look alike, some of them invented. It is not differentially private: the classes are
cut by the data, and only counts are noisy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from cloven.data.given import expect_table
from cloven.errors import ParameterError
from cloven.kinds.tables.methods.assembly import check_complete, generalised
from cloven.kinds.tables.methods.lots import LEAST_EPS, Drawing, noise_scale
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.methods.parameters import (
    check_choice,
    check_k,
    check_seed,
    check_share,
    check_within,
    one_sensitive,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.data.table import Table
    from cloven.kinds.tables.key import PublishedTable

_FINE = 1 << 53


@dataclass(frozen=True)
class Hybrid:
    """Sample, generalise, add noise.

    Attributes:
        k: rows of a class, at least, before and after the noise; classes that fall below are not published.
        eps: budget of the noise: its scale is 1/eps.
        rate: each row is taken with this probability.
        noise_on: counts that get noise: those of ``all`` sensitive values in every class, so that a value that is not
            there may appear, or only those of values ``present``.
        seed: for the lots; experiments only, and marks the release.
    """

    k: int = 6
    eps: float = 0.3
    rate: float = 0.8
    noise_on: Literal["all", "present"] = "all"
    seed: int | None = None
    family: ClassVar[str] = "tables"

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", check_k(self.k))
        check_within("eps", self.eps, LEAST_EPS, 100, "noise has the scale 1/eps")
        check_share("rate", self.rate, 1, "share of the rows that is sampled")
        check_choice("noise_on", self.noise_on, ("all", "present"))
        check_seed(self.seed)

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters as plain JSON values."""
        return {
            "method": "hybrid",
            "seeded": self.seed is not None,
            "eps": self.eps,
            "sampling_rate": self.rate,
            "noise_on": self.noise_on,
            "invented_rows": True,
            "constraints": [],
        }

    def anonymise(self, table: Table, progress: Callable[[str, float], None] | None = None) -> PublishedTable:
        """Anonymise; ``progress(step, share done)`` is called along the way."""
        expect_table(table, type(self).__name__)
        report = progress or (lambda _step, _share: None)
        check_complete(table)
        place = one_sensitive(table, "hybrid")
        drawing = Drawing.of(self.seed)
        report("sample", 0.0)
        sample = sampled_rows(table, {"rate": self.rate}, self.k, drawing)
        report("cut", 0.0)
        classes = np.full(len(table), -1, np.int64)
        classes[sample] = Mondrian(k=self.k).classes(table.take(sample))
        report("noise", 0.0)
        classes, added, class_of_added = self._noisy(table, classes, place, drawing)
        report("assemble", 0.0)
        every = np.concatenate([classes, class_of_added])
        result = generalised(with_rows(table, added), every, k=self.k, parameters=self.parameters)
        report("assemble", 1.0)
        return result

    def _noisy(
        self, table: Table, classes: Longs, place: int, drawing: Drawing
    ) -> tuple[Longs, NDArray[np.int32], Longs]:
        """Classes without the rows that noise takes away; rows that it adds; their classes.

        An added row has the quasi-identifiers of a random member, so the cells of the class become no wider.
        """
        width, number = len(table.attributes[place]), int(classes.max()) + 1
        kept = np.flatnonzero(classes >= 0)
        key = classes[kept] * width + table.codes[kept, place]
        counts = np.bincount(key, minlength=number * width)
        touched = np.flatnonzero(counts) if self.noise_on == "present" else np.arange(len(counts))
        noisy = counts.copy()
        noisy[touched] += drawing.noise(len(touched), noise_scale(1, self.eps))
        noisy = np.maximum(0, noisy)
        sizes = noisy.reshape(number, width).sum(axis=1)
        noisy = np.where(np.repeat(sizes, width) >= self.k, noisy, 0)
        out = classes.copy()
        out[kept[_surplus(key, noisy, drawing)]] = -1
        more = np.maximum(0, noisy - counts)
        slot = np.repeat(np.arange(len(more)), more)
        added = table.codes[_members(kept, classes[kept], slot // width, drawing)]
        added[:, place] = slot % width
        return out, added, slot // width


def sampled_rows(table: Table, rate: dict[str, float], k: int, drawing: Drawing) -> Longs:
    """Rows of a random sample, each taken with a probability, which is given by its name.

    Raises:
        ParameterError: there are fewer than k.
    """
    ((name, share),) = rate.items()
    sample = np.flatnonzero(drawing.below(_FINE, len(table)) < round(share * _FINE))
    if len(sample) < k:
        message = (
            f"a sample of {len(sample):,} rows cannot keep k = {k}; choose a higher {name} or a smaller k"
        )
        raise ParameterError(message)
    return sample


def _surplus(key: Longs, allowed: Longs, drawing: Drawing) -> Longs:
    """Positions of the rows that exceed how many are allowed of their kind; chosen at random."""
    order = drawing.order(len(key))
    by_kind = order[np.argsort(key[order], kind="stable")]
    kinds = key[by_kind]
    starts = np.flatnonzero(np.concatenate(([True], kinds[1:] != kinds[:-1])))
    rank = np.arange(len(kinds)) - np.repeat(starts, np.diff(np.append(starts, len(kinds))))
    surplus: Longs = by_kind[rank >= allowed[kinds]]
    return surplus


def _members(rows: Longs, classes: Longs, wanted: Longs, drawing: Drawing) -> Longs:
    """A random row of each wanted class."""
    order = np.argsort(classes, kind="stable")
    starts = np.searchsorted(classes[order], wanted, "left")
    sizes = np.searchsorted(classes[order], wanted, "right") - starts
    # Remainders of 62 bits: that small ones are a little likelier is beyond measure.
    picked = drawing.below(1 << 62, len(sizes)) % np.maximum(1, sizes)
    found: Longs = rows[order[starts + picked]]
    return found


# Rows that belong to nobody: added to a table so that real ones do not stand out.
#
# They are rows of a table like any other, but their source is -1, which is what the key then says of them.


NOBODY = -1


def with_rows(table: Table, codes: NDArray[np.int32]) -> Table:
    """The table with more rows at its end; nobody is behind them."""
    nobody = np.full(len(codes), NOBODY, np.int64)
    width = table.codes.shape[1]
    return replace(
        table,
        codes=np.vstack([table.codes, codes.reshape(-1, width)]).astype(np.int32),
        source_rows=np.concatenate([table.source_rows, nobody]),
        persons=None,
    )
