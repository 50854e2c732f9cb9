"""Names of blocks: only the groups of a taxonomy have any, so a name can say nothing else.

A name is free text that is published beside the items. Methods without a taxonomy (COAT, PCTA) have no use for one, and
an item by itself is called by its own name. Whether the name of a group is the one that the owner's taxonomy has cannot
be seen: the taxonomy is neither published nor part of the key.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from cloven.errors import shorten
from cloven.model.counted import counted
from cloven.verification.faults import Fault, conclude, named
from cloven.verification.verdict import NOT_CHECKED, Check

if TYPE_CHECKING:
    from cloven.model.set_generalised import SetGeneralised

WITHOUT_TAXONOMY = ("coat", "pcta")


def check_block_labels(release: SetGeneralised) -> Check:
    """Blocks are called by nothing but their items, or by groups of a taxonomy where the method has one."""
    labels = [(number, label) for number, label in enumerate(release.block_labels) if label]
    method = release.parameters.get("method")
    faults = (
        [_fault(release, labels, f"{method} has no groups with names")]
        if method in WITHOUT_TAXONOMY
        else _strange_groups(release, labels)
    )
    if any(fault.count for fault in faults) or not labels:
        said = "no block has a name besides its items"
        return conclude("labels", "release", release.blocks, faults, said)
    detail = (
        f"{NOT_CHECKED}, nor at any other: that {counted(len(labels), 'group names are')} in the owner's"
        " taxonomy, which is not published; read them"
    )
    return Check("labels", "release", passed=True, examined=release.blocks, detail=detail, decided=False)


def _strange_groups(release: SetGeneralised, labels: list[tuple[int, str]]) -> list[Fault]:
    """What no group of a taxonomy is: one item, or two blocks."""
    times = Counter(label for _, label in labels)
    return [
        _fault(
            release,
            [each for each in labels if release.block_sizes[each[0]] == 1],
            "an item by itself is no group",
        ),
        _fault(release, [each for each in labels if times[each[1]] > 1], "another block has the same name"),
    ]


def _fault(release: SetGeneralised, wrong: list[tuple[int, str]], why: str) -> Fault:
    if not wrong:
        return Fault(0, "")
    number, label = wrong[0]
    items = release.block(number)
    return Fault(
        len(wrong), f"block {number}, {named(items, range(len(items)))}, is called {shorten(label)}: {why}"
    )
