"""The published parts as records of their own: what is certain about a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.disassociated import Kind
from cloven.model.transactions import Transactions

if TYPE_CHECKING:
    from cloven.model.disassociated import Disassociated


def chunk_records(release: Disassociated) -> Transactions:
    """One record per published sub-record, and one of a single item per item of a term chunk.

    The support of an itemset in this data is its certain support (see ``lower_bound_supports``), so mining
    it gives the itemsets that a reader is sure of: the chunk-only variants (``-a``) of the measures of
    Terrovitis et al., PVLDB 2012, section 7.
    """
    lengths = np.diff(release.row_offsets)
    term = release.row_kind == Kind.TERM
    in_term = np.repeat(term, lengths)
    codes = np.concatenate((release.row_items[~in_term], release.row_items[in_term]))
    single = np.ones(int(in_term.sum()), np.int64)
    return Transactions.from_arrays(np.concatenate((lengths[~term], single)), codes, release.vocabulary)
