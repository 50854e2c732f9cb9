"""Do labels say what cells hold, and is every cell one that the owner's taxonomies allow?

A label is free text in a file: it could tell more than the cell, or something else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.errors import shorten
from cloven.verification.faults import Fault, conclude

if TYPE_CHECKING:
    from cloven.model.published_table import CellDomain, GeneralisedTable, Sliced
    from cloven.model.table import Attribute, Table
    from cloven.verification.verdict import Check

Held = tuple[str, ...]


def check_labels(release: GeneralisedTable | Sliced) -> Check:
    """Cells are called by what they hold; only groups of a taxonomy have names of their own.

    What a sensitive attribute shows are single values. Numbers are never called by a name: their ends say it all.
    """
    faults, examined, named = [], 0, 0
    for domain in release.domains:
        wrong, other, several = [], [], []
        for cell, label in enumerate(domain.labels):
            size = int(domain.member_offsets[cell + 1] - domain.member_offsets[cell])
            several += [label] * (domain.sensitive and size > 1)
            if label == _called(domain, cell):
                continue
            wrong += [label] * (size == 1)
            own_name = domain.numbers is None and not label.startswith("{")
            other += [label] * (size > 1 and not own_name)
            named += size > 1 and own_name
        name, examined = shorten(domain.name), examined + len(domain.labels)
        faults += [
            Fault(len(wrong), f"a cell of {name} is called {_first(wrong)} and holds another value"),
            Fault(len(other), f"a cell of {name} is called {_first(other)}, which is not what it holds"),
            Fault(len(several), f"the sensitive {name} shows {_first(several)}, which is no single value"),
        ]
    good = "every cell is called by what it holds"
    good += f", {named:,} by names of groups, which need the taxonomies" if named else ""
    return conclude("labels", "release", examined, faults, good)


def _called(domain: CellDomain, cell: int) -> str:
    """What a cell without a name of its own is called: its value, its ends, or all it holds."""
    start, end = domain.member_offsets[cell : cell + 2].tolist()
    first, last = int(domain.members[start]), int(domain.members[end - 1])
    if end - start == 1:
        return domain.values[first]
    if domain.numbers is not None and last - first == end - start - 1:
        return f"{domain.values[first]}..{domain.values[last]}"
    return "{" + ", ".join(domain.values[code] for code in domain.members[start:end].tolist()) + "}"


def check_cells(release: GeneralisedTable | Sliced, original: Table) -> Check:
    """Cells of several values are groups of the taxonomy, ranges or plain sets, and called so."""
    described = {attribute.name: attribute for attribute in original.attributes}
    faults, examined = [], 0
    for domain in release.domains:
        groups = _groups(described[domain.name])
        wrong = [
            label for cell, label in enumerate(domain.labels) if not _is_allowed(domain, cell, label, groups)
        ]
        examined += len(domain.labels)
        what = "is not called by what it holds" if groups is None else "is no group of its taxonomy"
        faults.append(Fault(len(wrong), f"{_first(wrong)} of {shorten(domain.name)} {what}"))
    otherwise = "cells of several values are ranges, sets, or groups of a taxonomy by their names"
    return conclude("cells", "original", examined, faults, otherwise)


def _groups(attribute: Attribute) -> dict[Held, set[str]] | None:
    """Names of the groups of a taxonomy by the values that they hold; None without a taxonomy."""
    tree = attribute.tree
    if tree is None:
        return None
    below: dict[int, list[int]] = {}
    for leaf in range(tree.leaves):
        for node in tree.path(leaf):
            below.setdefault(node, []).append(leaf)
    found: dict[Held, set[str]] = {}
    for node, leaves in below.items():
        found.setdefault(tuple(attribute.values[leaf] for leaf in leaves), set()).add(tree.labels[node])
    return found


def _is_allowed(domain: CellDomain, cell: int, label: str, groups: dict[Held, set[str]] | None) -> bool:
    """Whether a cell is one value, a group of the taxonomy, or without one any range or set; and is called so."""
    start, end = domain.member_offsets[cell : cell + 2].tolist()
    if end - start == 1:
        return True
    by_content = label == _called(domain, cell)
    if by_content and groups is None:
        return True
    held = tuple(domain.values[code] for code in domain.members[start:end].tolist())
    if groups is None:
        return label == "*" and len(held) == len(domain.values)
    return label in groups.get(held, ()) or (by_content and domain.numbers is not None and held in groups)


def _first(labels: list[str]) -> str:
    return shorten(labels[0]) if labels else ""
