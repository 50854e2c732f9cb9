"""``cloven verify RELEASE``."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cloven.cli.console import progress, say, say_json, visible, warn
from cloven.cli.options import takes
from cloven.cli.places import release_at
from cloven.cli.reading import READING, JsonFlag, ReleasePath, allowed_memory, read_data
from cloven.cli.table_options import SchemaOrNone, read_persons
from cloven.errors import ParameterError, ReleaseError
from cloven.figures import many
from cloven.reading import ReadOptions

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


@takes(options=READING)
def verify(
    release: ReleasePath,
    options: ReadOptions,
    original: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The data it was made from: checks that nothing is lost."),
    ] = None,
    private: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="OUT.private with the key: with --original, checks all the rest."
        ),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Policy that a set-generalised release must keep; default: --private's."
        ),
    ] = None,
    schema: SchemaOrNone = None,
    allow_unsafe: Annotated[
        bool, typer.Option("--allow-unsafe", help="Accept a release marked unsafe.")
    ] = False,
    allow_seeded: Annotated[
        bool, typer.Option("--allow-seeded", help="Accept a release made with a seed.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Prove that a release is what it says it is. Ends with 1 if it is not."""
    from cloven.kinds.generalised.policy_files import read_policy
    from cloven.storage.inspection import verify_folder

    release_at(release)
    if private is not None:
        release_at(private)
        if original is None:
            warn("without --original only the receipt of --private is checked; name the data too")
    claim = claim_of(release)
    if original is not None and schema is None and claim is not None and is_table(claim):
        message = "this is a published table; name the schema of --original too, with --schema FILE"
        raise ParameterError(message)
    with progress("verify"):
        data: Any = None
        if original is not None:
            data = (
                read_data(original, options)
                if schema is None
                else read_persons(original, schema, allowed_memory(options))
            )
        verdict = verify_folder(
            release,
            original=data,
            private=private,
            policy=None if policy is None else read_policy(policy),
            allow_unsafe=allow_unsafe,
            allow_seeded=allow_seeded,
        )
    unseen = open_questions(claim, verdict.level, {check.name for check in verdict.checks})
    if json:
        say_json({"claim": claim, **verdict.to_dict(), "not_checked": unseen})
    else:
        say(claimed(claim))
        say(str(verdict))
        for open_question in unseen:
            say(f"not checked {open_question}")
    if not verdict.ok:
        raise typer.Exit(1)


# What a release promises, and what a level of verification cannot see, in lines.


def claim_of(release: Path) -> dict[str, Any] | None:
    """What the manifest promises; None if it cannot be read (a failed check says so)."""
    from cloven.storage.release import read_manifest

    try:
        manifest = read_manifest(release)
    except ReleaseError:
        return None
    file = release / "manifest.json" if release.is_dir() else release
    parameters = manifest["parameters"]
    claim = {
        "format": manifest["format"],
        "method": manifest["method"],
        "k": manifest["k"],
        "m": manifest["m"],
        "listed": parameters.get("protected", 0),
        "reading": parameters.get("reading"),
        "persons": bool(parameters.get("persons")),
        "records": manifest["counts"]["records"],
        "manifest_sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
    }
    if is_table(claim):
        claim |= table_claim(parameters, release)
    return claim


def claimed(claim: dict[str, Any] | None) -> str:
    """The promise in a sentence, and the hash of the manifest."""
    if claim is None:
        return "promises nothing that can be read"
    if is_table(claim):
        return claimed_of_table(claim)
    known = [] if claim["m"] is None else [f"up to m = {claim['m']} items"]
    if claim["listed"]:
        known.append(
            "the listed itemset" if claim["listed"] == 1 else f"one of {claim['listed']:,} listed itemsets"
        )
    how = claim["method"] + (f", {claim['reading']} combinations" if _in_chunks(claim) else "")
    return (
        f"promises: who knows {' or '.join(known) or 'nothing'} of a record has at least k = {claim['k']} candidates"
        f" among {many(claim['records'], 'record')} ({how})\n"
        f"manifest {claim['manifest_sha256']}"
    )


def open_questions(claim: dict[str, Any] | None, level: str, checks: Collection[str]) -> list[str]:
    """What the level that was run cannot see, given the names of the checks that were made."""
    if claim and is_table(claim):
        return _open_of_table(claim, level, checks)
    out = []
    if level == "release":
        out.append("without --original: that no item was lost or invented")
    if claim and claim["listed"] and "itemsets" not in checks:
        out.append("without --policy or --private: that the listed itemsets are protected")
    if claim and not _in_chunks(claim):
        if level == "release":
            out.append("without --original: that rows show what records have")
            out += [f"without --original: {_PERSONS}"] if claim["persons"] else []
        return out
    if level != "key":
        out.append("without --original and --private: that every part comes from a record of its cluster")
        if claim and claim["persons"]:
            out.append(f"without --original and --private: {_PERSONS}")
    return out


_PERSONS = "that k persons, not only k records, stand behind each count"


def _open_of_table(claim: dict[str, Any], level: str, checks: Collection[str]) -> list[str]:
    out = []
    if claim["promise"] is not None:
        out.append(
            f"at any level: {claim['promise']}, which is a property of how a table is made; a table without any noise"
            " would pass the same checks"
        )
    if level == "release":
        out.append(
            "without --original and --schema: that cells hold values of the original, and nothing is invented"
        )
    if level == "release" and not any("diversity" in name or "-l of" in name for name in checks):
        out.append("without --original and --schema: how well sensitive values are hidden")
    if level != "key":
        out.append(
            "without --original, --schema and --private: that every part comes from the person it should"
        )
    return out


def is_table(claim: dict[str, Any]) -> bool:
    """Whether it is the claim of a published table."""
    return str(claim["format"]).startswith(("cloven.table/", "cloven.sliced/"))


def _in_chunks(claim: dict[str, Any]) -> bool:
    return str(claim["format"]).startswith("cloven.disassociated/")


# What a published table promises, in a sentence.


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
    from cloven.kinds.tables.files import read_domains

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
