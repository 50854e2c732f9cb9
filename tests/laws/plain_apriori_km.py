"""k^m-anonymity by generalisation in plain Python, straight from the definitions: slow, but checked by reading."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product


def rare(records, owners, k, m, size=None):
    """Combinations of up to m (or of exactly ``size``) values that some, but fewer than k owners hold."""
    sizes = range(1, m + 1) if size is None else [size]
    met = {
        combination
        for record in records
        for size in sizes
        for combination in combinations(sorted(record), size)
    }
    return {c for c in met if len({o for r, o in zip(records, owners, strict=True) if r.issuperset(c)}) < k}


def paths(taxonomy, items):
    """For each item the sets of occurring items of its groups, from itself up to everything, each once."""
    chains = {item: [taxonomy.leaf_group[item]] for item in items}
    for chain in chains.values():
        while chain[-1] != taxonomy.root:
            chain.append(taxonomy.group_parent[chain[-1]])
    under = {
        group: tuple(sorted(i for i in items if group in chains[i]))
        for chain in chains.values()
        for group in chain
    }
    return {
        item: list(dict.fromkeys([(item,), *(under[group] for group in chain)]))
        for item, chain in chains.items()
    }


def splits(paths, block):
    """Blocks that one block falls into when its generalisation is undone by one step."""
    return {paths[item][paths[item].index(block) - 1] for item in block}


def published(records, cut):
    """Records with the block of each item."""
    return [frozenset(cut[item] for item in record) for record in records]


def ncp(records, cut):
    """Mean over occurrences of the share of the items that are published in place of one."""
    items = {item for record in records for item in record}
    penalties = [len(cut[item]) * (len(cut[item]) > 1) for record in records for item in record]
    return Fraction(sum(penalties), len(penalties) * len(items))


def every_cut(paths):
    """All cuts: mappings of items to blocks that are full subtrees without overlap."""
    items = sorted(paths)
    for choice in product(*(paths[item] for item in items)):
        cut = dict(zip(items, choice, strict=True))
        if all(cut[other] == block for block in choice for other in block):
            yield cut


def apriori(records, owners, paths, k, m):
    """The algorithm of the paper, most general combinations first, then those of the most frequent nodes."""
    cut = {item: (item,) for item in paths}
    for size in range(1, m + 1):
        rows = published(records, cut)
        support = {block: sum(block in row for row in rows) for block in set(cut.values())}
        order = _left_to_right(paths, sorted(support))
        rank = {
            block: place for place, block in enumerate(sorted(order, key=lambda b: (-len(b), -support[b])))
        }
        walk = sorted(
            (sorted(c, key=rank.__getitem__) for c in rare(rows, owners, k, m, size)),
            key=lambda c: [rank[block] for block in c],
        )
        for combination in walk:
            image = {cut[block[0]] for block in combination}
            if rare_image(records, owners, paths, cut, image, k):
                cut = cheapest(records, owners, paths, cut, _left_to_right(paths, image), k)
    return cut


def rare_image(records, owners, paths, cut, blocks, k):
    """Whether fewer than k owners have a record that touches all of these blocks."""
    holders = {
        owner
        for record, owner in zip(records, owners, strict=True)
        if all(record.intersection(block) for block in blocks)
    }
    return len(holders) < k


def cheapest(records, owners, paths, cut, blocks, k):
    """The cut with the least NCP that raises these blocks so that they are frequent; of equal ones the first."""
    chains = [paths[block[0]][paths[block[0]].index(block) :] for block in blocks]
    best = None
    for choice in product(*chains):
        nested = any(set(a) < set(b) for a in choice for b in choice)
        if nested or rare_image(records, owners, paths, cut, set(choice), k):
            continue
        raised = cut | {item: block for block in choice for item in block}
        if best is None or ncp(records, raised) < ncp(records, best):
            best = raised
    return best


def _left_to_right(paths, blocks):
    """Blocks in the order of a tree whose children are ordered by their first items."""
    return sorted(blocks, key=lambda b: [up[0] for up in reversed(paths[b[0]][paths[b[0]].index(b) :])])
