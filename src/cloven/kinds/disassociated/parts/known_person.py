"""What a release in parts tells of a known person: the readers of ``attack/known_person``, part by part.

Expected records with the known items, and with each further item, are sums over clusters; so they are summed up over
parts before anything is claimed. What is certain must follow from every part where the known items can stand. All known
sets are asked about together, so that parts are read once for many of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from cloven.data.arrays import offsets_of
from cloven.data.known_sets import Certain, Claims, Known
from cloven.errors import ParameterError
from cloven.kinds.disassociated.attack import known_person
from cloven.kinds.disassociated.attack.known_person import KnownPerson
from cloven.kinds.disassociated.attack.known_person_kernel import MOST_KNOWN
from cloven.kinds.disassociated.attack.known_person_layout import Around
from cloven.kinds.disassociated.attack.known_person_lone import claims_from
from cloven.kinds.disassociated.parts.folder import answer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs
    from cloven.kinds.disassociated.parts.folder import Arrays, Part, PartsFolder

AT_ONCE = 1 << 23
"""Sums that one reader keeps at once: known sets times items."""


@dataclass(frozen=True, eq=False)
class PartsReader:
    """One reader of a release in parts, who was asked about some sets and can answer about these.

    Attributes:
        sets: the sets, each once.
        totals: expected records with each.
        held: expected records with each, and with each item.
        sure: keys ``set * items + item`` of what is certain, ascending.
    """

    sets: Known
    totals: Floats
    held: Floats
    sure: Longs

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
        asked, sets = self._numbers(known), self.sets
        flags = np.ones(self.held.shape[1], bool) if eligible is None else np.asarray(eligible, bool)
        return Claims(
            *claims_from(self.totals, self.held, sets.offsets, sets.codes, asked, flags, floor, best)
        )

    def certain(self, known: Known, eligible: Flags | None = None) -> Certain:
        """As of a release that is read whole."""
        width, asked = self.held.shape[1], self._numbers(known)
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
    names = get_args(known_person.Reader)
    totals = np.zeros((len(names), len(sets)))
    held, sure = np.zeros((len(names), len(sets), width)), []
    step = max(1, AT_ONCE // width)
    for first in range(0, len(sets), step):
        some = np.arange(first, min(first + step, len(sets)))
        forced, standing = _sums(folder, sets.take(some), totals[:, some[0] : some[-1] + 1], held, first)
        keys, many = np.unique(forced, return_counts=True)
        sure.append(first * width + keys[many == standing[keys // width]])
    # Where no cluster is left as a reader looks at it, every place counts.
    nowhere = totals <= 0
    totals, held = np.where(nowhere, totals[0], totals), np.where(nowhere[..., None], held[0], held)
    certain = np.concatenate(sure)
    return {name: PartsReader(sets, totals[at], held[at], certain) for at, name in enumerate(names)}


def _sums(folder: PartsFolder, sets: Known, totals: Floats, held: Floats, first: int) -> tuple[Longs, Longs]:
    """Fill in what all parts say of some sets; keys of what each part forces, and in how many each set can stand."""
    forced, standing = [], np.zeros(len(sets), np.int64)
    question = {"offsets": sets.offsets, "codes": sets.codes}
    for told in folder.ask(summed, question):
        totals += told["totals"]
        held[:, first : first + len(sets)] += told["held"]
        forced.append(told["forced"])
        standing += told["standing"]
    return np.concatenate(forced), standing


def summed(asked: str) -> str:
    """Have a group of parts answer."""
    return answer(asked, _summed)


def _summed(parts: Iterable[Part], question: Arrays) -> dict[str, NDArray[Any]]:
    """What parts say of known sets, added up."""
    sets = Known.from_arrays(question["offsets"], question["codes"])
    names, width = get_args(known_person.Reader), max(1, len(question["copies"]))
    totals, held = np.zeros((len(names), len(sets))), np.zeros((len(names), len(sets), width))
    forced, standing = [np.empty(0, np.int64)], np.zeros(len(sets), np.int64)
    for part in parts:
        around = Around(float(part.records), part.shown, part.listed, part.totals.copies)
        for at, name in enumerate(names):
            reader = KnownPerson.of(part.release, name, around=around)
            reader.add_expected(sets, totals[at], held[at])
            if at == 0:
                sure, somewhere = reader.certain_here(sets)
                number = np.repeat(np.arange(len(sets)), np.diff(sure.offsets))
                forced.append(number * width + sure.items)
                standing += somewhere
    found = np.concatenate(forced)
    return {"totals": totals, "held": held, "forced": found, "standing": standing}
