"""What a release tells of a known person, in plain Python: the formula of the module, and all worlds."""

from __future__ import annotations

from functools import cached_property
from itertools import permutations, product


class Plain:
    """A release in sets and lists."""

    def __init__(self, release, named, listed, withheld, most=float("inf")):
        self.release, self.most = release, most
        self.named, self.listed, self.withheld = named, listed, withheld
        self.clusters, self.joints = list(release.iter_clusters()), list(release.iter_joints())
        self.shown = [
            {i for chunk in cluster.record_chunks for row in chunk for i in row} for cluster in self.clusters
        ]

    def above(self, c):
        """Joints above a cluster, innermost first."""
        out, joint = [], self.clusters[c].joint
        while joint is not None:
            out.append(joint)
            joint = self.joints[joint].parent
        return out

    def shares(self, j):
        return {i for chunk in self.joints[j].shared_chunks for row in chunk for i in row}

    def barred(self, c, j):
        """Items that a cluster cannot take from a joint above it."""
        path = self.above(c)
        return self.shown[c].union(*(self.shares(inner) for inner in path[: path.index(j)]))

    @cached_property
    def root_list(self):
        root = self.release.root
        return set(self.joints[root].term_chunk) if root >= 0 else set()

    def open_size(self, j, row):
        return sum(
            cluster.size
            for c, cluster in enumerate(self.clusters)
            if j in self.above(c) and not set(row) & self.barred(c, j)
        )

    def place(self, c, item):
        """('record', n), ('shared', j, n), 'named', 'listed', 'withheld', or None."""
        for n, chunk in enumerate(self.clusters[c].record_chunks):
            if any(item in row for row in chunk):
                return ("record", n)
        if item in self.clusters[c].term_chunk:
            return "named"
        root = self.release.root
        for j in self.above(c):
            if j == root and item in self.root_list:
                return "listed"
            for n, chunk in enumerate(self.joints[j].shared_chunks):
                if any(item in row for row in chunk):
                    return ("shared", j, n)
        return "withheld" if self.release.may_be_empty else None

    def rows(self, c, place):
        """Rows of a chunk that may stand in a cluster, and the chance of one record to have each."""
        size = self.clusters[c].size
        if place[0] == "record":
            return [(set(row), 1 / size) for row in self.clusters[c].record_chunks[place[1]]]
        _, j, n = place
        return [
            (set(row), 1 / self.open_size(j, row))
            for row in self.joints[j].shared_chunks[n]
            if not set(row) & self.barred(c, j)
        ]

    def unpublished(self, item):
        """Records of the clusters that have no better place for an item than the list, or none at all."""
        return sum(
            cluster.size
            for c, cluster in enumerate(self.clusters)
            if self.place(c, item) in ("listed", "withheld")
        )

    def chance(self, c, place, items):
        """Chance that a record of the cluster has these items, which have one place."""
        size = self.clusters[c].size
        limit = min(1.0, self.most / size)
        if place == "named":
            return min(limit, self.named / size)
        if place in ("listed", "withheld"):
            copies = self.listed if place == "listed" else self.withheld
            return min(1.0, copies / self.unpublished(next(iter(items))))
        total = sum(chance for row, chance in self.rows(c, place) if items <= row)
        return min(1.0 if place[0] == "record" else limit, total)

    def split(self, c, known):
        """Known items by place; items without rows stand alone. None if the cluster cannot have one of them."""
        parts = {}
        for item in known:
            place = self.place(c, item)
            if place is None:
                return None
            parts.setdefault(place if isinstance(place, tuple) else (place, item), set()).add(item)
        return parts

    @staticmethod
    def name(part):
        return part[0] if part[0] in ("named", "listed", "withheld") else part

    def weights(self, known, shown_only=()):
        found = {}
        for c, cluster in enumerate(self.clusters):
            parts = self.split(c, known)
            if parts is None or any(i in shown_only and i not in self.shown[c] for i in known):
                continue
            found[c] = cluster.size
            for part, items in parts.items():
                found[c] *= self.chance(c, self.name(part), items)
        return found

    def probabilities(self, known, reader="everywhere"):
        """P(s | K) of every item that is not known."""
        anywhere = set().union(*self.shown)
        found = self.weights(known, anywhere if reader == "shown" else ())
        if not sum(found.values()):
            found = self.weights(known)
        total = sum(found.values())
        if not total:
            return {}
        return {
            s: sum(w * self.given(c, s, known) for c, w in found.items() if w) / total
            for s in self.release.vocabulary
            if s not in known
        }

    def given(self, c, item, known):
        """P(s | c, K)."""
        place = self.place(c, item)
        if place is None:
            return 0.0
        share = self.split(c, known).get(place) if isinstance(place, tuple) else None
        if share is None:
            return self.chance(c, place, {item})
        rows = self.rows(c, place)
        fitting = sum(chance for row, chance in rows if share <= row)
        return sum(chance for row, chance in rows if share | {item} <= row) / fitting

    def states(self, limit=2_000, ways=4_000):
        """Contents of all records by cluster, without what is named, listed or withheld; None if there are too many."""
        current = {tuple(tuple([frozenset()] * cluster.size) for cluster in self.clusters)}
        for places, rows in self.chunks():
            following = set()
            for state in current:
                count = 1
                for step in range(len(rows)):
                    count *= len(places) - step
                if count > ways:
                    return None
                following |= _placed(state, places, rows)
                if len(following) > limit:
                    return None
            current = following
        if self.release.may_be_empty:
            return current
        free = [self.free(c) for c in range(len(self.clusters))]
        return {
            state
            for state in current
            if all(row or free[c] for c, cluster in enumerate(state) for row in cluster)
        }

    def chunks(self):
        """Slots (cluster, index, barred items) and rows of each chunk."""
        for c, cluster in enumerate(self.clusters):
            for chunk in cluster.record_chunks:
                yield [(c, i, frozenset()) for i in range(cluster.size)], [frozenset(row) for row in chunk]
        for j, joint in enumerate(self.joints):
            for chunk in joint.shared_chunks:
                slots = [
                    (c, i, barred)
                    for c, cluster in enumerate(self.clusters)
                    if j in self.above(c)
                    for barred in [self.barred(c, j)]
                    for i in range(cluster.size)
                ]
                yield slots, [frozenset(row) for row in chunk]

    def free(self, c):
        """Items that any record of a cluster may have besides its rows."""
        return {i for i in self.release.vocabulary if self.place(c, i) in ("named", "listed", "withheld")}

    def forced(self, known, states):
        """Items held, in every world, by every record that holds the known ones; None if no record ever does."""
        left = None
        free = [self.free(c) for c in range(len(self.clusters))]
        for state in states:
            for c, cluster in enumerate(state):
                for row in cluster:
                    if set(known) - free[c] <= row:
                        left = set(row) if left is None else left & row
        return left if left is None else left - set(known)


def _placed(state, places, rows):
    """All states that come from giving the rows to different places."""
    found = set()
    for chosen in permutations(range(len(places)), len(rows)):
        trial = [list(cluster) for cluster in state]
        fine = True
        for index, row in zip(chosen, rows, strict=True):
            c, i, barred = places[index]
            fine = not barred & row
            if not fine:
                break
            trial[c][i] = trial[c][i] | row
        if fine:
            found.add(tuple(tuple(sorted(cluster, key=sorted)) for cluster in trial))
    return found


def expectations(plain, known, limit=20_000):
    """P(s | K) over all placements of the rows, each equally likely; None if there are too many, or K is nowhere.

    The ratio of two expected numbers of records: with K and s, and with K. Only what stands in rows is looked at.
    """
    ways = []
    total = 1
    for places, rows in plain.chunks():
        found = [
            [places[index][:2] for index in chosen]
            for chosen in permutations(range(len(places)), len(rows))
            if not any(places[index][2] & row for index, row in zip(chosen, rows, strict=True))
        ]
        total *= len(found)
        if total > limit or len(places) > 9:
            return None
        ways.append((rows, found))
    with_known, with_both = 0, {}
    for world in product(*(found for _, found in ways)):
        held = {}
        for (rows, _), chosen in zip(ways, world, strict=True):
            for row, slot in zip(rows, chosen, strict=True):
                held[slot] = held.get(slot, frozenset()) | row
        if not plain.release.may_be_empty and len(held) < plain.release.records:
            continue
        for row in held.values():
            if known <= row:
                with_known += 1
                for item in row:
                    with_both[item] = with_both.get(item, 0) + 1
    return {s: many / with_known for s, many in with_both.items() if s not in known} if with_known else None
