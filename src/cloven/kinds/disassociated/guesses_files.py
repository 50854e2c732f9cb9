"""Guesses of an attack as a folder, format ``cloven.guesses/1``; see docs/reference/guesses-format.md.

``links.parquet`` has one row for each candidate slot of each target, so any program can write guesses and have them
scored. ``targets.parquet`` says what the numbers of the targets stand for; all that is read back of it is of which
targets the attack knew nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.disassociated.files import kind_names
from cloven.kinds.disassociated.guesses import Answer, Guesses, Questions
from cloven.storage.atomic import PRIVATE_FILE, PRIVATE_FOLDER, staged, write_bytes
from cloven.storage.guesses import CONTROL, about_of, cast_columns, read_answers, release_digest, write_loose
from cloven.storage.manifest import expect, manifest_bytes
from cloven.storage.parquet import list_column

if TYPE_CHECKING:
    import os

    import pyarrow as pa
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs
    from cloven.kinds.disassociated.release import Disassociated

FORMAT = "cloven.guesses/1"
ABOUT = "guesses.json"
ANSWERS = tuple(each.name.lower() for each in Answer)
LINKS = ("target", "slot", "score", "confidence", "chosen")


def write_guesses(
    guesses: Guesses, release: Disassociated, out: str | os.PathLike[str], *, control: Guesses | None = None
) -> None:
    """Write the folder ``out``, readable by its owner alone: guesses with confidences are the attack.

    ``control``, the same attack with shuffled relatedness, goes to ``out/control``. Guesses about a sample of the
    targets are refused: nobody could tell whether it was drawn, or is what the attack found easy.

    >>> import tempfile
    >>> import cloven as cv
    >>> release = cv.Disassociation(k=5, m=2).anonymise(cv.sample("clinic")).release
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_guesses(cv.attacks.Guesswork().guess(release), release, Path(folder, "guesses"))
    ...     sorted(file.name for file in Path(folder, "guesses").iterdir())
    ['guesses.json', 'links.parquet', 'targets.parquet']
    """
    for each in (guesses, control):
        _refuse_sample(None if each is None else each.questions, "written")
    with staged(Path(out)) as (place,):
        _write_folder(guesses, release, place)
        if control is not None:
            _write_folder(control, release, place / CONTROL)


def _write_folder(guesses: Guesses, release: Disassociated, place: Path) -> None:
    import pyarrow as pa

    about = {
        "format": FORMAT,
        "release": release_digest(release),
        "attack": dict(guesses.attack),
        "notes": dict(guesses.notes),
        "targets": len(guesses.questions),
        "links": len(guesses.questions.slots),
    }
    place.mkdir(PRIVATE_FOLDER)
    asked = guesses.questions
    links = [asked.pair_target, asked.slots, guesses.score, guesses.confidence, guesses.chosen]
    write_loose(place / "links.parquet", pa.table([pa.array(column) for column in links], names=LINKS))
    write_loose(place / "targets.parquet", _targets(guesses, release))
    write_bytes(place / ABOUT, manifest_bytes(about), PRIVATE_FILE)


def read_guesses(path: str | os.PathLike[str], release: Disassociated, asked: Questions) -> Guesses:
    """Read guesses about a release; candidates that the file leaves out get the lowest score and confidence 0.

    Raises:
        ReleaseError: the folder is broken, or speaks of another release.

    >>> import tempfile
    >>> import cloven as cv
    >>> release = cv.Disassociation(k=5, m=2).anonymise(cv.sample("clinic")).release
    >>> guesses = cv.attacks.Guesswork().guess(release)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_guesses(guesses, release, Path(folder, "guesses"))
    ...     again = read_guesses(Path(folder, "guesses"), release, cv.attacks.questions(release))
    >>> bool((again.chosen == guesses.chosen).all())
    True
    """
    _refuse_sample(asked, "read")
    folder = Path(path)
    about = about_of(folder, ABOUT, FORMAT, release_digest(release))
    target, slot, score, confidence, chosen = _links(folder / "links.parquet", len(asked), release.records)
    place = _places(asked, target, slot, folder / "links.parquet")
    scores = np.full(len(asked.slots), -np.inf)
    scores[place] = score
    sure = np.zeros(len(asked.slots), np.float32)
    sure[place] = confidence
    taken = np.zeros(len(asked.slots), bool)
    taken[place] = chosen
    answer = _answers(asked, folder / "targets.parquet")
    return Guesses(asked, scores, sure, taken, answer, about["attack"], about["notes"])


def _refuse_sample(asked: Questions | None, done: str) -> None:
    if asked is not None and asked.is_sample:
        message = (
            f"guesses on disk answer all targets, these {len(asked):,} of {asked.targets_in_all:,}; samples are scored"
            f" where they are drawn, by `trial`, and not {done}"
        )
        raise ParameterError(message)


def _links(file: Path, targets: int, slots: int) -> tuple[Longs, Longs, Floats, NDArray[np.float32], Flags]:
    import pyarrow as pa

    kinds = (pa.int64(), pa.int64(), pa.float64(), pa.float32(), pa.bool_())
    columns = cast_columns(file, dict(zip(LINKS, kinds, strict=True)))
    expect(not sum(column.null_count for column in columns), str(file), "cells", "without null", "null")
    target, slot, score, confidence, chosen = (column.to_numpy() for column in columns)
    for name, values, limit in (("target", target, targets), ("slot", slot, slots)):
        wrong = values[(values < 0) | (values >= limit)]
        expect(not len(wrong), str(file), name, f"from 0 to below {limit}", wrong[:1].tolist())
    bad = score[~np.isfinite(score)]
    expect(not len(bad), str(file), "score", "finite", bad[:1].tolist())
    bad = confidence[~((confidence >= 0) & (confidence <= 1))]
    expect(not len(bad), str(file), "confidence", "from 0 to 1", bad[:1].tolist())
    return target, slot, score, confidence, chosen


def _places(asked: Questions, target: Longs, slot: Longs, file: Path) -> Longs:
    """Position of each link among the candidates of its target."""
    width = int(asked.slot_offsets[-1]) + 1
    known = asked.pair_target * width + asked.slots
    keys = target * width + slot
    place = np.minimum(np.searchsorted(known, keys), len(known) - 1) if len(known) else np.zeros(0, np.int64)
    strange = np.flatnonzero(known[place] != keys) if len(known) else np.arange(len(keys))
    first = strange[:1]
    expect(
        not len(strange), str(file), "every slot", "a candidate of its target",
        f"target {target[first].tolist()}, slot {slot[first].tolist()}",
    )  # fmt: skip
    expect(len(np.unique(keys)) == len(keys), str(file), "links", "named once", "the same link twice")
    return np.asarray(place, np.int64)


def _answers(asked: Questions, file: Path) -> NDArray[np.int8]:
    """What the attack could say, by target; without the file, everything that has an anchored candidate.

    Which targets have an anchor stands in the release: the file cannot take one away.
    """
    anchored = np.zeros(len(asked), bool)
    anchored[asked.pair_target[asked.slot_anchor[asked.slots] >= 0]] = True
    answer = np.where(anchored, Answer.INFORMED, Answer.NO_ANCHOR).astype(np.int8)
    if not file.exists():
        return answer
    listed = read_answers(file, len(asked), ANSWERS)
    answer[anchored & (np.array(listed, object) == ANSWERS[Answer.NO_SCORE])] = Answer.NO_SCORE
    return answer


def _targets(guesses: Guesses, release: Disassociated) -> pa.Table:
    import pyarrow as pa

    asked = guesses.questions
    row = asked.target_row
    offsets, codes = asked.items(release)
    return pa.table(
        {
            "target": pa.array(np.arange(len(asked))),
            "kind": kind_names(asked.target_kind),
            "cluster": pa.array(release.row_cluster[row], mask=release.row_cluster[row] < 0),
            "joint": pa.array(release.row_joint[row], mask=release.row_joint[row] < 0),
            "chunk": pa.array(release.row_chunk[row]),
            "items": list_column(release.vocabulary, offsets, codes.astype(np.int32)),
            "copies": pa.array(asked.target_copies, mask=asked.target_copies == 0),
            "answer": pa.array(ANSWERS).take(pa.array(guesses.answer)),
        }
    )
