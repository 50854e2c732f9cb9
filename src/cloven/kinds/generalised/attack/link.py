"""Who knows some items of one person: how many candidate records does a set-generalised release leave?

The attacker of k^m-anonymity (Terrovitis, Mamoulis and Kalnis, PVLDB 2008): a row is a candidate if it shows the block
of every known item. The release alone is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from cloven.figures import many
from cloven.kinds.generalised.guesses import rows_by_block

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from cloven.compiled import Longs
    from cloven.kinds.generalised.release import SetGeneralised


@dataclass(frozen=True)
class GeneralisedLink:
    """How far a release narrows down a person of whom these items are known.

    Attributes:
        items: the items known, ascending, without repeats.
        candidates: rows that show the blocks of all of them that are published.
        certain: rows that show all of them as blocks of one item.
        blocks: how many different blocks they are in.
        unknown: those of the items that the release does not contain: nobody has them, or they are suppressed.
    """

    items: tuple[str, ...]
    candidates: int
    certain: int
    blocks: int
    unknown: tuple[str, ...]


def linked(release: SetGeneralised, known: tuple[str, ...]) -> GeneralisedLink:
    """Count the candidate rows of somebody who knows these items of one person; see ``candidates``."""
    code_of = {name: code for code, name in enumerate(release.vocabulary)}
    codes = [code_of[item] for item in known if item in code_of]
    unknown = tuple(item for item in known if item not in code_of)
    look_up = LookUp.of(release)
    found, blocks = look_up.candidates(codes), look_up.images(codes)
    certain = not unknown and bool((release.block_sizes[blocks] == 1).all())
    return GeneralisedLink(known, found, found if certain else 0, len(blocks), unknown)


def told(release: SetGeneralised, found: GeneralisedLink) -> Iterator[str]:
    """What was found, in sentences."""
    may_be_lost = bool(release.parameters.get("max_suppressed"))
    if found.unknown:
        why = "nobody has them, or they are suppressed and tell nothing" if may_be_lost else "nobody has them"
        yield f"not in the release: {', '.join(found.unknown)}; {why}"
        if not may_be_lost:
            return
    yield (
        f"{many(found.candidates, 'candidate record')}: they show all {many(found.blocks, 'block')} of these items;"
        f" {found.certain:,} certainly have all of them"
    )
    m = release.parameters.get("all_up_to") or 0
    if not found.candidates:
        yield "nobody in the release has all of these together"
    elif len(found.items) <= m:
        yield f"the release promises at least k = {release.k} for up to m = {m} items that somebody has"
    elif release.parameters.get("protected"):
        yield f"the release promises k = {release.k} for the itemsets of its policy, which is not published"
    else:
        yield f"the release promises nothing for more than m = {m} items"


@dataclass(frozen=True, eq=False)
class LookUp:
    """Rows of every block, for many questions about one release."""

    release: SetGeneralised
    starts: Longs
    rows: Longs

    @classmethod
    def of(cls, release: SetGeneralised) -> LookUp:
        """Look the rows up once."""
        return cls(release, *rows_by_block(release))

    def images(self, codes: Iterable[int]) -> Longs:
        """Blocks of some items."""
        return np.unique(self.release.block_of_item[np.array(list(codes), np.int64)])

    def candidates(self, codes: Iterable[int]) -> int:
        """Rows that show the blocks of all these items."""
        blocks = self.images(codes)
        if not len(blocks):
            return self.release.records
        lists = sorted((self.rows[self.starts[b] : self.starts[b + 1]] for b in blocks.tolist()), key=len)
        return len(reduce(lambda some, more: np.intersect1d(some, more, assume_unique=True), lists))


def looker(release: SetGeneralised) -> Callable[[list[int]], tuple[int, float]]:
    """Looks up somebody who knows these published items: candidates, of which each is as likely as the others."""
    rows = LookUp.of(release)

    def look(codes: list[int]) -> tuple[int, float]:
        many = rows.candidates(codes)
        return many, 1 / many if many else 0.0

    return look
