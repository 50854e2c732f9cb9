"""Ends of published ranges that are somebody's number: a range shows its ends to the digit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.families.words import many
from cloven.model.published_table import GeneralisedTable
from cloven.model.shown_cells import shown_release

if TYPE_CHECKING:
    from cloven.model.published_table import CellDomain, Sliced
    from cloven.model.table import Attribute, Table


def lone_ends(data: Table, release: GeneralisedTable | Sliced) -> list[str]:
    """Attributes whose ranges end at numbers that exactly one person has, each with what to do.

    Where a taxonomy or blocks of the schema say where ranges end, nobody's number decides it.
    """
    if not isinstance(release, GeneralisedTable):
        return []
    places = {attribute.name: place for place, attribute in enumerate(data.attributes)}
    out = []
    for domain in shown_release(release).domains:
        place = places[domain.name]
        attribute = data.attributes[place]
        if domain.sensitive or domain.numbers is None or _settled(attribute):
            continue
        ends = _ends(domain)
        rows = np.bincount(np.maximum(data.codes[:, place], 0), minlength=len(attribute))
        alone = {attribute.values[code] for code in np.flatnonzero(rows == 1).tolist()} & ends
        if alone:
            out.append(
                f"{many(len(alone), 'number')} of the {len(ends):,} that ranges of {domain.name} end at"
                f" {'is the number' if len(alone) == 1 else 'are numbers'} of exactly one person, to the digit; write"
                " round = 10, or another width, or cuts for it into the schema"
            )
    return out


def _settled(attribute: Attribute) -> bool:
    """Whether the owner says where ranges end."""
    return attribute.tree is not None or (attribute.blocks is not None and not attribute.blocks.single)


def _ends(domain: CellDomain) -> set[str]:
    """First and last number of each range of several."""
    edges = domain.member_offsets
    wide = np.flatnonzero(np.diff(edges) > 1)
    codes = np.concatenate([domain.members[edges[wide]], domain.members[edges[wide + 1] - 1]])
    return {domain.values[code] for code in np.unique(codes).tolist()}
