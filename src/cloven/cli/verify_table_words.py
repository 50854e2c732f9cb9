"""What a published table promises, in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.cli.console import many, visible
from cloven.errors import ReleaseError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def table_claim(parameters: Mapping[str, Any], release: Path) -> dict[str, Any]:
    """What the manifest of a published table promises; a manifest may hold anything."""
    promise, listed = parameters.get("promise"), parameters.get("constraints")
    entries = listed if isinstance(listed, list) else []
    return {
        "l": parameters.get("l"),
        "check": parameters.get("check"),
        "jointly": _secrets(release) if parameters.get("together") == "jointly" else [],
        "constraints": [_demand(each) for each in entries],
        "classes_show": _shown(entries),
        "persons": parameters.get("persons") is True,
        "made_up": parameters.get("invented_rows") is True,
        "promise": promise.get("kind") if isinstance(promise, dict) else None,
    }


def claimed_of_table(claim: dict[str, Any]) -> str:
    """The promise of a published table."""
    group = "bucket" if str(claim["format"]).startswith("cloven.sliced/") else "class"
    rows = many(claim["records"], "row")
    held = f"persons in {rows}" if claim["persons"] else f"of {rows}"
    promise = f"every {group} has at least k = {claim['k']} {held}"
    if claim["made_up"]:
        promise += ", made-up ones among them"
    if claim["method"] == "hybrid":
        promise += "; k persons of the sample were in it before noise added and took away rows"
    if claim["check"] is None and claim["constraints"]:
        promise += f" and {claim['classes_show']}"
    elif claim["l"] is not None and len(claim["jointly"]) > 1:
        names = " and ".join(visible(each, 40) for each in claim["jointly"])
        promise += f", the combination of {names} is hidden with l = {claim['l']}; single attributes are not promised"
    elif claim["l"] is not None:
        promise += f", sensitive values are hidden with l = {claim['l']}"
    promise = claim["promise"] or promise
    return f"promises: {promise} ({claim['method']})\nmanifest {claim['manifest_sha256']}"


def _secrets(release: Path) -> list[str]:
    """Names of the sensitive attributes; none if they cannot be read (a failed check says so)."""
    from cloven.io.table_cells import read_domains

    try:
        return [domain.name for domain in read_domains(release)[0] if domain.sensitive]
    except ReleaseError:
        return []


def _shown(entries: Sequence[Any]) -> str:
    """What classes keep to; different values are no limit on how common one of them is.

    >>> _shown([{"demand": "distinct-l", "l": 2, "attributes": ["illness"]}])
    'shows at least 2 different values of illness, with no limit on how common one is'
    >>> _shown([{"demand": "distinct-l", "l": 2, "attributes": ["wage"], "harmless": ["0"], "within": "5 %"}])[:80]
    'shows at least 2 different values of wage where one is not 0 (numbers within 5 %'
    >>> _shown([{"demand": "t-closeness", "t": 0.5, "attributes": ["illness"]}])
    'keeps to t-closeness with t = 0.5 of illness'
    """
    different = [each for each in entries if isinstance(each, dict) and each.get("demand") == "distinct-l"]
    others = [_demand(each) for each in entries if each not in different]
    out = []
    if different:
        out.append("shows at least " + " and ".join(map(_different, different)))
    if others:
        out.append(f"keeps to {', '.join(others)}")
    elif different:
        out.append("with no limit on how common one is")
    told, about = ", ".join(out), [_attributes(each) for each in entries]
    alone = {names[0] for names in about if len(names) == 1}
    if any(len(names) > 1 and not set(names) <= alone for names in about):
        told += "; single attributes are not promised"
    return told


def _different(entry: dict[str, Any]) -> str:
    names = _attributes(entry)
    what = "combinations" if len(names) > 1 else "values"
    told = f"{entry.get('l')} different {what} of {' and '.join(names) or 'something that cannot be read'}"
    harmless = entry.get("harmless")
    if isinstance(harmless, list) and harmless:
        told += f" where one is not {' or '.join(visible(str(each), 40) for each in harmless)}"
    if entry.get("within"):
        told += f" (numbers within {visible(str(entry['within']), 20)} are one)"
    return told


def _demand(entry: Any) -> str:
    """A constraint in a few words."""
    if not isinstance(entry, dict):
        return "something that cannot be read"
    values = [f"{name} = {entry[name]}" for name in ("c", "l", "t") if name in entry]
    if not values:
        return str(entry.get("demand"))
    names = " and ".join(_attributes(entry))
    return f"{entry.get('demand')} with {', '.join(values)}" + (f" of {names}" if names else "")


def _attributes(entry: Any) -> list[str]:
    names = entry.get("attributes") if isinstance(entry, dict) else None
    return [visible(str(each), 40) for each in names] if isinstance(names, list) else []
