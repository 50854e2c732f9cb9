"""Policies as files that people write and read.

Text, one rule on each line; lines that begin with ``#`` are comments::

    # what an attacker may know
    protect: flu, fever
    protect all combinations up to: 2
    # within which items may be merged; without any such line, all may be
    group breathing: asthma, bronchitis, "cough, dry"

``merge: nothing`` instead of groups says that nothing may be merged. An item or a name that holds a comma or a colon,
or begins with a quote, or begins or ends with white space, is written as a JSON string.

Files whose name ends in ``.json`` hold an object with the entries ``format``, ``protect`` (a list of lists of items),
``all_up_to``, and ``groups`` (lists of items by name; null if all may be merged).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from cloven.errors import InputError, ParameterError
from cloven.intake.files import small_text
from cloven.kinds.generalised.policy import Policy, listed
from cloven.storage.atomic import staged, write_bytes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from cloven.kinds.generalised.policy import Itemset


FORMAT = "cloven.policy/1"
KEYS = ("format", "protect", "all_up_to", "groups")


def read_policy(path: str | Path, known: Collection[str] | None = None) -> Policy:
    r"""Read a policy; with the ``known`` items of the data, an item that is not among them is an error.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "clinic.policy")
    ...     _ = path.write_text("protect: flu, fever\ngroup heart: angina, infarct\n")
    ...     read_policy(path)
    Policy(protected=(('fever', 'flu'),), all_up_to=0, groups=(('heart', ('angina', 'infarct')),))
    """
    path = Path(path)
    text = small_text(path)
    try:
        if path.suffix.lower() == ".json":
            policy = _from_json(text, path)
            lines = {item: _line_of(text, item) or 0 for item in policy.items} if known is not None else {}
        else:
            policy, lines = read_lines(text, str(path))
    except ParameterError as error:
        raise InputError(str(error), source=str(path)) from error
    if policy.largest == 0:
        message = "protects nothing; add a line 'protect: item, item' or 'protect all combinations up to: 2'"
        raise InputError(message, source=str(path))
    if known is not None:
        _check_known(policy, known, path, lines)
    return policy


def write_policy(policy: Policy, path: str | Path) -> None:
    """Write a policy to a new file: JSON if its name ends in ``.json``, else text.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "clinic.policy")
    ...     write_policy(Policy(protected=(("flu", "fever"),), all_up_to=1), path)
    ...     print(path.read_text(), end="")
    protect all combinations up to: 1
    protect: fever, flu
    """
    path = Path(path)
    as_json = path.suffix.lower() == ".json"
    content = policy_bytes(policy) if as_json else ("\n".join(policy_lines(policy)) + "\n").encode()
    with staged(path) as (place,):
        write_bytes(place, content)


def policy_bytes(policy: Policy) -> bytes:
    """A policy as JSON."""
    groups = None if policy.groups is None else {name: list(items) for name, items in policy.groups}
    values = (FORMAT, list(map(list, policy.protected)), policy.all_up_to, groups)
    text = json.dumps(dict(zip(KEYS, values, strict=True)), ensure_ascii=False, indent=1) + "\n"
    return text.encode()


def _from_json(text: str, path: Path) -> Policy:
    def fail(message: str, value: Any) -> NoReturn:
        line = _line_of(text, value) if isinstance(value, str) else None
        raise InputError(message, source=str(path), line=line, value=json.dumps(value, ensure_ascii=False))

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                fail("two entries have the same name; give each its own", name)
            found[name] = value
        return found

    try:
        value = json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        message = f"not JSON that can be read: {getattr(error, 'msg', error)}"
        raise InputError(message, source=str(path), line=getattr(error, "lineno", None)) from error
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        fail(
            f"must be an object with format {FORMAT!r}",
            value.get("format") if isinstance(value, dict) else value,
        )
    for name in value:
        if name not in KEYS:
            fail(f"unknown entry; the entries are {', '.join(KEYS)}", name)
    protect, groups = value.get("protect", []), value.get("groups")
    if not isinstance(protect, list) or not all(isinstance(items, list) for items in protect):
        fail("protect must be a list of itemsets, each a list of items", protect)
    if groups is not None and not (
        isinstance(groups, dict) and all(isinstance(items, list) for items in groups.values())
    ):
        fail("groups must be null or an object: a list of items for every name", groups)
    named = None if groups is None else tuple((name, tuple(items)) for name, items in groups.items())
    return Policy(tuple(map(tuple, protect)), value.get("all_up_to", 0), named)


def _line_of(text: str, name: str) -> int | None:
    """The line of a JSON text that holds a string first."""
    at = max(text.find(json.dumps(name, ensure_ascii=plain)) for plain in (True, False))
    return None if at < 0 else text.count("\n", 0, at) + 1


def _check_known(policy: Policy, known: Collection[str], path: Path, lines: dict[str, int]) -> None:
    unknown = sorted(policy.items.difference(known), key=lambda item: (lines[item], item))
    if unknown:
        many = "1 item is" if len(unknown) == 1 else f"{len(unknown):,} items are"
        message = f"{many} not in the data: {listed(unknown)}; correct the policy, or leave them out"
        raise InputError(message, source=str(path), line=lines[unknown[0]])


# Lines of a policy in its text form; the beginning of this file shows them.


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

    def items(self, text: str, at: int = 0) -> Itemset:
        """Items of a list that begins there, noting where each was met first."""
        items = []
        while True:
            item, at = self.name(text, at, ",")
            items.append(item)
            self.lines.setdefault(item, self.number)
            if at == len(text):
                return tuple(items)
            at += 1

    def name(self, text: str, at: int, end: str) -> tuple[str, int]:
        """The name that begins there, and the place of the sign that ends it."""
        at = _after_space(text, at)
        if text.startswith('"', at):
            try:
                name, stop = json.JSONDecoder().raw_decode(text, at)
            except ValueError:
                self.fail("a quote has no end, or the text in it is no JSON string", text[at:])
            stop = _after_space(text, stop)
            if stop < len(text) and not text.startswith(end, stop):
                self.fail(f"after the closing quote only {end!r} may follow", text[at:])
        else:
            stop = text.find(end, at)
            stop = len(text) if stop < 0 else stop
            name = text[at:stop].rstrip()
        if not name:
            self.fail("an item or a name is missing", text[at:])
        return name, stop


def _after_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


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
        name, colon_at = found.name(rule, len(GROUP) + 1, ":")
        if colon_at == len(rule):
            found.fail("a group needs a colon behind its name", rule)
        if name in found.groups:
            found.fail("two groups have the same name; give each its own", name)
        found.groups[name] = found.items(rule, colon_at + 1)
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
