"""The reader who learns, row by row and in plain Python."""

from __future__ import annotations

from collections import Counter
from math import exp, log, prod

from plain_tables import buckets


class PlainLearned:
    """What a release teaches about one attribute, for somebody who knows some quasi-identifiers."""

    def __init__(self, release, names, attribute, rounds, most, fittings=5, smoothing=1.0):
        self.most = most
        self.attribute, self.fittings, self.smoothing = attribute, fittings, smoothing
        self.domains = {domain.name: domain.values for domain in release.domains}
        self.values = self.domains[attribute]
        self.buckets = buckets(release)
        self.copies = [self._copies(bucket) for bucket in self.buckets]
        total = sum(sum(each.values()) for each in self.copies)
        self.prior = {s: sum(each.get(s, 0) for each in self.copies) / total for s in self.values}
        self.theta, self.chance = {}, []
        for number in range(len(self.buckets[0])):
            self._learn(number, names, rounds)

    def _copies(self, bucket):
        found = {}
        for column in bucket:
            for part in column:
                for s in part.get(self.attribute, ()):
                    found[s] = found.get(s, 0) + 1 / len(part[self.attribute])
        return found

    def _learn(self, number, names, rounds):
        """Fit one column; chances are told where the attribute stands in it."""
        column = [(b, part) for b, bucket in enumerate(self.buckets) for part in bucket[number]]
        known = [name for name in column[0][1] if name in names and name != self.attribute]
        told = self.attribute in column[0][1]
        chance = []
        for b, part in column:
            size = len(self.buckets[b][number])
            if told:
                chance.append({s: 1 / len(part[self.attribute]) for s in part[self.attribute]})
            else:
                chance.append({s: n / size for s, n in self.copies[b].items()})
        for q in known:
            self.theta[q] = {s: dict.fromkeys(self.domains[q], 1 / len(self.domains[q])) for s in self.values}
        for _ in range(rounds if known else 0):
            for q in known:
                self.theta[q] = self._counted(q, column, chance)
            if not told:
                chance = self._expected(known, column, chance)
        self.chance.append(chance)

    def cell(self, q, part, s):
        return sum(self.theta[q][s][v] for v in part[q])

    def _counted(self, q, column, chance):
        counts = {s: dict.fromkeys(self.domains[q], self.smoothing) for s in self.values}
        for (_, part), mine in zip(column, chance, strict=True):
            for s, p in mine.items():
                for v in part[q]:
                    counts[s][v] += p * self.theta[q][s][v] / self.cell(q, part, s)
        return {s: {v: n / sum(each.values()) for v, n in each.items()} for s, each in counts.items()}

    def _expected(self, known, column, chance):
        """The mean over all deals where they are few, else copies made to fit again and again."""
        likely = []
        for (_, part), mine in zip(column, chance, strict=True):
            logs = {s: sum(log(self.cell(q, part, s)) for q in known) for s in mine}
            likely.append({s: exp(each - max(logs.values())) for s, each in logs.items()})
        fitted = self._fitted(column, likely)
        for b, copies in enumerate(self.copies):
            if prod(int(n) + 1 for n in copies.values()) <= self.most and all(
                n == int(n) for n in copies.values()
            ):
                here = [at for at, (bucket, _) in enumerate(column) if bucket == b]
                for at, found in zip(here, all_deals([likely[at] for at in here], copies), strict=True):
                    fitted[at] = found
        return fitted

    def _fitted(self, column, likely):
        out = [
            {s: self.copies[b][s] * p for s, p in mine.items()}
            for (b, _), mine in zip(column, likely, strict=True)
        ]
        for _ in range(self.fittings):
            out = [_to_one(each) for each in out]
            sums = [{} for _ in self.buckets]
            for (b, _), mine in zip(column, out, strict=True):
                for s, p in mine.items():
                    sums[b][s] = sums[b].get(s, 0) + p
            out = [
                {s: p * self.copies[b][s] / sums[b][s] for s, p in mine.items()}
                for (b, _), mine in zip(column, out, strict=True)
            ]
        return [_to_one(each) for each in out]

    def alone(self, person):
        """What the model says of somebody without a bucket."""
        found = {s: p for s, p in self.prior.items() if p > 0}
        for q, theta in self.theta.items():
            for s in found:
                found[s] *= theta[s][person[q]]
        return _to_one(found)

    def of(self, person):
        """What model and buckets say of a person."""
        total, weights = {}, 0.0
        for b in range(len(self.buckets)):
            weight, belief = self._in_bucket(b, person)
            for s, p in _to_one(belief).items() if weight else ():
                total[s] = total.get(s, 0) + weight * p
            weights += weight
        return {s: p / weights for s, p in total.items()} if weights else self.alone(person)

    def _in_bucket(self, b, person):
        """Expected rows that are the person's, and what their value may be."""
        size = len(self.buckets[b][0])
        weight, belief = float(size), dict.fromkeys(self.copies[b], 1.0)
        for number in range(len(self.buckets[b])):
            before = sum(len(bucket[number]) for bucket in self.buckets[:b])
            found, fitting = dict.fromkeys(belief, 0.0), 0.0
            for at, part in enumerate(self.buckets[b][number]):
                known = [q for q in part if q in person and q != self.attribute]
                if any(person[q] not in part[q] for q in known):
                    continue
                share = 1.0
                for q in known:
                    share /= len(part[q])
                fitting += share
                for s, p in self.chance[number][before + at].items():
                    lift = p if self.attribute in part else p / self.copies[b][s]
                    for q in known:
                        lift *= self.theta[q][s][person[q]] / self.cell(q, part, s)
                    found[s] += lift
            weight *= fitting / size
            belief = {s: p * found[s] for s, p in belief.items()}
        return weight, belief


def all_deals(likely, copies):
    """Of every row the chance of each value, over all distinct ways to deal the copies to the rows."""
    sums = [dict.fromkeys(mine, 0.0) for mine in likely]

    def deal(row, left, weight, hand):
        if row == len(likely):
            for mine, s in zip(sums, hand, strict=True):
                mine[s] += weight
            return
        for s in likely[row]:
            if left[s]:
                deal(row + 1, left - Counter([s]), weight * likely[row][s], [*hand, s])

    deal(0, Counter({s: int(n) for s, n in copies.items()}), 1.0, [])
    return [_to_one(mine) for mine in sums]


def _to_one(found):
    total = sum(found.values())
    return {s: p / total for s, p in found.items()} if total else found
