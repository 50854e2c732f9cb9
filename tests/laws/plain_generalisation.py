"""COAT and PCTA in plain Python on sets, straight from the pseudo-code: the oracle for the compiled kernels.

Slow, simple, and written apart from them: every support is counted from the records, every loss is a whole number.
Data is a list of holders, each a list of records: of one record each, unless a person has several.
"""

from __future__ import annotations

from itertools import combinations


class Impossible(Exception):  # noqa: N818 - a result, not a failure
    """Neither a merge nor a suppression is allowed."""


def one_each(records):
    """Every record is somebody else's."""
    return [[record] for record in records]


def all_items(holders):
    return sorted({item for holder in holders for record in holder for item in record})


def support(holders, image):
    """Holders of a record that touches every block."""
    return sum(any(all(record & block for block in image) for record in holder) for holder in holders)


def image_of(partition, itemset):
    return {block for block in partition if block & set(itemset)}


def satisfied(holders, partition, itemset, k, reading):
    """A protected itemset, by the definitions: suppressed items are in no block."""
    image = image_of(partition, itemset)
    if not image:
        return True
    count = support(holders, image)
    if count >= k:
        return True
    if count > 0:
        return False
    if reading == "empty-is-enough":
        return True
    parts = (part for size in range(1, len(image)) for part in combinations(image, size))
    return all(support(holders, part) >= k or support(holders, part) == 0 for part in parts)


def loss(holders, block):
    return (2 ** len(block) - 1) * support(holders, [block])


def demands(holders, policy, reading):
    """Stages of constraints with the rule 'support 0 or at least k': one for each size of all, then the listed ones."""
    items = all_items(holders)
    records = [record for holder in holders for record in holder]
    stages = [[tuple(c) for c in combinations(items, size)] for size in range(1, policy.all_up_to + 1)]
    stages = [[c for c in stage if any(set(c) <= record for record in records)] for stage in stages]
    listed = set()
    for itemset in policy.protected:
        sizes = range(1, len(itemset) + 1) if reading == "subsets-too" else [len(itemset)]
        listed |= {part for size in sizes for part in combinations(sorted(itemset), size)}
    return stages, sorted(itemset for itemset in listed if len(itemset) > policy.all_up_to)


def allowed(partition, block, groups):
    """Blocks that may be merged with this one."""
    return [
        other
        for other in partition
        if other != block and (groups is None or any(block | other <= set(items) for _, items in groups))
    ]


def cheapest(holders, partition, block, groups):
    """Least loss, then smaller support, then text; with the pair that it merges."""
    options = [
        (loss(holders, block | other), support(holders, [block | other]), min(other), other)
        for other in allowed(partition, block, groups)
    ]
    return min(options)[3] if options else None


def worst(holders, partition, constraints, k, tie):
    """The constraint of largest support that is not satisfied."""
    counted = [(support(holders, image_of(partition, c)), c) for c in constraints if image_of(partition, c)]
    broken = [(-count, tie(partition, c), c) for count, c in counted if 0 < count < k]
    return min(broken)[2] if broken else None


def by_text(partition, constraint):
    return constraint


def by_blocks(partition, constraint):
    return sorted(min(block) for block in image_of(partition, constraint))


def generalise(holders, policy, k, max_suppressed, reading, step):
    """Partition of the items that are left, and how many were suppressed; ``step`` is that of COAT or PCTA."""
    items = all_items(holders)
    state = {"partition": [frozenset([item]) for item in items], "suppressed": 0}
    budget = int(max_suppressed * len(items) + 1e-9)
    stages, listed = demands(holders, policy, reading)
    for constraints, tie in [*((stage, by_blocks) for stage in stages), (listed, by_text)]:
        while (constraint := worst(holders, state["partition"], constraints, k, tie)) is not None:
            step(holders, state, constraint, k, policy.groups, budget)
    return sorted(tuple(sorted(block)) for block in state["partition"]), state["suppressed"]


def merge(state, one, other):
    state["partition"] = [block for block in state["partition"] if block not in (one, other)] + [one | other]


def suppress(state, block, budget):
    if state["suppressed"] + len(block) > budget:
        return False
    state["suppressed"] += len(block)
    state["partition"] = [other for other in state["partition"] if other != block]
    return True


def rarest_first(holders, state, constraint):
    image = image_of(state["partition"], constraint)
    return sorted(image, key=lambda block: (support(holders, [block]), min(block)))


def coat_step(holders, state, constraint, k, groups, budget):
    """Stay with one constraint until it is satisfied."""
    while True:
        image = rarest_first(holders, state, constraint)
        if not image or not 0 < support(holders, image) < k:
            return
        for block in image:
            other = cheapest(holders, state["partition"], block, groups)
            if other is not None:
                merge(state, block, other)
                break
            if suppress(state, block, budget):
                break
        else:
            raise Impossible


def pcta_step(holders, state, constraint, k, groups, budget):
    """One merge, the best of all blocks of the constraint."""
    image = rarest_first(holders, state, constraint)
    options = []
    for block in image:
        other = cheapest(holders, state["partition"], block, groups)
        if other is not None:
            both = block | other
            pair = sorted((min(block), min(other)))
            options.append((loss(holders, both), support(holders, [both]), pair, block, other))
    if options:
        *_, block, other = min(options, key=lambda option: option[:3])
        merge(state, block, other)
    elif not any(suppress(state, block, budget) for block in image):
        raise Impossible
