"""Key and release against original: is every record where the key says, and rebuilt to what it was?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.arrays import distinct, without
from cloven.verification.faults import conclude, named, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.key import Key
    from cloven.model.transactions import Transactions
    from cloven.verification.parts import Parts
    from cloven.verification.verdict import Check


def check_cluster_members(release: Disassociated, key: Key) -> Check:
    """Each cluster has as many records in the key as its published size says."""
    size = release.cluster_size
    members = np.bincount(key.record_cluster, minlength=release.clusters)
    faults = [
        spot(members != size, lambda at: f"cluster {at} has {members[at]} records, published as {size[at]}")
    ]
    return conclude("cluster members", "key", len(size), faults, f"{len(size):,} clusters have their members")


def check_records_rebuilt(release: Disassociated, original: Transactions, key: Key, parts: Parts) -> Check:
    """Parts of a record and its suppressed items together are the original record, each item once."""
    words, code_of = _all_words(release, original, key)
    order = np.argsort(original.source_rows)
    position = original.source_rows[order]

    def pairs(record: NDArray[np.int64], item: NDArray[np.int64]) -> NDArray[np.int64]:
        return order[np.searchsorted(position, record)] * len(words) + item

    published = np.array([code_of[word] for word in release.vocabulary], np.int64)
    lengths = np.array([len(items) for items in key.suppressed_items], np.int64)
    suppressed = np.array([code_of[word] for items in key.suppressed_items for word in items], np.int64)
    rebuilt = np.concatenate(
        (
            pairs(parts.record[parts.part], published[parts.items]),
            pairs(np.repeat(key.suppressed_record, lengths), suppressed),
        )
    )
    truth = np.repeat(np.arange(len(original)), original.lengths) * len(words) + original.codes
    ordered = np.sort(rebuilt)
    given, twice = distinct(ordered), distinct(ordered[1:][ordered[1:] == ordered[:-1]])
    lost, invented = without(truth, given), without(given, truth)

    def kinds(at: int) -> str:
        here = [(name, keys[keys // len(words) == at] % len(words)) for name, keys in found]
        told = ", ".join(f"{name} {named(words, codes.tolist())}" for name, codes in here if len(codes))
        return f"record {original.source_rows[at]} is not rebuilt: {told}"

    found = (("lost", lost), ("invented", invented), ("given twice", twice))
    bad = np.zeros(len(original), bool)
    for _, keys in found:
        bad[keys // max(1, len(words))] = True
    faults = [spot(bad, kinds)]
    return conclude(
        "records rebuilt", "key", len(bad), faults, f"{len(bad):,} records are rebuilt from their parts"
    )


def _all_words(
    release: Disassociated, original: Transactions, key: Key
) -> tuple[tuple[str, ...], dict[str, int]]:
    """Items of the original, then names that only the release or the key know; and the number of each."""
    named_by_key = (word for items in key.suppressed_items for word in items)
    words = tuple(dict.fromkeys((*original.vocabulary, *release.vocabulary, *named_by_key)))
    return words, {word: code for code, word in enumerate(words)}
