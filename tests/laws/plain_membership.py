"""The score of membership in plain Python, by the formula of the module."""

from __future__ import annotations

import math


def score(plain, record, doubt):
    """Log of the likelihood ratio of a record; ``plain`` is a release as ``plain_known_person`` has it."""
    records = sum(cluster.size for cluster in plain.clusters)

    def share(c, item):
        place = plain.place(c, item)
        return 0.0 if place is None else plain.chance(c, place, {item})

    q = {
        item: min(
            max(sum(cluster.size * share(c, item) for c, cluster in enumerate(plain.clusters)), 0.5),
            records - 0.5,
        )
        / records
        for item in plain.release.vocabulary
    }
    logs = []
    for c, cluster in enumerate(plain.clusters):
        log = math.log(cluster.size / records)
        for chunk in cluster.record_chunks:
            items = {i for row in chunk for i in row}
            mine = record & items
            rows = sum(set(row) == mine for row in chunk) if mine else cluster.size - len(chunk)
            log += math.log((rows + doubt) / cluster.size)
            log -= sum(math.log(q[i] if i in mine else 1 - q[i]) for i in items)
        for item in record - plain.shown[c]:
            log += math.log(max(share(c, item), doubt / records) / q[item])
        logs.append(log)
    highest = max(logs)  # each may be too small for a float
    return highest + math.log(sum(math.exp(log - highest) for log in logs))
