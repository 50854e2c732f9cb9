"""What a release in parts tells of a known person: the readers of ``attack/known_person``, part by part.

Expected records with the known items, and with each further item, are sums over clusters; so they are summed up over
parts before anything is claimed. What is certain must follow from every part where the known items can stand. All known
sets are asked about together, so that parts are read once for many of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import offsets_of
from cloven.data.known_sets import Certain, Claims, Known
from cloven.errors import ParameterError
from cloven.kinds.disassociated.attack.known_person import KnownPerson
from cloven.kinds.disassociated.attack.known_person_kernel import LEAST_BEST, MOST_KNOWN
from cloven.kinds.disassociated.attack.known_person_layout import Around
from cloven.kinds.disassociated.attack.known_person_lone import claims_from
from cloven.kinds.disassociated.parts.folder import answer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs
    from cloven.kinds.disassociated.attack.known_person import Reader
    from cloven.kinds.disassociated.parts.folder import Arrays, Part, PartsFolder

READERS: tuple[Reader, ...] = ("everywhere", "shown", "method")
"""As ``attack/known_person`` has them; the first two arrange a release alike."""


@dataclass(frozen=True, eq=False)
class PartsReader:
    """One reader of a release in parts, who was asked about some sets and can answer about these.

    Attributes:
        sets: the sets, each once.
        told: all that is claimed of each with ``LEAST_BEST`` or more.
        sure: keys ``set * items + item`` of what is certain, ascending.
        width: items of the release.
    """

    sets: Known
    told: Claims
    sure: Longs
    width: int

    @cached_property
    def _number(self) -> dict[tuple[int, ...], int]:
        return {tuple(self.sets.of_set(number)): number for number in range(len(self.sets))}

    def _numbers(self, known: Known) -> Longs:
        try:
            found = [self._number[tuple(known.of_set(number))] for number in range(len(known))]
        except KeyError as error:
            message = f"the parts were not asked about items {error}; name all known sets when they are asked"
            raise ParameterError(message) from error
        return np.array(found, np.int64)

    def claims(
        self, known: Known, eligible: Flags | None = None, floor: float = 0.2, *, best: bool = True
    ) -> Claims:
        """As of a release that is read whole."""
        asked = self.told.spread(self._numbers(known))
        number = np.repeat(np.arange(len(known)), np.diff(asked.offsets))
        fits = (
            np.ones(len(asked.items), bool) if eligible is None else np.asarray(eligible, bool)[asked.items]
        )
        likeliest, chance = np.full(len(known), -1, np.int64), np.zeros(len(known))
        counts = np.flatnonzero(fits & (asked.probability >= (LEAST_BEST if best else floor)))
        # The first of equals is the best: the last to be written.
        order = counts[np.lexsort((-asked.items[counts], asked.probability[counts]))]
        likeliest[number[order]], chance[number[order]] = asked.items[order], asked.probability[order]
        kept = np.flatnonzero(fits & (asked.probability >= floor))
        offsets = offsets_of(np.bincount(number[kept], minlength=len(known)))
        return Claims(offsets, asked.items[kept], asked.probability[kept], likeliest, chance, asked.expected)

    def certain(self, known: Known, eligible: Flags | None = None) -> Certain:
        """As of a release that is read whole."""
        width, asked = self.width, self._numbers(known)
        sure = self.sure if eligible is None else self.sure[np.asarray(eligible, bool)[self.sure % width]]
        first, last = (np.searchsorted(sure, (asked + more) * width) for more in (0, 1))
        found = [sure[start:end] % width for start, end in zip(first, last, strict=True)]
        return Certain(offsets_of(last - first), np.concatenate([np.empty(0, np.int64), *found]))


def readers(folder: PartsFolder, known: Known) -> dict[str, PartsReader]:
    """All readers of a release in parts, once they have been asked about these sets; the first one comes first."""
    width = max(1, len(folder.totals.names))
    known.check(width, MOST_KNOWN)
    sets = known.distinct()
    if (np.diff(sets.offsets) == 0).any():
        message = "a known set is empty; who knows nothing of a person is not asked about"
        raise ParameterError(message)
    sets = Known(sets.offsets, sets.codes, np.arange(len(sets)))
    found: dict[str, list[Claims]] = {name: [] for name in READERS}
    sure, step = [np.empty(0, np.int64)], max(1, folder.sums // width)
    for first in range(0, max(1, len(sets)), step):
        some = sets.take(np.arange(first, min(first + step, len(sets))))
        totals, held, certain = _sums(folder, some, width)
        sure.append(first * width + certain)
        for at, name in enumerate(READERS):
            found[name].append(Claims(*claims_from(totals[at], held[at], some.offsets, some.codes)))
    return {
        name: PartsReader(sets, Claims.joined(told), np.concatenate(sure), width)
        for name, told in found.items()
    }


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
        reader = KnownPerson.of(part.release, "everywhere", around=around)
        reader.add_expected(sets, totals[0], held[0])
        reader.add_expected(sets, totals[1], held[1], shown_only=True)
        sure, somewhere = reader.certain_here(sets)
        number = np.repeat(np.arange(len(sets)), np.diff(sure.offsets))
        forced.append(number * width + sure.items)
        standing += somewhere
        KnownPerson.of(part.release, "method", around=around).add_expected(sets, totals[2], held[2])
    found = np.concatenate(forced)
    return {"totals": totals, "held": held, "forced": found, "standing": standing}
