"""A disassociated release, opened for looking at: what every view needs is arranged once, and kept with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.disassociated.attack.known_person import KnownPerson
from cloven.kinds.disassociated.attack.named import Guesswork
from cloven.kinds.disassociated.attack.questions import Candidates
from cloven.kinds.disassociated.attack.semantic import Semantic
from cloven.kinds.disassociated.attack.vertical import VerticalPartitioning
from cloven.kinds.disassociated.covers.covers import covers
from cloven.kinds.disassociated.release import Kind, first_of_equal
from cloven.studio.inspection.drawer import Drawer
from cloven.studio.inspection.knowing import OfItems
from cloven.studio.inspection.listing import NotThereError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.compiled import Floats, Longs
    from cloven.kinds.disassociated.covers.covers import Covers
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.protocols import Attack, Relatedness


MOST_PAIRS = 10_000_000
"""Pairs of items that are counted to learn what goes together: as many as for a first look of an audit."""
TRIES = 40
"""Arrangements of a chunk that are tried by whoever knows the method; likewise."""
ATTACKS: Mapping[str, str] = MappingProxyType(
    {
        "release": "the release alone: what goes together in one cluster is expected in the others",
        "method": "the release and how it was cut: records that would have been cut otherwise are ruled out",
        "words": "the release, and how related words are",
    }
)
"""Who puts parts back, by name, and what they know."""


@dataclass(frozen=True, eq=False)
class Opened(OfItems):
    """A release with all that is read off it once.

    Attributes:
        release: what everybody sees.
        relatedness: what words mean, if there is something to try that with.
        drawer: where lies what takes long to find out.
    """

    release: Disassociated
    relatedness: Relatedness | None = None
    drawer: Drawer = field(default_factory=Drawer)

    @cached_property
    def reader(self) -> KnownPerson:
        """Who knows some items of a person, and counts every place where they may stand."""
        return KnownPerson.of(self.release)

    @cached_property
    def candidates(self) -> Candidates:
        """Parts of which the release does not say where they belong, and where they may."""
        return Candidates.of(self.release)

    @cached_property
    def covers(self) -> Covers:
        """Cover problems, by cluster."""
        return covers(self.release)

    @cached_property
    def firsts(self) -> Longs:
        """First of the rows that are equal in one chunk."""
        return first_of_equal(self.release)

    @cached_property
    def shares(self) -> Floats:
        """Share of all records that are expected to hold each item: what is told of anybody at all."""
        _, item, copies = self.reader.copies
        held = np.bincount(item, copies, len(self.release.vocabulary))
        found: Floats = np.minimum(1.0, held / max(1, self.release.records))
        return found

    @cached_property
    def at_root(self) -> tuple[Longs, Longs]:
        """Items of the root, ascending, and how many rows there show each; 0 where that is not told."""
        release = self.release
        rows = np.flatnonzero(release.at_root)
        starts, items = release.items_of(rows)
        told = np.repeat(release.row_kind[rows] != Kind.TERM, np.diff(starts))
        named, place = np.unique(items, return_inverse=True)
        copies = np.bincount(place.ravel(), told, len(named)).astype(np.int64)
        return named.astype(np.int64), copies

    @cached_property
    def _learning(self) -> Attack:
        from cloven.relatedness.learned import Learned

        try:
            return Semantic(
                self.drawer.learned(lambda: Learned.of_release(self.release, most_pairs=MOST_PAIRS))
            )
        except ParameterError:  # nothing goes together more often than by chance
            return Guesswork()

    @property
    def attacks(self) -> dict[str, str]:
        """Attacks that can be tried, and what each knows."""
        return {
            name: words for name, words in ATTACKS.items() if name != "words" or self.relatedness is not None
        }

    def attack(self, name: str) -> Attack:
        """The attack of this name.

        Raises:
            ParameterError: there is none.
        """
        if name not in self.attacks:
            message = f"no attack is called {name!r}; there are {', '.join(self.attacks)}"
            raise ParameterError(message)
        if name == "method":
            return VerticalPartitioning(TRIES)
        if name == "words" and self.relatedness is not None:
            return Semantic(self.relatedness)
        return self._learning

    def rows_of(self, cluster: int) -> range:
        """Published rows of a cluster; those of joints stand behind all of them.

        Raises:
            NotThereError: there is no such cluster.
        """
        if not 0 <= cluster < self.release.clusters:
            message = (
                f"there is no cluster {cluster:,}; this release has {self.release.clusters:,}, from 0 on"
            )
            raise NotThereError(message)
        inside = self.release.row_cluster[: self._inside]
        first, last = np.searchsorted(inside, [cluster, cluster + 1]).tolist()
        return range(first, last)

    def joints_of(self, cluster: int) -> list[int]:
        """Joints above a cluster, innermost first, without the root."""
        found, joint = [], int(self.release.cluster_joint[cluster])
        while joint >= 0 and joint != self.release.root and joint not in found:
            found.append(joint)
            joint = int(self.release.joint_parent[joint])
        return found

    def rows_of_joint(self, joint: int) -> range:
        """Published rows of a joint."""
        first, last = (np.searchsorted(self.release.row_joint[self._inside :], [joint, joint + 1])).tolist()
        return range(self._inside + first, self._inside + last)

    @cached_property
    def _inside(self) -> int:
        return int(np.count_nonzero(self.release.row_cluster >= 0))

    def prepare(self) -> None:
        """Arrange all that views of the release alone need, so that none of them has to wait for it."""
        knowing = (self.shares, self.code_of, self.at_root, self.firsts)
        guessing = (self.candidates, self.covers.everywhere, self.attack("release"))
        del knowing, guessing
        if self.release.vocabulary:
            self.release.places(0)
