"""Lines of a policy in its text form; ``io.policy`` shows them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from cloven.errors import InputError
from cloven.model.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cloven.model.policy import Itemset

PROTECT, ALL, GROUP, MERGE = "protect", "protect all combinations up to", "group", "merge"
RULES = (
    "'protect: item, item', 'protect all combinations up to: 2', 'group name: item, item' or 'merge: nothing'"
)


def policy_lines(policy: Policy) -> Iterator[str]:
    """A policy as lines of text.

    >>> list(policy_lines(Policy(protected=(("flu", "a, b"),), groups=())))
    ['protect: "a, b", flu', 'merge: nothing']
    """
    if policy.all_up_to:
        yield f"{ALL}: {policy.all_up_to}"
    for items in policy.protected:
        yield f"{PROTECT}: {_listed(items)}"
    for name, items in policy.groups or ():
        yield f"{GROUP} {_quoted(name)}: {_listed(items)}"
    if policy.groups == ():
        yield f"{MERGE}: nothing"


def _listed(items: Itemset) -> str:
    return ", ".join(map(_quoted, items))


def _quoted(name: str) -> str:
    """A name as it is, or as a JSON string if it could be read as something else."""
    plain = (
        name and name == name.strip() and name[0] != '"' and not set(name) & set(",:") and name.isprintable()
    )
    return name if plain else json.dumps(name, ensure_ascii=not name.isprintable())


@dataclass
class _Found:
    """Rules read so far."""

    source: str
    number: int = 0
    protected: list[Itemset] = field(default_factory=list)
    all_up_to: int = 0
    groups: dict[str, Itemset] = field(default_factory=dict)
    nothing: bool = False
    lines: dict[str, int] = field(default_factory=dict)

    def fail(self, message: str, value: str) -> NoReturn:
        raise InputError(message, source=self.source, line=self.number, value=value)

    def items(self, text: str) -> Itemset:
        """Items of a list, noting where each was met first."""
        items, rest = [], text
        while True:
            item, rest = self.name(rest, ",")
            items.append(item)
            self.lines.setdefault(item, self.number)
            if not rest:
                return tuple(items)
            rest = rest[1:]

    def name(self, text: str, end: str) -> tuple[str, str]:
        """The name at the start of a text, and the rest from the sign that ends it."""
        text = text.lstrip()
        if text.startswith('"'):
            try:
                name, length = json.JSONDecoder().raw_decode(text)
            except ValueError:
                self.fail("a quote has no end, or the text in it is no JSON string", text)
            rest = text[length:].lstrip()
            if rest and not rest.startswith(end):
                self.fail(f"after the closing quote only {end!r} may follow", text)
        else:
            name, sign, after = text.partition(end)
            name, rest = name.rstrip(), sign + after
        if not name:
            self.fail("an item or a name is missing", text)
        return name, rest


def read_lines(text: str, source: str) -> tuple[Policy, dict[str, int]]:
    """A policy from its lines, and the line that names each item first."""
    found = _Found(source)
    for found.number, line in enumerate(_split(text), 1):
        rule = line.strip()
        if rule and not rule.startswith("#"):
            _read_rule(found, rule)
            if found.nothing and found.groups:
                found.fail("'merge: nothing' and groups contradict each other; keep one of them", rule)
    groups = tuple(found.groups.items()) if found.groups or found.nothing else None
    return Policy(tuple(found.protected), found.all_up_to, groups), found.lines


def _split(text: str) -> Iterable[str]:
    """Only line feeds end a line: names may hold stranger signs."""
    return text.replace("\r\n", "\n").split("\n")


def _read_rule(found: _Found, rule: str) -> None:
    if rule.startswith(f"{GROUP} "):
        name, rest = found.name(rule.removeprefix(f"{GROUP} "), ":")
        if not rest:
            found.fail("a group needs a colon behind its name", rule)
        if name in found.groups:
            found.fail("two groups have the same name; give each its own", name)
        found.groups[name] = found.items(rest[1:])
        return
    head, colon, rest = rule.partition(":")
    head, value = " ".join(head.split()), rest.strip()
    if head == PROTECT and colon:
        found.protected.append(found.items(rest))
    elif head == ALL and colon:
        if not (value.isascii() and value.isdigit() and int(value) > 0) or found.all_up_to:
            found.fail("say once, with a whole number from 1, up to which size to protect all", rule)
        found.all_up_to = int(value)
    elif head == MERGE and value in ("nothing", "anything"):
        found.nothing |= value == "nothing"
    else:
        found.fail(f"not a rule; write {RULES}", rule)
