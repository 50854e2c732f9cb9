"""Mondrian in plain Python, on every table that people with known quasi-identifiers may have made.

The table is that of ``plain_tables``: age (numbers), letter (with a tree), town (without one), and an illness.
"""

from __future__ import annotations

from collections import Counter

from plain_classes import distinct, entropy, equal_distance, ordered_distance, recursive, strict_cuts

BRANCHES = {0: "ab", 1: "ab", 2: "cd", 3: "cd"}
FLAT = {0: "a", 1: "b", 2: "c", 3: "d"}
"""The branch of each letter; without branches two classes may show the same cells."""

DEMANDS = {
    "distinct-l": lambda values, whole, how: distinct(values, whole) >= how["l"],
    "entropy-l": lambda values, whole, how: entropy(values, whole) >= how["l"] - 1e-7,
    "recursive-l": lambda values, whole, how: recursive(values, how["c"], how["l"]),
    "t-closeness": lambda values, whole, how: (
        (equal_distance if how["distance"] == "equal" else ordered_distance)(values, whole) <= how["t"] + 1e-7
    ),
}


def node(letters, tree):
    """The smallest cover of some letters."""
    if len(set(letters)) == 1:
        return letters[0]
    branches = {tree[letter] for letter in letters}
    return branches.pop() if len(branches) == 1 else "*"


def cover(rows, tree):
    """What a class shows of its people."""
    ages, letters, towns = zip(*rows, strict=True)
    return (min(ages), max(ages)), node(letters, tree), tuple(sorted(set(towns)))


def width(rows, axis, tree):
    values = {row[axis] for row in rows}
    if axis == 0:
        return max(values) - min(values)
    if axis == 1:
        shown = node(sorted(values), tree)
        return {"*": 3, "ab": 1, "cd": 1}.get(shown, 0)
    return len(values) - 1


class PlainMondrian:
    """Cut people (quasi-identifiers) with illnesses; one constraint, or none."""

    def __init__(self, people, k, how, partition, tree=BRANCHES):
        self.people, self.k, self.how, self.partition, self.tree = people, k, how, partition, tree
        self.widest = [width(people, axis, tree) for axis in range(3)]

    def keeps(self, numbers, ills):
        if self.how is None:
            return True
        return DEMANDS[self.how["demand"]]([ills[number] for number in numbers], ills, self.how)

    def attempts(self, numbers):
        """All cuts with k on both sides, in the order in which they are tried."""
        rows = [self.people[number] for number in numbers]
        wide = [
            width(rows, axis, self.tree) / self.widest[axis] if self.widest[axis] else 0 for axis in range(3)
        ]
        for axis in sorted(range(3), key=lambda each: (-wide[each], each)):
            found = []
            for value in sorted({row[axis] for row in rows})[1:]:
                left = [number for number in numbers if self.people[number][axis] < value]
                right = [number for number in numbers if self.people[number][axis] >= value]
                if min(len(left), len(right)) >= self.k:
                    far = abs(len(left) - len(numbers) // 2)
                    found.append((self.inside_branch(rows, axis, value), far, -len(left), left, right))
            yield from ((left, right) for *_, left, right in sorted(found))

    def inside_branch(self, rows, axis, value):
        """Cuts between branches come first: those right below the lowest node that covers everybody."""
        if axis != 1:
            return False
        letters = sorted({row[1] for row in rows})
        before = max(letter for letter in letters if letter < value)
        return node([before, value], self.tree) != node(letters, self.tree)

    def classes(self, ills):
        """Numbers of the people of each class."""
        if self.partition == "replay-proof":
            return self.joined(list(range(len(self.people))), ills)
        waiting, found = [list(range(len(self.people)))], []
        while waiting:
            numbers = waiting.pop()
            for left, right in self.attempts(numbers):
                if self.keeps(left, ills) and self.keeps(right, ills):
                    waiting += [left, right]
                    break
            else:
                found.append(numbers)
        return found

    def joined(self, numbers, ills):
        """Cut to the end by k alone; what misses the constraint is joined with the other side of its cut."""
        for left, right in self.attempts(numbers):
            parts = self.joined(left, ills) + self.joined(right, ills)
            return parts if all(self.keeps(part, ills) for part in parts) else [numbers]
        return [numbers]

    def release(self, ills):
        """What is published: each row as its class shows it."""
        return Counter(
            (cover([self.people[number] for number in part], self.tree), ills[one])
            for part in self.classes(ills)
            for one in part
        )


def tables_of(values):
    """Every way to deal values to people, once."""
    left, hand = Counter(values), []

    def deal():
        if len(hand) == len(values):
            yield tuple(hand)
            return
        for value in sorted(left):
            if left[value]:
                left[value] -= 1
                hand.append(value)
                yield from deal()
                hand.pop()
                left[value] += 1

    yield from deal()


def possible_tables(method, ills):
    """All tables that give exactly the release of this one."""
    published = method.release(ills)
    return [other for other in tables_of(ills) if method.release(other) == published]


def chances(tables, person):
    """How likely each value is if all tables are."""
    counts = Counter(table[person] for table in tables)
    return {value: count / len(tables) for value, count in counts.items()}


def uncut_deals(method, numbers, ills):
    """Ways to deal the values of one class to its people under which no cut of it was possible."""
    rows = [(*method.people[number], number) for number in numbers]
    cuts = [
        tuple([row[3] for row in side] for side in sides)
        for sides in strict_cuts(rows, 3)
        if min(map(len, sides)) >= method.k
    ]
    if method.partition == "replay-proof":
        cuts = list(method.attempts(numbers))[:1]
    found = []
    for deal in tables_of([ills[number] for number in numbers]):
        world = list(ills)
        for number, value in zip(numbers, deal, strict=True):
            world[number] = value
        if not any(all(method.keeps(side, world) for side in sides) for sides in cuts):
            found.append(tuple(world))
    return found
