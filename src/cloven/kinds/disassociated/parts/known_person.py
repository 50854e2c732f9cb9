"""What a release in parts tells of a known person: the readers of ``attack/known_person``, part by part.

Expected records with the known items, and with each further item, are sums over clusters; so they are summed up over
parts before anything is claimed. What is certain must follow from every part where the known items can stand. All known
sets are asked about together, so that parts are read once for many of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from cloven.data.arrays import offsets_of
from cloven.data.known_sets import Certain, Known, Told
from cloven.errors import ParameterError
from cloven.kinds.disassociated.attack.known_person import KnownPerson, Reader
from cloven.kinds.disassociated.attack.known_person_answers import Answers
from cloven.kinds.disassociated.attack.known_person_kernel import MOST_KNOWN
from cloven.kinds.disassociated.attack.known_person_layout import Around
from cloven.kinds.disassociated.attack.known_person_lone import claims_from
from cloven.kinds.disassociated.parts.folder import answer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.compiled import Floats, Longs
    from cloven.kinds.disassociated.parts.folder import Arrays, Part, PartsFolder

READERS: tuple[Reader, ...] = get_args(Reader)


def readers(folder: PartsFolder, known: Known, floor: float) -> dict[str, Answers]:
    """All readers of a release in parts, asked about these sets from a floor on; the first one comes first."""
    width = max(1, len(folder.totals.names))
    known.check(width, MOST_KNOWN)
    sets = known.distinct()
    if (np.diff(sets.offsets) == 0).any():
        message = "a known set is empty; who knows nothing of a person is not asked about"
        raise ParameterError(message)
    sets = Known(sets.offsets, sets.codes, np.arange(len(sets)))
    found: dict[str, list[Told]] = {name: [] for name in READERS}
    sure, step = [np.empty(0, np.int64)], max(1, folder.sums // width)
    for first in range(0, max(1, len(sets)), step):
        some = sets.take(np.arange(first, min(first + step, len(sets))))
        totals, held, forced = _sums(folder, some, width)
        sure.append(first * width + forced)
        for at, name in enumerate(READERS):
            found[name].append(Told(*claims_from(totals[at], held[at], some.offsets, some.codes, floor)))
    keys = np.concatenate(sure)
    certain = Certain(offsets_of(np.bincount(keys // width, minlength=len(sets))), keys % width)
    return {name: Answers(sets, Told.joined(told), certain, floor) for name, told in found.items()}


def _sums(folder: PartsFolder, sets: Known, width: int) -> tuple[Floats, Floats, Longs]:
    """What all parts say of some sets, for each reader; keys of what is certain."""
    totals, held = _room(len(sets), width)
    forced, standing = [], np.zeros(len(sets), np.int64)
    for told in folder.ask(summed, {"offsets": sets.offsets, "codes": sets.codes}):
        totals += told["totals"]
        held += told["held"]
        forced.append(told["forced"])
        standing += told["standing"]
    # Where no cluster is left as a reader looks at it, every place counts.
    reader, nowhere = np.nonzero(totals <= 0)
    totals[reader, nowhere], held[reader, nowhere] = totals[0, nowhere], held[0, nowhere]
    keys, many = np.unique(np.concatenate(forced), return_counts=True)
    return totals, held, keys[many == standing[keys // width]]


def _room(sets: int, width: int) -> tuple[Floats, Floats]:
    return np.zeros((len(READERS), sets)), np.zeros((len(READERS), sets, width))


def summed(asked: str) -> str:
    """Have a group of parts answer."""
    return answer(asked, _summed)


def _summed(parts: Iterable[Part], question: Arrays) -> dict[str, NDArray[Any]]:
    """What parts say of known sets, added up."""
    sets = Known.from_arrays(question["offsets"], question["codes"])
    width = max(1, len(question["copies"]))
    totals, held = _room(len(sets), width)
    forced, standing = [np.empty(0, np.int64)], np.zeros(len(sets), np.int64)
    for part in parts:
        around = Around(float(part.records), part.shown, part.listed, part.totals.copies)
        reader = KnownPerson.of(part.release, "method", around=around)
        reader.add_expected(sets, totals, held)
        sure, somewhere = reader.certain_here(sets)
        number = np.repeat(np.arange(len(sets)), np.diff(sure.offsets))
        forced.append(number * width + sure.items)
        standing += somewhere
    found = np.concatenate(forced)
    return {"totals": totals, "held": held, "forced": found, "standing": standing}
