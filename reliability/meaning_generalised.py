"""Small set-generalised releases in a plain form: made, changed, put into canonical order, judged by counting."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.taxonomy import Taxonomy
from cloven.data.transactions import Transactions
from cloven.kinds.generalised.key import GeneralisedKey
from cloven.kinds.generalised.methods.apriori_km import AprioriKm
from cloven.kinds.generalised.methods.by_policy import Coat, Pcta
from cloven.kinds.generalised.policy import Policy
from cloven.kinds.generalised.release import SetGeneralised
from reliability.changes import Nesting
from reliability.meaning_case import Case, Judgement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from random import Random

    from cloven.kinds.generalised.key import Generalised

LETTERS = "abcdefg"


@dataclass(eq=False)
class Block:
    """Items that are published as one."""

    items: set[str]
    label: str = ""


@dataclass(eq=False)
class Row:
    """The blocks of a row; by the key its record, and what of it is published."""

    blocks: list[Block]
    record: int
    items: set[str]


@dataclass
class Plain:
    """A release with original, key and policy."""

    k: int
    parameters: dict[str, Any]
    blocks: list[Block]
    rows: list[Row]
    original: list[frozenset[str]]
    policy: Policy | None
    lost: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    persons: list[int] | None = None

    @property
    def items(self) -> list[str]:
        """Every published item."""
        return sorted({item for block in self.blocks for item in block.items})


def plain_of(result: Generalised, original: list[frozenset[str]]) -> Plain:
    """The plain form of what an anonymiser made."""
    release, key = result.release, result.key
    blocks = [
        Block(set(release.block(number)), release.block_labels[number]) for number in range(release.blocks)
    ]
    rows = []
    for number, record in enumerate(key.records.tolist()):
        shown = release.row_blocks[release.row_offsets[number] : release.row_offsets[number + 1]].tolist()
        codes = key.items[key.offsets[number] : key.offsets[number + 1]].tolist()
        rows.append(
            Row([blocks[each] for each in shown], record, {release.vocabulary[code] for code in codes})
        )
    lost = list(zip(key.suppressed_record.tolist(), key.suppressed_items, strict=True))
    return Plain(release.k, dict(release.parameters), blocks, rows, original, result.policy, lost)


def build(plain: Plain) -> Case:
    """Release and key as ``verify`` takes them; blocks that no row shows go."""
    shown = {id(block) for row in plain.rows for block in row.blocks}
    plain.blocks = [block for block in plain.blocks if block.items and id(block) in shown]
    plain.blocks.sort(key=lambda block: sorted(block.items))
    number = {id(block): at for at, block in enumerate(plain.blocks)}
    for row in plain.rows:
        row.blocks = [block for block in row.blocks if id(block) in number]
    plain.rows.sort(key=lambda row: (sorted({number[id(block)] for block in row.blocks}), row.record))
    code = {item: at for at, item in enumerate(plain.items)}
    rows = [sorted({number[id(block)] for block in row.blocks}) for row in plain.rows]
    held = [sorted(code[item] for item in row.items if item in code) for row in plain.rows]
    blocks = [sorted(code[item] for item in block.items) for block in plain.blocks]
    release = SetGeneralised(
        k=plain.k,
        parameters=plain.parameters,
        vocabulary=tuple(code),
        block_labels=tuple(block.label for block in plain.blocks),
        block_offsets=_offsets(blocks),
        block_items=_flat(blocks),
        row_offsets=_offsets(rows),
        row_blocks=_flat(rows),
    )
    key = GeneralisedKey(
        records=np.array([row.record for row in plain.rows], np.int64),
        offsets=_offsets(held),
        items=_flat(held),
        suppressed_record=np.array([record for record, _ in plain.lost], np.int64),
        suppressed_items=tuple(items for _, items in plain.lost),
        persons=None
        if plain.persons is None
        else np.array([plain.persons[row.record] for row in plain.rows], np.int64),
    )
    return Case(release, data_of(plain.original, plain.persons), key, plain.policy)


def data_of(records: list[frozenset[str]], persons: list[int] | None) -> Transactions:
    """The original as an anonymiser takes it."""
    data = Transactions.from_records(records)
    return data if persons is None else replace(data, persons=np.array(persons, np.int64))


def _offsets(rows: list[list[int]]) -> Any:
    return np.cumsum([0, *map(len, rows)]).astype(np.int64)


def _flat(rows: list[list[int]]) -> Any:
    return np.array([each for row in rows for each in row], np.int32)


# What brute force says.


@dataclass(frozen=True)
class Shown:
    """Rows of blocks, each of somebody; supports count people, and not rows."""

    rows: list[frozenset[frozenset[str]]]
    owners: list[int]

    def support(self, blocks: Iterable[frozenset[str]]) -> int:
        """How many have a row that shows all of some blocks."""
        wanted = set(blocks)
        return len({owner for row, owner in zip(self.rows, self.owners, strict=True) if wanted <= row})


def judge(plain: Plain) -> Judgement:
    """Combinations and protected itemsets in the rows; rows, items and suppression against the original."""
    found = Judgement()
    shown = [frozenset(frozenset(block.items) for block in row.blocks) for row in plain.rows]
    rows = Shown(shown, list(range(len(shown))))
    if told := _parted(plain) or _combinations(plain, rows) or _groups(plain):
        found.broken["release"] = told
    listed, open_ = _listed(plain, rows, None)
    if listed:
        found.broken.setdefault("release", listed)
    elif open_:
        found.undecided.add("release")
    told = _against_original(plain, rows) or _listed(plain, rows, plain.original)[0] or _by_persons(plain)
    if told:
        found.broken["original"] = told
    return found


def _parted(plain: Plain) -> str:
    twice = [
        item for item, times in Counter(i for block in plain.blocks for i in block.items).items() if times > 1
    ]
    return f"{twice[0]} is in two blocks" if twice else ""


def _combinations(plain: Plain, rows: Shown) -> str:
    """Every combination that a row shows, up to the size that is promised, is shown by k."""
    size = max(
        plain.parameters.get("all_up_to", 0), plain.policy.all_up_to if plain.policy is not None else 0
    )
    named = [sorted(tuple(sorted(block)) for block in row) for row in rows.rows]
    for some in {some for row in named for many in range(1, size + 1) for some in combinations(row, many)}:
        if rows.support(map(frozenset, some)) < plain.k:
            return f"{some} is shown by fewer than {plain.k}"
    return ""


def _groups(plain: Plain) -> str:
    """Every block of several items lies inside a group of the policy."""
    if plain.policy is None or plain.policy.groups is None:
        return ""
    for block in plain.blocks:
        if len(block.items) > 1 and not any(block.items <= set(items) for _, items in plain.policy.groups):
            return f"{sorted(block.items)} is inside no group"
    return ""


def _listed(plain: Plain, rows: Shown, original: list[frozenset[str]] | None) -> tuple[str, bool]:
    """A protected itemset that too few rows show; and whether one cannot be judged without the original.

    Without it nobody knows whether an item that is not published was suppressed, or never there.
    """
    open_ = False
    blocks = {item: frozenset(block.items) for block in plain.blocks for item in block.items}
    there = None if original is None else {item for record in original for item in record}
    for itemset in plain.policy.protected if plain.policy is not None else ():
        image = {blocks[item] for item in itemset if item in blocks}
        support = rows.support(image)
        if not image or support >= plain.k:
            continue
        told = f"{itemset} is shown by {support}"
        if support and (there is None and not all(item in blocks for item in itemset)):
            open_ = True
        elif support and (there is None or there.issuperset(itemset)):
            return told, open_
        if plain.parameters.get("reading", "subsets-too") == "subsets-too" and _rare_part(
            image, rows, plain.k
        ):
            return f"{told}, a part by fewer than {plain.k}", open_
    return "", open_


def _rare_part(image: set[frozenset[str]], rows: Shown, k: int) -> bool:
    parts: Iterable[tuple[frozenset[str], ...]] = (
        part for size in range(1, len(image) + 1) for part in combinations(image, size)
    )
    return any(0 < rows.support(part) < k for part in parts)


def _against_original(plain: Plain, rows: Shown) -> str:
    """The rows are the images of the records, and no more items are suppressed than may be."""
    if plain.parameters.get("persons") and plain.persons is None:
        return "persons are said to be counted, and the original names none"
    there = {item for record in plain.original for item in record}
    invented, lost = set(plain.items) - there, there - set(plain.items)
    if invented:
        return f"{sorted(invented)} is invented"
    if len(lost) > plain.parameters.get("max_suppressed", 0.0) * len(there) + 1e-9:
        return f"{sorted(lost)} is suppressed"
    blocks = [frozenset(block.items) for block in plain.blocks]
    images = Counter(frozenset(block for block in blocks if block & record) for record in plain.original)
    return "" if images == Counter(rows.rows) else "the rows are not the images of the records"


def _by_persons(plain: Plain) -> str:
    """The same counted in persons, where somebody has several records."""
    if plain.persons is None:
        return ""
    if not plain.parameters.get("persons"):
        return "records are counted" if len(set(plain.persons)) < len(plain.persons) else ""
    blocks = [frozenset(block.items) for block in plain.blocks]
    images = [frozenset(block for block in blocks if block & record) for record in plain.original]
    rows = Shown(images, plain.persons)
    return _combinations(plain, rows) or _listed(plain, rows, plain.original)[0]


# Changes of meaning.


def _image_again(plain: Plain) -> None:
    """Rows and key become those that the blocks make of the original."""
    for row in plain.rows:
        record = plain.original[row.record] if row.record < len(plain.original) else frozenset()
        row.blocks = [block for block in plain.blocks if block.items & record]
        row.items = {item for block in plain.blocks for item in block.items & record}
    kept = set(plain.items)
    plain.lost = [
        (number, tuple(sorted(record - kept)))
        for number, record in enumerate(plain.original)
        if record - kept
    ]


def other_blocks(plain: Plain, rng: Random) -> str:
    """Items of blocks; at times rows that show one show the other, too, or a new one."""
    new = Block(set())
    plain.blocks.append(new)
    told = Nesting("an item", [[block.items for block in plain.blocks]]).change(rng)
    if new.items:
        shown = rng.choice(plain.blocks)
        for row in plain.rows:
            if shown in row.blocks and rng.random() < 0.5:
                row.blocks.append(new)
    plain.blocks = [block for block in plain.blocks if block.items]
    for row in plain.rows:
        row.blocks = [block for block in row.blocks if block.items]
    return told


def join_blocks(plain: Plain, rng: Random) -> str:
    """Two blocks become one, in the rows too; or one is suppressed."""
    if len(plain.blocks) < 2:
        return ""
    one, two = rng.sample(plain.blocks, 2)
    plain.blocks.remove(two)
    joined = rng.random() < 0.5
    one.items |= two.items if joined else set()
    for row in plain.rows:
        if two in row.blocks:
            row.blocks = [each for each in row.blocks if each is not two]
            row.blocks += [one] if joined and one not in row.blocks else []
    return "two blocks joined" if joined else f"block {sorted(two.items)} left out"


def other_rows(plain: Plain, rng: Random) -> str:
    """Blocks of rows, or whole rows."""
    if rng.random() < 0.5:
        return Nesting("a block", [[row.blocks for row in plain.rows]]).change(rng)
    row = rng.choice(plain.rows)
    again = Row(list(row.blocks), row.record, set(row.items))
    if rng.random() < 0.7 and len(plain.rows) > 2:
        gone = plain.rows.pop(rng.randrange(len(plain.rows)))
        if rng.random() < 0.6:
            return "a row left out"
        again.record, again.items = gone.record, gone.items
    plain.rows.append(again)
    return "a row repeated"


def rename(plain: Plain, rng: Random) -> str:
    """An item is called otherwise, or two change their names."""
    item, other = rng.choice(plain.items), rng.choice([*plain.items, "new"])
    swap = {item: other, other: item}
    for block in plain.blocks:
        block.items = {swap.get(each, each) for each in block.items}
    for row in plain.rows:
        row.items = {swap.get(each, each) for each in row.items} if rng.random() < 0.8 else row.items
    return f"{item} called {other}"


def relabel(plain: Plain, rng: Random) -> str:
    """A block gets a name, or loses its own."""
    block = rng.choice(plain.blocks)
    block.label = rng.choice(("", "x", *sorted(block.items), *(other.label for other in plain.blocks)))
    return "a block called otherwise"


def other_promise(plain: Plain, rng: Random) -> str:
    """The manifest promises something else."""
    if rng.random() < 0.4:
        plain.k = max(1, plain.k + rng.choice((-1, 1, 1, 2)))
        return f"k is {plain.k}"
    choices: dict[str, tuple[Any, ...]] = {
        "all_up_to": (0, 1, 2, 3),
        "reading": ("empty-is-enough", "subsets-too"),
        "max_suppressed": (0.0, 0.2, 0.5, 1.0),
        "largest": (0, 1, 2, 3),
        "protected": (0, 1),
        "persons": (True, False),
    }
    name = rng.choice([name for name in choices if name in plain.parameters])
    plain.parameters[name] = rng.choice(choices[name])
    return f"{name} is {plain.parameters[name]}"


def other_key(plain: Plain, rng: Random) -> str:
    """Two rows change their records in the key."""
    one, two = rng.sample(plain.rows, 2)
    one.record, two.record = two.record, one.record
    if rng.random() < 0.5:
        one.items, two.items = two.items, one.items
    return "two rows changed records in the key"


CHANGES: tuple[Callable[[Plain, Random], str], ...] = (
    *[other_blocks] * 3, *[join_blocks] * 2, *[other_rows] * 4, rename, relabel, other_promise, other_promise,
    other_key,
)  # fmt: skip


@dataclass(frozen=True)
class Generalising:
    """Releases of one method."""

    name: str
    method: type[Coat | Pcta | AprioriKm]
    several: bool = False

    def make(self, rng: Random) -> Plain:
        """Few records of few items, and for COAT and PCTA a random policy."""
        items = LETTERS[: rng.choice((3, 4, 5, 6, 7))]
        most = min(len(items), 3)
        original = [frozenset(rng.sample(items, rng.randint(1, most))) for _ in range(rng.randint(4, 10))]
        persons = [rng.randrange(len(original) * 2 // 3) for _ in original] if self.several else None
        plain = plain_of(self._method(rng, original, items).anonymise(data_of(original, persons)), original)
        plain.persons = persons
        return plain

    def _method(self, rng: Random, original: list[frozenset[str]], items: str) -> Coat | Pcta | AprioriKm:
        k = rng.choice((2, 2, 3))
        if issubclass(self.method, AprioriKm):
            half = rng.randint(1, len(items))
            groups = [[item, "low" if at < half else "high", "*"] for at, item in enumerate(items)]
            search: Any = rng.choice(("refined", "published"))
            return AprioriKm(k=k, m=rng.choice((1, 2, 3)), taxonomy=Taxonomy.from_rows(groups), search=search)
        policy = _random_policy(sorted({item for record in original for item in record}), rng)
        reading: Any = rng.choice(("empty-is-enough", "subsets-too"))
        return self.method(k=k, policy=policy, max_suppressed=rng.choice((0.0, 0.0, 0.3)), reading=reading)

    def change(self, plain: Plain, rng: Random) -> str:
        """One change; at times rows and key are made again from the original."""
        if not plain.blocks or len(plain.rows) < 2:
            return ""
        told = rng.choice(CHANGES)(plain, rng)
        if told and rng.random() < 0.35:
            _image_again(plain)
            told += ", rows made again"
        return told

    build = staticmethod(build)
    judge = staticmethod(judge)


def _random_policy(items: list[str], rng: Random) -> Policy:
    protected = tuple(
        tuple(rng.sample(items, min(len(items), rng.choice((1, 2, 2, 3))))) for _ in range(rng.randint(0, 4))
    )
    groups = None
    if rng.random() < 0.4:
        cut = rng.randint(1, len(items))
        groups = tuple(
            (name, tuple(some)) for name, some in (("one", items[:cut]), ("two", items[cut - 1 :]))
        )
    return Policy(protected, rng.choice((1, 2)) if not protected or rng.random() < 0.4 else 0, groups)


KINDS = (
    Generalising("set-generalised, COAT", Coat),
    Generalising("set-generalised, PCTA", Pcta),
    Generalising("set-generalised, Apriori k^m", AprioriKm),
    Generalising("set-generalised, persons", Coat, several=True),
)
