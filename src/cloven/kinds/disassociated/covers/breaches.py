"""How much covers give away to somebody with background knowledge (Barakat et al. 2016, Algorithm 1, and plain counts).

The algorithm is read as its text means it: for each cluster the largest number, over items, of earlier chunks with a
cover that the attacker knows a pair of; these are added up. Its printed steps differ: the earlier chunk is set once for
all items of a chunk, so that only the first is tested, and the maximum is never reset, so that it is added again for
every later cluster. That, and a count by chunk instead of by item, are given beside it. None of them counts records.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cloven.data.arrays import distinct, offsets_of, positions
from cloven.errors import ParameterError
from cloven.kinds.disassociated.covers.knowledge import Knowledge, codes_of
from cloven.statistics.intervals import Sampled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.random import Generator

    from cloven.compiled import Flags, Floats, Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.covers.covers import Covers
    from cloven.kinds.disassociated.covers.knowledge import Attacker
    from cloven.kinds.disassociated.release import Disassociated


@dataclass(frozen=True)
class Breach:
    """What an attacker learns from the covers of a release.

    Attributes:
        score: Algorithm 1, corrected: the best item of each cluster.
        score_by_chunk: the same with the best chunk of each cluster.
        score_as_printed: the steps as they are printed.
        covers: covers of which the attacker knows a pair.
        single: those with one item in I.
        pairs: leaked pairs that the attacker knows, one for each cluster.
        different_pairs: the same without regard to clusters.
        everywhere: those that no other cluster gives enough candidates for.
        clusters: clusters touched.
        records: records of these clusters.
        holders: original records that hold such a pair; None if the original is not at hand.
    """

    score: int
    score_by_chunk: int
    score_as_printed: int
    covers: int
    single: int
    pairs: int
    different_pairs: int
    everywhere: int
    clusters: int
    records: int
    holders: int | None = None

    def to_dict(self) -> dict[str, int | None]:
        """Plain values for JSON."""
        return asdict(self)


def breaches(covers: Covers, knowledge: Knowledge | None = None, holders: Holders | None = None) -> Breach:
    """Count what covers give away; without ``knowledge``, to somebody who knows every pair.

    >>> import cloven as cv
    >>> from cloven.kinds.disassociated.covers.covers import covers
    >>> data = cv.Transactions.from_records([["a", "b", "c"], ["a", "b", "c", "e"], ["a", "e"], ["b"]])
    >>> found = breaches(covers(cv.Disassociation(k=2, m=2, refine=False).anonymise(data).release))
    >>> found.score, found.pairs, found.everywhere, found.records
    (1, 1, 1, 4)
    """
    release, width = covers.release, len(covers.release.vocabulary)
    if knowledge is None:  # one that is empty is false too, and knows nothing
        knowledge = Knowledge.all(width)
    number, covered = covers.leaks
    item = covers.item[number]
    known = knowledge.knows(item, covered)
    entry = np.zeros(len(covers), bool)
    entry[number[known]] = True
    touched = distinct(covers.cluster[entry])
    keys = (np.minimum(item, covered) * width + np.maximum(item, covered))[known]
    return Breach(
        *_scores(covers, entry),
        covers=int(entry.sum()),
        single=int((entry & covers.single).sum()),
        pairs=int(known.sum()),
        different_pairs=len(np.unique(keys)),
        everywhere=len(np.unique(keys[covers.everywhere[known]])),
        clusters=len(touched),
        records=int(release.cluster_size[touched].sum()),
        holders=None if holders is None else holders.count(known),
    )


def _scores(covers: Covers, entry: Flags) -> tuple[int, int, int]:
    """Algorithm 1: by item, by chunk, as printed."""
    clusters = covers.release.clusters
    cluster, item = covers.cluster[entry], covers.item[entry]
    listed = covers.chunk_items
    chunk = listed.find(cluster, covers.chunk[entry])
    first = listed.item[listed.start[chunk]] == item
    best = _best(cluster, item, clusters)
    # The maximum that is never reset is the running one.
    printed = np.maximum.accumulate(_best(cluster[first], chunk[first], clusters))
    return int(best.sum()), int(_best(cluster, chunk, clusters).sum()), int(printed.sum())


def _best(cluster: Longs, part: Longs, clusters: int) -> Longs:
    """Most entries that one part (item or chunk) of each cluster has."""
    most = np.zeros(clusters, np.int64)
    if len(cluster):
        wide = int(part.max()) + 1
        keys, counts = np.unique(cluster * wide + part, return_counts=True)
        np.maximum.at(most, keys // wide, counts)
    return most


# The original records that hold a leaked pair: the owner's own view of how many persons a cover is about.


@dataclass(frozen=True, eq=False)
class Holders:
    """Who holds which leaked pair.

    Attributes:
        leak: a leak (position in ``Covers.leaks``).
        record: a record that holds both its items.
    """

    leak: Longs
    record: Longs

    def count(self, known: Flags) -> int:
        """Number of records that hold a pair among these leaks."""
        return len(np.unique(self.record[known[self.leak]]))


def holders(covers: Covers, original: Transactions, record_cluster: Longs | None = None) -> Holders:
    """Look the leaked pairs up in the original.

    With ``record_cluster``, the cluster of each record (-1 for none; the key knows it), only records of the cluster
    that leaks are counted; without it every record that holds the pair, in whichever cluster.
    """
    number, covered = covers.leaks
    names, code = covers.release.vocabulary, original.code_of()
    to_original = np.fromiter((code.get(name, -1) for name in names), np.int64, len(names))
    first, second = to_original[covers.item[number]], to_original[covered]
    leak = np.flatnonzero((first >= 0) & (second >= 0))
    support = np.append(original.supports, 0)
    swap = support[first[leak]] > support[second[leak]]
    rare = np.where(swap, second[leak], first[leak])
    other = np.where(swap, first[leak], second[leak])
    width = max(1, len(original.vocabulary))
    row = np.repeat(np.arange(len(original)), original.lengths)
    posting = np.argsort(original.codes, kind="stable")
    start = np.cumsum(support[:-1]) - support[:-1]
    many = support[rare]
    entry = np.repeat(np.arange(len(leak)), many)
    record = row[posting[positions(start[rare], many)]]
    occurrences = row * width + original.codes
    wanted = record * width + other[entry]
    place = np.minimum(np.searchsorted(occurrences, wanted), len(occurrences) - 1)
    holds = occurrences[place] == wanted
    if record_cluster is not None:
        holds &= record_cluster[record] == covers.cluster[number[leak[entry]]]
    return Holders(leak[entry[holds]], record[holds])


# Attackers of different strength (Barakat et al. 2016, section 6), for any m.
#
# *Strong*: knows what matters, so every cover counts. *Moderate*: knows m random items of each record of a random part
# of the data. *Weak*: knows random items and random words of a dictionary, or what is frequent in a public data set.


@dataclass(frozen=True)
class Strong:
    """Knows every pair that a cover is about."""

    name: ClassVar[str] = "strong"
    random: ClassVar[bool] = False

    def draw(self, release: Disassociated, original: Transactions | None, rng: Generator) -> Knowledge:
        """Every pair."""
        del original, rng
        return Knowledge.all(len(release.vocabulary))


@dataclass(frozen=True)
class Moderate:
    """Knows up to m random items of each of some records; records and items are drawn anew each time.

    Attributes:
        share: part of the records of which something is known. The paper does not tell its own.
    """

    share: float = 0.1
    name: ClassVar[str] = "moderate"
    random: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            message = f"share of known records must be above 0 and at most 1 (got {self.share})"
            raise ParameterError(message)

    def draw(self, release: Disassociated, original: Transactions | None, rng: Generator) -> Knowledge:
        """One itemset of each known record: m of its items, or all if it has fewer."""
        if original is None:
            message = "a moderate attacker knows parts of records: give original, the data behind the release"
            raise ParameterError(message)
        records = rng.choice(len(original), max(1, round(self.share * len(original))), replace=False)
        length = original.lengths[records]
        start = np.cumsum(length) - length
        row = np.repeat(np.arange(len(records)), length)
        place = positions(original.offsets[records], length)
        shuffled = np.lexsort((rng.random(len(row)), row))
        kept = shuffled[np.arange(len(row)) - np.repeat(start, length) < release.m]
        codes = codes_of(release, original.vocabulary)[original.codes[place[kept]]]
        offsets = offsets_of(np.minimum(length, release.m))
        return Knowledge.of_itemsets(offsets, codes, len(release.vocabulary))


@dataclass(frozen=True)
class WeakWords:
    """Knows some random items of the data and some random words: all pairs of them.

    A word that is the name of an item, letter by letter, counts as that item; other words match nothing.

    Attributes:
        dictionary: the words to draw from, such as the lemmas of WordNet; repeats do not count.
        items: how many items.
        words: how many words.
    """

    dictionary: Sequence[str] = field(repr=False)
    items: int = 10
    words: int = 10
    name: ClassVar[str] = "weak (words)"
    random: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "dictionary", tuple(dict.fromkeys(self.dictionary)))
        if not 0 <= self.words <= len(self.dictionary) or self.items < 0:
            message = (
                f"a weak attacker needs {self.items} items and {self.words} words of a dictionary"
                f" (got {len(self.dictionary)} words); give a longer dictionary or ask for fewer"
            )
            raise ParameterError(message)

    def draw(self, release: Disassociated, original: Transactions | None, rng: Generator) -> Knowledge:
        """All pairs of newly drawn items and words."""
        names = release.vocabulary if original is None else original.vocabulary
        known = _some(names, self.items, rng) + _some(self.dictionary, self.words, rng)
        codes = codes_of(release, list(dict.fromkeys(known)))
        return Knowledge.of_itemsets(np.array([0, len(codes)]), codes, len(release.vocabulary))


@dataclass(frozen=True)
class WeakPublic:
    """Knows what goes together in a public data set: its most frequent itemsets, and its strongest rules.

    A rule gives the itemset of both its sides. Rules are taken from ten times as many itemsets, best confidence first.

    Attributes:
        data: the public data; items are matched by name.
        top: how many itemsets of 2 to m items, and how many rules.
        rules: whether rules are known too.
    """

    data: Transactions
    top: int = 1000
    rules: bool = True
    name: ClassVar[str] = "weak (public)"
    random: ClassVar[bool] = False

    def draw(self, release: Disassociated, original: Transactions | None, rng: Generator) -> Knowledge:
        """The same each time."""
        from cloven.statistics.mining import top_itemsets

        del original, rng
        most = max(2, release.m)
        pool = top_itemsets(self.data, self.top * (10 if self.rules else 1), min_size=2, max_size=most)
        known = list(pool.itemsets[: self.top])
        if self.rules and len(pool):
            best = np.argsort(-self._confidence(pool.itemsets, pool.supports), kind="stable")[: self.top]
            known += [pool.itemsets[number] for number in best.tolist()]
        offsets = np.cumsum([0, *(len(itemset) for itemset in known)])
        codes = codes_of(release, [item for itemset in known for item in itemset])
        return Knowledge.of_itemsets(offsets, codes, len(release.vocabulary))

    def _confidence(self, itemsets: Sequence[tuple[str, ...]], supports: Longs) -> Floats:
        """Confidence of the best rule that each itemset gives, with one item as its right side."""
        from cloven.statistics.mining import supports as count

        left = [itemset[:at] + itemset[at + 1 :] for itemset in itemsets for at in range(len(itemset))]
        sizes = np.array([len(itemset) for itemset in itemsets])
        least = np.minimum.reduceat(count(self.data, left), np.cumsum(sizes) - sizes)
        return supports / least


def _some(names: Sequence[str], many: int, rng: Generator) -> list[str]:
    """Random names, without repeats; all if there are no more."""
    chosen = rng.permutation(len(names))[:many]
    return [names[number] for number in chosen.tolist()]


# An attacker whose knowledge is drawn at random, many times: means with intervals.


@dataclass(frozen=True)
class Simulated:
    """What an attacker learns, over draws of what is known.

    Attributes:
        attacker: its name.
        draws: how often knowledge was drawn.
        known: pairs of items known.
        counts: the fields of ``Breach``, each as mean and interval over the draws.
        left_out: what the attacker knows but cannot use, and how often.
    """

    attacker: str
    draws: int
    known: Sampled
    counts: Mapping[str, Sampled]
    left_out: Mapping[str, int]

    def __getitem__(self, name: str) -> Sampled:
        return self.counts[name]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: means and intervals."""
        return {
            "attacker": self.attacker,
            "draws": self.draws,
            "known": _plain(self.known),
            **{name: _plain(value) for name, value in self.counts.items()},
            "left_out": dict(self.left_out),
        }


def simulate(
    covers: Covers,
    attacker: Attacker,
    original: Transactions | None = None,
    rng: Generator | None = None,
    draws: int = 100,
    *,
    holders: Holders | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Simulated:
    """Let an attacker draw its knowledge ``draws`` times (once, if nothing is random), and count each time.

    >>> import cloven as cv
    >>> from cloven.kinds.disassociated.covers.breaches import Moderate
    >>> from cloven.kinds.disassociated.covers.covers import covers
    >>> data = cv.Transactions.from_records([["a", "b", "c"], ["a", "b", "c", "e"], ["a", "e"], ["b"]])
    >>> found = covers(cv.Disassociation(k=2, m=2, refine=False).anonymise(data).release)
    >>> simulate(found, Moderate(0.5), data, np.random.default_rng(1), draws=500)["pairs"].mean < 1
    True
    """
    if draws < 1:
        message = f"draws must be at least 1 (got {draws})"
        raise ParameterError(message)
    rng = np.random.default_rng() if rng is None else rng
    many = draws if attacker.random else 1
    found, known, left_out = [], [], {}
    for number in range(many):
        if progress is not None:
            progress(f"{attacker.name} attacker", number / many)
        knowledge = attacker.draw(covers.release, original, rng)
        known.append(len(knowledge))
        left_out = dict(knowledge.left_out)
        found.append(breaches(covers, knowledge, holders).to_dict())
    counts = {
        name: Sampled.of([float(one[name] or 0) for one in found], largest=inf)
        for name, value in found[0].items()
        if value is not None
    }
    return Simulated(attacker.name, many, Sampled.of(known, largest=inf), counts, left_out)


def _plain(value: Sampled) -> dict[str, float | None]:
    return {"mean": value.mean, "low": value.low, "high": value.high}
