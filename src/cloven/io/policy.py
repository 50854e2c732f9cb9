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
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from cloven.errors import InputError, ParameterError, shorten
from cloven.io.atomic import staged, write_bytes
from cloven.io.policy_lines import policy_lines, read_lines
from cloven.model.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Collection

FORMAT = "cloven.policy/1"
KEYS = ("format", "protect", "all_up_to", "groups")
NAMES_SHOWN = 6


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
    text = _text(path)
    try:
        if path.suffix.lower() == ".json":
            policy = _from_json(text, path)
            lines = {item: _line_of(text, item) or 0 for item in _items(policy)} if known is not None else {}
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
    return _json(policy).encode()


def _json(policy: Policy) -> str:
    groups = None if policy.groups is None else {name: list(items) for name, items in policy.groups}
    values = (FORMAT, list(map(list, policy.protected)), policy.all_up_to, groups)
    return json.dumps(dict(zip(KEYS, values, strict=True)), ensure_ascii=False, indent=1) + "\n"


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
    if groups is None:
        return Policy(tuple(map(tuple, protect)), value.get("all_up_to", 0))
    if not isinstance(groups, dict) or not all(isinstance(items, list) for items in groups.values()):
        fail("groups must be null or an object: a list of items for every name", groups)
    named = tuple((name, tuple(items)) for name, items in groups.items())
    return Policy(tuple(map(tuple, protect)), value.get("all_up_to", 0), named)


def _line_of(text: str, name: str) -> int | None:
    """The line of a JSON text that holds a string first."""
    at = max(text.find(json.dumps(name, ensure_ascii=plain)) for plain in (True, False))
    return None if at < 0 else text.count("\n", 0, at) + 1


def _check_known(policy: Policy, known: Collection[str], path: Path, lines: dict[str, int]) -> None:
    unknown = sorted(_items(policy).difference(known), key=lambda item: (lines[item], item))
    if unknown:
        shown = ", ".join(shorten(item, 40) for item in unknown[:NAMES_SHOWN])
        more = f" and {len(unknown) - NAMES_SHOWN:,} more" if len(unknown) > NAMES_SHOWN else ""
        many = "1 item is" if len(unknown) == 1 else f"{len(unknown):,} items are"
        message = f"{many} not in the data: {shown}{more}; correct the policy, or leave them out"
        raise InputError(message, source=str(path), line=lines[unknown[0]])


def _items(policy: Policy) -> set[str]:
    named = {item for items in policy.protected for item in items}
    return named.union(item for _, items in policy.groups or () for item in items)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        message = "not UTF-8; save the file as UTF-8"
        raise InputError(message, source=str(path), line=line) from error
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise InputError(message, source=str(path)) from error
