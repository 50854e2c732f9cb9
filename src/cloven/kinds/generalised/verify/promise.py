"""k^m-anonymity of a set-generalised release: every combination of up to m blocks in a row is in k rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from cloven.kinds.generalised.policy import Policy
from cloven.kinds.generalised.verify.original import block_of_items
from cloven.verification.verdict import Fault, conclude, named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cloven.compiled import Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.generalised.policy import Itemset
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.kinds.generalised.verify.original import Rows
    from cloven.verification.verdict import Check, Level


def check_combinations(
    release: SetGeneralised, rows: Rows, policy: Policy | None, level: Level
) -> list[Check]:
    """Combinations of blocks, up to the size that the release or the policy names; no check if neither does."""
    promised = release.parameters.get("all_up_to", 0)
    size = max(int(promised) if isinstance(promised, int) else 0, (policy or Policy()).all_up_to)
    if size < 1:
        return []
    found = _rare(rows, release.k, size)
    faults = []
    if len(found):
        blocks = [release.block(block)[0] for block in found[:-1].tolist()]
        held = f"{found[-1]} {rows.noun}{'s' if found[-1] != 1 else ''}"
        said = f"blocks of {named(blocks, range(len(blocks)))} are together in {held}, k is {release.k}"
        faults.append(Fault(1, said))
    name = "combinations" if level == "release" else "combinations by persons"
    otherwise = f"all of up to {size} blocks are in {release.k} {rows.noun}s or in none"
    return [conclude(name, level, len(rows.owner), faults, otherwise)]


def _rare(rows: Rows, k: int, size: int) -> Longs:
    """A combination of blocks that too few hold, followed by how many; empty if there is none."""
    from cloven.verification import km  # numba takes long to import

    if rows.count == 0:
        return np.empty(0, np.int64)
    once = np.ones(len(rows.owner), np.int64)
    starts, ends = rows.offsets[:-1].astype(np.int64), rows.offsets[1:].astype(np.int64)
    searched = km.Rows(starts, ends, rows.owner, once, rows.blocks)
    return km.search(0, len(rows.owner), searched, rows.count, int(k), min(size, rows.count), strict=False)


# Constraints of a policy: every protected itemset, by both readings, and every block inside a utility group.
#
# A suppressed item is not looked for by anybody: what counts are the blocks of the items that are left. An item that
# the original does not hold is held by nobody, and so is an itemset with it.


Image = tuple[int, ...]


@dataclass
class _Supports:
    """Supports of combinations of blocks, each counted once."""

    rows: Rows
    known: dict[Image, int] = field(default_factory=dict)

    def of(self, image: Image) -> int:
        if image not in self.known:
            self.known[image] = self.rows.owners(self.rows.showing_all(image))
        return self.known[image]

    def rare_part(self, image: Image, k: int) -> Image | None:
        """A part of an image with support between 0 and k; parts of what nobody holds are not looked into."""
        if self.of(image) >= k:
            return None
        waiting: list[tuple[Image, int]] = [((block,), at) for at, block in enumerate(image)]
        while waiting:
            part, last = waiting.pop()
            support = self.of(part)
            if 0 < support < k:
                return part
            if support:
                waiting += [((*part, image[at]), at) for at in range(last + 1, len(image))]
        return None


def check_constraints(
    release: SetGeneralised, rows: Rows, original: Transactions | None, policy: Policy, level: Level
) -> list[Check]:
    """Every listed itemset; the stricter reading must hold if the release promises it, or does not say."""
    block, code_of = block_of_items(release), {item: code for code, item in enumerate(release.vocabulary)}
    there = None if original is None else set(original.vocabulary)
    supports, rare, parts, open_questions = _Supports(rows), [], [], 0
    for items in policy.protected:
        image = tuple(sorted({int(block[code_of[item]]) for item in items if item in code_of}))
        if not image:
            continue
        held = there is None or there.issuperset(items)
        undecided = there is None and not all(item in code_of for item in items)
        fault = _too_rare(supports, items, image, release.k) if held else None
        part = supports.rare_part(image, release.k)
        open_questions += undecided and fault is not None
        if fault is not None and not undecided:
            rare.append(fault)
        if part is not None:
            shown = [release.block(number)[0] for number in part]
            parts.append(
                f"{_listed(items)}: blocks of {_listed(shown)} are{_many(supports.of(part), rows, release.k)}"
            )
    promised = release.parameters.get("reading", "subsets-too") == "subsets-too"
    return [
        _verdict("itemsets", level, policy, rare, open_questions, required=True),
        _verdict("itemsets and subsets", level, policy, parts, 0, required=promised),
    ]


def _too_rare(supports: _Supports, items: Itemset, image: Image, k: int) -> str | None:
    support = supports.of(image)
    return f"{_listed(items)} is{_many(support, supports.rows, k)}" if 0 < support < k else None


def _many(support: int, rows: Rows, k: int) -> str:
    return f" shown by {support} {rows.noun}{'s' if support != 1 else ''}, k is {k}"


def _listed(items: Iterable[str]) -> str:
    names = list(items)
    return named(names, range(len(names)))


def _verdict(
    name: str, level: Level, policy: Policy, found: list[str], undecided: int, *, required: bool
) -> Check:
    many = len(policy.protected)
    said = f"{many:,} protected itemsets hold"
    if undecided:
        said += f"; cannot be decided without the original: {undecided:,} with items that are not published"
    if found and not required:
        said = f"{len(found):,} of {many:,} protected itemsets have a rare part, which is not promised"
    faults = [Fault(len(found), found[0])] if found and required else []
    return conclude(name if level == "release" else f"{name} by persons", level, many, faults, said)


def check_groups(release: SetGeneralised, policy: Policy) -> Check:
    """Every block of several items lies inside a utility group."""
    general = [number for number in range(release.blocks) if release.block_sizes[number] > 1]
    faults = []
    if policy.groups is not None:
        of_item: dict[str, set[int]] = {}
        for number, (_, items) in enumerate(policy.groups):
            for item in items:
                of_item.setdefault(item, set()).add(number)
        for block in general:
            inside = [of_item.get(item, set()) for item in release.block(block)]
            if not set.intersection(*inside):
                faults.append(Fault(1, f"block {_listed(release.block(block))} is inside no utility group"))
    otherwise = f"{len(general):,} generalised items, each inside a group"
    return conclude("utility groups", "release", len(general), faults, otherwise)
