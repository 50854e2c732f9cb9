"""Do questions, key and release belong together? Scoring with the wrong key would give numbers that mean nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from cloven.attack.disassociated.candidates import Candidates
from cloven.errors import ParameterError, ReleaseError
from cloven.model.arrays import positions
from cloven.model.disassociated import Kind
from cloven.model.guesses import Questions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Guesses
    from cloven.model.key import Key


def check_questions(questions: Questions, release: Disassociated) -> None:
    """Raise ``ReleaseError`` unless the questions can be about this release."""
    sizes = np.diff(questions.slot_offsets)
    if not np.array_equal(sizes, release.cluster_size):
        _other_questions(f"they have {sizes.sum():,} slots in {len(sizes):,} clusters, it has {release!r}")
    anchor, row = questions.slot_anchor, questions.target_row
    if len(anchor) != release.records or not _within(anchor, -1, release.rows):
        _other_questions("a slot shows a row that the release does not have")
    if not _within(row, 0, release.rows) or np.any(release.row_kind[row] != questions.target_kind):
        _other_questions("a target is a row that the release does not have, or has as another kind")
    shown = np.flatnonzero(anchor >= 0)
    cluster = np.repeat(np.arange(release.clusters), release.cluster_size)
    if np.any(release.row_cluster[anchor[shown]] != cluster[shown]):
        _other_questions("a slot shows a row of another cluster")


def check_guesses(guesses: Guesses) -> None:
    """Raise ``ParameterError`` unless there is one usable answer for each candidate."""
    questions = guesses.questions
    lengths = {len(guesses.score), len(guesses.confidence), len(guesses.chosen), len(questions.slots)}
    if len(lengths) != 1 or len(guesses.answer) != len(questions):
        message = (
            f"guesses need a score, a confidence and a choice for each of {len(questions.slots):,} candidates and an"
            f" answer for each of {len(questions):,} targets; make them with an attack"
        )
        raise ParameterError(message)
    if np.isnan(guesses.score).any():
        message = "a score is not a number; candidates that nothing is known of get equal scores"
        raise ParameterError(message)
    confidence = guesses.confidence
    if len(confidence) and not (confidence.min() >= 0 and confidence.max() <= 1):
        message = f"confidence must lie in 0..1 (got {confidence.min()} to {confidence.max()})"
        raise ParameterError(message)


def check_same(questions: Questions, others: Questions) -> None:
    """Raise ``ReleaseError`` unless both ask the same."""
    if not _alike(questions, others):
        message = "chance or control answers other questions than the attack; attack the same release"
        raise ReleaseError(message)


def check_asked(answered: Questions, asked: Questions) -> None:
    """Raise ``ReleaseError`` unless an attack answers what it was asked: it must not leave out what it finds hard."""
    if not _alike(answered, asked):
        message = f"the attack answers other questions than it was asked: {answered!r} instead of {asked!r}"
        raise ReleaseError(message)


def check_sample(questions: Questions, release: Disassociated) -> None:
    """Raise ``ReleaseError`` unless a sample has targets of this release, each once and with all its candidates."""
    every = Candidates.of(release)
    width = len(release.vocabulary) + 1
    names = every.row * width + every.item
    order = np.argsort(names)
    wanted = questions.target_row * width + questions.target_item
    at = order[np.minimum(np.searchsorted(names[order], wanted), max(0, len(every) - 1))]
    if np.any(names[at] != wanted) or np.any(np.diff(at) <= 0):
        _other_questions("the sample has a target that the release does not have, or has one twice")
    told = (questions.targets_in_all, questions.candidates_in_all)
    if told != (len(every), every.total):
        _other_questions(
            f"they are said to be a sample of {told[0]:,} targets with {told[1] or 0:,} candidates, it has"
            f" {len(every):,} with {every.total:,}"
        )
    if not _alike(questions, every.questions(at)):
        _other_questions("the sample leaves out candidates of its targets, or has others")


def _alike(questions: Questions, others: Questions) -> bool:
    return questions is others or (
        (questions.targets_in_all, questions.candidates_in_all)
        == (others.targets_in_all, others.candidates_in_all)
        and all(np.array_equal(getattr(questions, name), getattr(others, name)) for name in Questions.ARRAYS)
    )


def check_key(key: Key, release: Disassociated) -> None:
    """Raise ``ReleaseError`` unless every part of the key is what the release shows."""
    _check_shape(key, release)
    members = np.bincount(key.record_cluster, minlength=release.clusters)
    if not np.array_equal(members, release.cluster_size):
        at = int(np.flatnonzero(members != release.cluster_size)[0])
        _other_key(f"it has {members[at]} records in cluster {at}, the release {release.cluster_size[at]}")
    row = key.release_row
    cluster = key.record_cluster[np.searchsorted(key.records, key.record)]
    whole = release.row_kind[row] != Kind.TERM
    if np.any((release.row_cluster[row] >= 0) & (release.row_cluster[row] != cluster)):
        _other_key("a record has a part in a cluster that is not its own")
    given = np.bincount(row[whole], minlength=release.rows)
    if np.any(given != (release.row_kind != Kind.TERM)):
        _other_key("a published sub-record belongs to no record or to several")
    _check_items(key, release)


def _check_shape(key: Key, release: Disassociated) -> None:
    parts = len(key.record)
    if (len(key.release_row), len(key.offsets), len(key.record_cluster)) != (
        parts,
        parts + 1,
        len(key.records),
    ):
        _other_key("its arrays have different lengths")
    if np.any(np.diff(key.records) <= 0) or not np.isin(key.record, key.records).all():
        _other_key("its records are not in order, or a part belongs to none of them")
    ranges = (
        (key.release_row, release.rows),
        (key.record_cluster, release.clusters),
        (key.items, len(release.vocabulary)),
    )
    if not all(_within(values, 0, end) for values, end in ranges):
        _other_key("it names a row, a cluster or an item that the release does not have")


def _check_items(key: Key, release: Disassociated) -> None:
    """A part of a record or shared chunk is its whole row."""
    width = len(release.vocabulary)
    whole = np.flatnonzero(release.row_kind[key.release_row] != Kind.TERM)
    row, length = key.release_row[whole], np.diff(key.offsets)[whole]
    same = np.array_equal(length, np.diff(release.row_offsets)[row])
    if same:
        part = np.repeat(np.arange(len(whole)), length) * width
        known = part + key.items[positions(key.offsets[whole], length)]
        # Keys list the items of a part in ascending order, mostly.
        known = known if (known[1:] > known[:-1]).all() else np.sort(known)
        same = np.array_equal(known, part + release.row_items[positions(release.row_offsets[row], length)])
    if not same:
        _other_key("a part has other items than the published row it is said to be")


def _within(values: NDArray[Any], least: int, end: int) -> bool:
    return not len(values) or (int(values.min()) >= least and int(values.max()) < end)


def _other_questions(what: str) -> NoReturn:
    message = f"these guesses are about another release: {what}; attack this release"
    raise ReleaseError(message)


def _other_key(what: str) -> NoReturn:
    message = f"the key does not fit the release: {what}; use the key that was written with it"
    raise ReleaseError(message)
