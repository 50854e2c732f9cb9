"""Where the parts of a release end (docs/reference/release-format.md): a function of what is published alone.

Clusters are taken in their order, and a part ends as soon as it has as many as a part shall have. Where joints lie
below the root, a tree of joints is never divided: its clusters are taken together, where the first of them stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.storage.manifest import expect
from cloven.storage.parquet import whole_numbers

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from cloven.compiled import Longs


def tops_of(parent: Longs, root: int, place: Path) -> Longs:
    """The outermost joint above each joint; the root stands above none, and -1 for itself."""
    above = np.where(parent == root, -1, parent) if root >= 0 else parent
    top = np.where(above < 0, np.arange(len(parent)), above)
    for _ in range(len(parent).bit_length()):
        top = top[top]
    expect(bool((above[top] < 0).all()), str(place), "parents of joints", "without a cycle", "one")
    return np.where(top == root, -1, top)


@dataclass(frozen=True)
class Divided:
    """The parts of clusters and chunks as they lie in a folder.

    Attributes:
        folder: where.
        clusters: the parts of the clusters.
        chunks: as many parts of the chunks, then those of the root.
        tops: the outermost joint above each joint, -1 for the root.
    """

    folder: Path
    clusters: list[pa.Table]
    chunks: list[pa.Table]
    tops: Longs

    def whole(self) -> tuple[pa.Table, pa.Table]:
        """The tables that these are parts of; parts that end elsewhere are refused."""
        import pyarrow as pa

        many = len(self.clusters)
        self._expect(len(self.chunks) >= many, "parts of chunks", f"{many} or more", len(self.chunks))
        shortest = min(map(len, self.clusters))
        self._expect(shortest > 0, "clusters of a part", "one or more", shortest)
        clusters, chunks = pa.concat_tables(self.clusters), pa.concat_tables(self.chunks)
        number = whole_numbers(clusters, "cluster", self.folder / "clusters-0.parquet")
        whole = np.array_equal(np.sort(number), np.arange(len(number)))
        self._expect(
            whole, "clusters of all parts", f"0 to {len(number) - 1}, each in one part", number[:10].tolist()
        )
        part = np.empty(len(number), np.int64)
        part[number] = np.repeat(np.arange(many), [len(each) for each in self.clusters])
        tree = self._trees(clusters)[np.argsort(number)]
        self._check_clusters(number, tree)
        cluster, joint = self._check_rows(chunks, part, tree)
        rows = np.lexsort((joint, np.where(cluster < 0, len(number), cluster)))
        return clusters.take(np.argsort(number)), chunks.take(rows)

    def _trees(self, table: pa.Table) -> Longs:
        """The tree of each row: its outermost joint, -1 for none."""
        place = self.folder / "clusters-0.parquet"
        return np.append(self.tops, -1)[whole_numbers(table, "joint", place, below=len(self.tops), null=True)]

    def _check_clusters(self, number: Longs, tree: Longs) -> None:
        """Trees lie whole in a part, where their first clusters say, and parts are as long as trees let them be."""
        every, sizes = np.arange(len(number)), [len(each) for each in self.clusters]
        first = np.full(len(self.tops) + 1, len(number))
        np.minimum.at(first, tree, every)
        head = np.where(tree < 0, every, first[tree])
        order = np.lexsort((every, head))
        stands, wanted = np.repeat(np.arange(len(sizes)), sizes), np.empty(len(number), np.int64)
        wanted[order] = stands
        ascending = (np.diff(number) > 0) | (np.diff(stands) > 0)
        sound = bool((wanted[number] == stands).all() and ascending.all())
        self._expect(sound, "clusters of parts", "whole trees, ascending", number[:10].tolist())
        ends = np.cumsum(sizes)
        last = np.bincount(head, minlength=len(number))[head[order[ends - 1]]]
        divided = head[order[ends[:-1] - 1]] == head[order[ends[:-1]]]
        even = not divided.any() and (sizes[1:] == [] or max(sizes - last) < min(sizes[:-1]))
        wanted_sizes = "equally long, as far as trees let them, but the last"
        self._expect(bool(even), "parts of clusters", wanted_sizes, sizes[:10])

    def _check_rows(self, chunks: pa.Table, part: Longs, tree: Longs) -> tuple[Longs, Longs]:
        """Each part has the rows of its clusters and trees; those of the root follow in parts of their own."""
        place, many = self.folder / "chunks-0.parquet", len(self.clusters)
        cluster = whole_numbers(chunks, "cluster", place, below=len(part), null=True)
        joint = whole_numbers(chunks, "joint", place, below=len(self.tops), null=True)
        home = np.full(len(self.tops) + 1, many)
        home[tree] = part
        home[-1] = many
        belongs = np.where(cluster < 0, home[np.append(self.tops, -1)[joint]], part[cluster])
        sizes = [len(each) for each in self.chunks]
        stands = np.minimum(np.repeat(np.arange(len(sizes)), sizes), many)
        strange = chunks.filter(belongs != stands).slice(0, 1).to_pylist()
        self._expect(not strange, "rows of a part", "of its clusters, or of the root behind them", strange)
        by_number = np.lexsort((joint, np.where(cluster < 0, len(part), cluster), stands))
        ordered = np.array_equal(by_number, np.arange(len(by_number)))
        self._expect(
            ordered, "rows of a part", "by cluster, those of joints behind them", by_number[:10].tolist()
        )
        root = sizes[many:]
        even = not root or (len(set(root[:-1])) <= 1 and 0 < root[-1] <= root[0])
        self._expect(even, "parts of the root", "equally long, only the last one shorter", root[:10])
        return cluster, joint

    def _expect(self, holds: bool, what: str, wanted: str, found: object) -> None:
        expect(holds, str(self.folder), what, wanted, found)
