"""``cloven audit [FILE]``."""

import os
from itertools import count
from pathlib import Path
from typing import Annotated

import typer

from cloven._version import __version__
from cloven.anonymise.disassociation import Disassociation
from cloven.audit import AuditReport
from cloven.cli.anonymise import (
    cautions,
    describe_method,
    describe_release,
    refuse_unsafe,
    say_places,
    summary,
    warn_of_typos,
)
from cloven.cli.command import takes
from cloven.cli.console import dot, many, names, percent, progress, say, say_json, table, tick, visible, warn
from cloven.cli.disassociating import DISASSOCIATION
from cloven.cli.places import refuse_places
from cloven.cli.reading import READING, JsonFlag, SeedOption, TaxonomyFile, read_data, read_hierarchy
from cloven.cli.threats import threat_lines
from cloven.cli.utility import sampled, utility_rows
from cloven.errors import ParameterError
from cloven.io.readers import ReadOptions
from cloven.threats import Threat


@takes(method=DISASSOCIATION, options=READING)
def audit(
    method: Disassociation,
    options: ReadOptions,
    file: Annotated[
        Path | None, typer.Argument(help="Data; without it the built-in sample clinic.", metavar="FILE")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="OUT", help="New folder; default cloven-audit, or the next free number."
        ),
    ] = None,
    taxonomy: TaxonomyFile = None,
    relatedness: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC", help="Attack with word meanings: vectors:FILE, corpus:FILE, ngd:FILE, ..."
        ),
    ] = None,
    attack: Annotated[
        bool, typer.Option("--attack/--no-attack", help="Attack the release, or do not.")
    ] = True,
    seed: SeedOption = None,
    json: JsonFlag = False,
) -> None:
    """Anonymise, verify, attack and measure in one go.

    OUT/published is to publish; OUT.private (key and figures) to keep.
    """
    from cloven.audit import Audit
    from cloven.io.release import places

    target = out or _free_name()
    refuse_places(*places(target))
    refuse_unsafe(method, allowed=False)
    if relatedness is not None and not attack:
        message = "--relatedness is for attacks; leave out --no-attack or --relatedness"
        raise ParameterError(message)
    with progress("read") as report:
        data = read_data(file, options)
        warn_of_typos(method, data)
        hierarchy = read_hierarchy(taxonomy, data)
        known = relatedness or ("sample" if file is None else None)
        threats = _threats(known) if attack else ()
        found = Audit(method, taxonomy=hierarchy, threats=threats, seed=seed).run(data, report)
        report("write", 0.0)
        found.write(target)
    if json:
        told = cautions(summary(found.data, found.result), method)
        where = {"published": str(target / "published"), "private": f"{target}.private"}
        say_json({**where, **found.to_dict(), "cautions": told})
        return
    _tell(found, "sample clinic" if file is None else visible(str(file)), method)
    say()
    say_places(target / "published", Path(f"{target}.private"))


def _threats(relatedness: str | None) -> tuple[Threat, ...]:
    """Attackers to try: one who has the release alone, and one who knows what words mean, if we know it too."""
    from cloven.relatedness.spec import parse
    from cloven.threats import release_alone, word_meanings

    alone = (release_alone(),)
    return alone if relatedness is None else (word_meanings(parse(relatedness)), *alone)


def _free_name() -> Path:
    """``cloven-audit``, or the first ``cloven-audit-2``, ``-3``, ... that is free."""
    for number in count(1):
        path = Path("cloven-audit" if number == 1 else f"cloven-audit-{number}")
        if not os.path.lexists(path) and not os.path.lexists(f"{path}.private"):
            return path
    raise AssertionError


def _tell(found: AuditReport, name: str, method: Disassociation) -> None:
    data, seconds = found.description, found.seconds
    figures = summary(found.data, found.result)
    single = data.singled_out[-1]
    parts = (
        f"cloven {__version__}",
        name,
        f"{many(data.records, 'record')}, {many(data.items, 'item')}, {data.mean_length:.1f} per record",
        f"{percent(single.share, 0)} can be singled out by {many(single.known_items, 'known item')}",
    )
    say(f" {dot()} ".join(parts))
    made = f"{describe_method(method)}: {describe_release(figures)}"
    drawn = f"{found.utility.reconstructions} plausible data sets drawn"
    tried = ", ".join(name for name, each in found.attacks.items() if not isinstance(each, str))
    if not tried:
        tried = "no attack could be tried" if found.attacks else "no attack was asked for"
    lines = [
        (f"{tick()} anonymised", made, seconds["anonymise"]),
        (f"{tick()} verified", _verified(found, figures), seconds["verify"]),
        (f"{tick()} attacked", tried, seconds["attack"]),
        (f"{tick()} measured", drawn, seconds["measure"]),
    ]
    say(table([(what, text, f"{spent:.1f} s") for what, text, spent in lines]) + "\n")
    for line in threat_lines(found):
        say(line)
    say(table(utility_rows(found.utility), ("measure", "value", "what it means")))
    if method.safe != "no":
        say("\n" + _price(found, method, int(figures["occurrences_suppressed"])))
    who = "candidate records" if found.data.persons is None else "candidate records, of as many persons"
    say(f"\nwho knows up to {method.m} items of one record has at least {method.k} {who}\n")
    for caution in cautions(figures, method):
        warn(caution)
    published = set(found.result.release.vocabulary)
    rare = [name for name in data.rare_item_names if name in published]
    if rare:
        more = ", ..." if len(rare) > 8 else ""
        say(f"published though held by fewer than k = {data.k}: {names(rare[:8])}{more}")


def _price(found: AuditReport, method: Disassociation, suppressed: int) -> str:
    """What repairing cost: the same data without it, measured in the same way."""
    from dataclasses import replace

    import numpy as np

    from cloven.measure.utility import utility

    plain = replace(method, safe="no").anonymise(found.data).release
    before = utility(
        found.data,
        plain,
        rng=np.random.default_rng(found.audit.seed),
        reconstructions=found.audit.reconstructions,
    )
    after = found.utility
    return (
        f"the price of safe = {method.safe}: {many(suppressed, 'occurrence')} suppressed;"
        f" items kept {percent(before.items_kept)} before, {percent(after.items_kept)} after;"
        f" pairs kept {percent(before.pairs_kept)}, {percent(after.pairs_kept)};"
        f" tlost only {percent(before.tlost_only)}, {percent(after.tlost_only)};"
        f" tKd {sampled(before.tkd)}, {sampled(after.tkd)}; re {sampled(before.re)}, {sampled(after.re)}"
    )


def _verified(found: AuditReport, figures: dict[str, int | float]) -> str:
    done = f"{len(found.verdict.checks)} checks at {found.verdict.level} level"
    whole = not figures["records_suppressed"] and not figures["items_left_out"]
    lost = "nothing lost" if whole else "nothing lost but what was left out"
    return f"{done}: k^m, lemma, shared chunks, order, {lost}"
