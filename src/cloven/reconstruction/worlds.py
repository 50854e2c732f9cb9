"""Rebuild a plausible data set from a disassociated release (Terrovitis et al., PVLDB 2012, section 6).

Sub-records of a record chunk go to distinct random records of their cluster, those of a shared chunk to records of
all clusters below the joint, and every term-chunk item to one random record, empty records first. Rows of the root
move to records that are empty. No record stays empty where that can be avoided. A data set made so agrees with
everything published; averages over several of them estimate what a reader can learn. Set-generalised releases are
handed on to ``generalised``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError, ReleaseError
from cloven.model.set_generalised import SetGeneralised
from cloven.model.transactions import Transactions
from cloven.reconstruction.generalised import rebuild_generalised
from cloven.reconstruction.layout import Layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated


def reconstruct(release: Disassociated | SetGeneralised, rng: np.random.Generator) -> Transactions:
    """One plausible data set; its records stand cluster by cluster, or row by row if the release is set-generalised.

    Records that nothing published can fill are dropped and counted in ``empty_records``; a release that
    keeps its promise has none. Where random stacking leaves a record empty in a cluster without a term
    chunk, doubled sub-records are moved there in random order, so the choice among the possible stackings is
    fair between records and between sub-records, though not exactly uniform when there are more than two
    chunks.

    >>> import cloven as cv
    >>> data = cv.Transactions.from_records([["a", "b"], ["a", "b"], ["a", "c"]])
    >>> release = cv.Disassociation(k=2, m=2).anonymise(data).release
    >>> world = reconstruct(release, np.random.default_rng(1))
    >>> len(world), sorted(world.vocabulary)
    (3, ['a', 'b'])
    """
    return next(reconstruct_many(release, 1, rng))


def reconstruct_many(
    release: Disassociated | SetGeneralised, count: int, rng: np.random.Generator
) -> Iterator[Transactions]:
    """Several independent plausible data sets, one at a time."""
    if count < 1:
        message = f"the number of reconstructions must be at least 1, got {count}"
        raise ParameterError(message)
    if isinstance(release, SetGeneralised):
        return (rebuild_generalised(release, rng) for _ in range(count))
    layout = Layout.of(release)
    return (_rebuild(layout, rng) for _ in range(count))


def _rebuild(layout: Layout, rng: np.random.Generator) -> Transactions:
    from cloven.reconstruction.kernels import cover_all, place_record_chunks

    place = np.full(len(layout.chunk), -1, np.int64)
    cover = np.zeros(int(layout.bounds[-1]), np.int64)
    place_record_chunks(rng, layout.bounds, layout.starts, layout.chunk, place, cover)
    # With a root, what a record lacks in its cluster comes from there.
    has_term = (np.diff(layout.terms[0]) > 0) | (layout.release.root >= 0)
    left = cover_all(rng, layout.bounds, layout.starts, has_term, place, cover)
    needy = np.zeros(len(cover), bool)
    if left:
        needy = (cover == 0) & ~np.repeat(has_term, layout.release.cluster_size)
    _place_shared(layout, rng, place, cover, needy)
    term_records, term_items = _place_terms(layout, rng, place, cover)
    offsets, items = layout.table
    return _assemble(
        np.concatenate((np.repeat(place, np.diff(offsets)), term_records)),
        np.concatenate((items, term_items)),
        len(cover),
        layout.release.vocabulary,
    )


def _place_shared(
    layout: Layout,
    rng: np.random.Generator,
    place: NDArray[np.int64],
    cover: NDArray[np.int64],
    needy: NDArray[np.bool_],
) -> None:
    if not layout.shared:
        return
    from cloven.reconstruction.shared_kernels import place_shared_chunks

    lists = np.full(len(cover), -1, np.int64), np.full(len(place), -1, np.int64)
    chunks = np.array(layout.shared, np.int64)
    told = layout.shown, layout.inner
    failed = place_shared_chunks(
        rng, chunks, layout.members, layout.bounds, layout.table, told, lists, place, cover, needy
    )
    if failed >= 0:
        message = f"a shared chunk of joint {chunks[failed, 2]} does not fit on the records below it"
        raise ReleaseError(message + "; run `cloven verify` on the release")


def _place_terms(
    layout: Layout, rng: np.random.Generator, place: NDArray[np.int64], cover: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Records and items of what has no count, after rows of the root have filled empty records."""
    from cloven.reconstruction.kernels import place_terms

    root, told = layout.release.root, (layout.shown, layout.inner)
    if root < 0:
        return place_terms(rng, layout.bounds, *layout.terms, cover)
    from cloven.reconstruction.shared_kernels import fill_from_root, place_listed

    fill_from_root(rng, layout.root_rows, root, layout.bounds, layout.table, told, place, cover)
    return place_listed(rng, layout.listed, root, layout.bounds, told, cover)


def _assemble(
    records: NDArray[np.int64], items: NDArray[np.int32], count: int, vocabulary: tuple[str, ...]
) -> Transactions:
    width = max(1, len(vocabulary))
    pairs = np.sort(records * width + items)
    pairs = pairs[np.concatenate(([True], pairs[1:] != pairs[:-1]))] if len(pairs) else pairs
    lengths = np.bincount(pairs // width, minlength=count).astype(np.int64)
    return Transactions.from_arrays(lengths, (pairs % width).astype(np.int32), vocabulary)
