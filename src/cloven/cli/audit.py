"""``cloven audit [FILE]``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cloven.audit.beside import beside_earlier, judged_before
from cloven.audit.decision import MAX_RISK, Limits
from cloven.audit.identity import identity
from cloven.audit.loop import Audit
from cloven.audit.report import AuditReport
from cloven.cli.anonymise import (
    CHOSEN,
    OF_TABLES,
    Chosen,
    Engine,
    SparkMaster,
    on_spark,
    refuse_master,
    refuse_unsafe,
    warn_of_typos,
)  # fmt: skip
from cloven.cli.answer import print_answer
from cloven.cli.audit_words import answer_of, opening, tell
from cloven.cli.console import progress, say, say_json, warn
from cloven.cli.foreign import ForeignRelease, Given, OriginalFile, audit_release, refuse_mixed
from cloven.cli.large_audit import Asked, audit_in_parts, free_place, refuse_of_memory
from cloven.cli.ledger import LedgerFolder, tried_with
from cloven.cli.options import Group, takes
from cloven.cli.places import Bounds, refuse_places
from cloven.cli.reading import (
    READING,
    JsonFlag,
    MeasuringSeed,
    RulesFile,
    SchemaOfFile,
    TaxonomyFile,
    VerboseFlag,
    allowed_memory,
    fit_rules,
    named_table,
    read_data,
    read_hierarchy,
    read_persons,
    refuse_methods,
    refuse_of_sets,
    refuse_of_tables,
    refuse_reading,
    rules_in,
)
from cloven.cli.typed import Typed
from cloven.data.defaults import SEED
from cloven.data.table import Table
from cloven.data.taxonomy import Taxonomy
from cloven.data.transactions import Transactions
from cloven.disclosure.risk import MAX_TAIL
from cloven.errors import ClovenError, ParameterError
from cloven.escapes import visible
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.tables.kind import suggested, sure_l
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.methods.slicing import largest_l
from cloven.kinds.tables.threats import shared_rows
from cloven.protocols import Anonymiser
from cloven.reading import ReadOptions
from cloven.reading.schema_file import read_schema
from cloven.reading.tables import read_table
from cloven.registry import table_anonymisers
from cloven.settings import parse_setting, split_settings
from cloven.standards.claim import Claim
from cloven.standards.context import read_context
from cloven.standards.standard import NAMES, standard
from cloven.storage.checkpoint import Checkpoint
from cloven.storage.fingerprint import fingerprint
from cloven.storage.ledger import Ledger
from cloven.storage.ledger_file import check_ledger
from cloven.storage.receipt import read_receipt
from cloven.storage.release import places
from cloven.threats import Effort, Knowledge, OtherRelease
from cloven.values import FILE, FLAG, TEXT, one_of, option, options_of, real

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from cloven.reading.schema_file import Rules


# Whom to fear, what to accept, how hard to try.


RELATEDNESS = "Attack with word meanings: vectors:FILE, corpus:FILE, ngd:FILE, ..."
OTHER_RELEASE = "Attack with another release about the same people."
OTHER_DATA = "Of a table: what --other-release was made from, to find who is in both."
ACCEPTED_RISK = "Largest share of right guesses, or of people told more, to accept."
ACCEPTED_TAIL = "Largest share of people told as good as certainly to accept."
ACCEPTED_UTILITY = "Least utility to accept, from 0 to 1."
STANDARD = f"Hold it against a standard too, and write a report to sign: {', '.join(NAMES)}."
CONTEXT = "With --standard: TOML file with recipient, purpose, release, contact, ..."


@dataclass(frozen=True)
class Wanted:
    """What an owner asks of an audit."""

    relatedness: str | None = option(None, TEXT, RELATEDNESS)
    other_release: Path | None = option(None, FILE, OTHER_RELEASE)
    other_data: Path | None = option(None, FILE, OTHER_DATA)
    attack: bool = option(True, FLAG, "Attack the release, or do not.")
    max_risk: float = option(MAX_RISK, real(0, 1), ACCEPTED_RISK)
    max_tail: float = option(MAX_TAIL, real(0, 1), ACCEPTED_TAIL)
    min_utility: float = option(0.0, real(0, 1), ACCEPTED_UTILITY)
    utility_measure: str = option(
        "", TEXT, "Measure that --min-utility is about; default: the family's first."
    )
    methods: str | None = option(
        None,
        TEXT,
        "Audit the first of these, compare with the others, such as 'coat pcta disassociation'.",
    )
    standard: str | None = option(None, one_of(*NAMES), STANDARD)
    context: Path | None = option(None, FILE, CONTEXT)
    advise: bool = option(True, FLAG, "Try what could be better if the verdict is bad.")
    quick: bool = option(False, FLAG, "A first look, mostly within a minute; large files are sampled.")

    def __post_init__(self) -> None:
        if not self.attack and (self.relatedness is not None or self.other_release is not None):
            message = "--relatedness and --other-release are for attacks; leave out --no-attack, or them"
            raise ParameterError(message)
        refuse_lone_data(self.other_release, self.other_data)
        claim_in(self.standard, self.context)  # what is wrong with it is told before anything is read

    @property
    def limits(self) -> Limits:
        """What is accepted."""
        claim = claim_in(self.standard, self.context)
        return Limits(self.max_risk, self.min_utility, self.utility_measure, self.max_tail, claim)

    @property
    def threats(self) -> tuple[()] | None:
        """None for all attackers, nobody with --no-attack."""
        return None if self.attack else ()

    def knowledge(self, *, sample: bool) -> Knowledge:
        """What attackers may have; vectors for the words of the built-in sample come with it."""
        return knowledge_in(
            self.relatedness or ("sample" if sample and self.attack else None), self.other_release
        )

    @property
    def stamps(self) -> str:
        """What tells the files that attackers are given from others of the same name."""
        from cloven.relatedness.spec import paths
        from cloven.storage.checkpoint import stamp

        files = [] if self.relatedness is None else [*paths(self.relatedness)]
        others = [place for place in (self.other_release, self.other_data) if place is not None]
        return "".join(map(stamp, [*files, *others]))

    @property
    def bounds(self) -> Bounds:
        """Candidates that attacks weigh at most, now and with --quick."""
        if not self.attack:
            return Bounds()
        quick = Effort().quick().most_candidates
        return Bounds(quick if self.quick else Effort().most_candidates, None if self.quick else quick)

    def effort(self, data: Transactions | Table) -> Effort:
        """How hard to try: a quick look takes less of everything, and a sample of very large data."""
        if not self.quick:
            return Effort()
        mean = max(1.0, data.codes.size / max(1, len(data)))
        most = None if data.codes.size <= data.at_a_glance else int(data.at_a_glance / mean)
        return replace(Effort().quick(), most_records=most)

    def rivals(self, method: Anonymiser, taxonomy: Taxonomy | None = None) -> tuple[Anonymiser, ...]:
        """Methods and settings to compare with, at the same k and m unless they say otherwise.

        A method that works on a taxonomy gets the one at hand.
        """
        from cloven.settings import parse_setting, split_settings

        shared: dict[str, Any] = {name: getattr(method, name) for name in ("k", "m") if hasattr(method, name)}
        shared["taxonomy"] = taxonomy
        named = [parse_setting(text, **shared) for text in split_settings(self.methods or "")]
        for rival in named:
            if getattr(rival, "taxonomy", ...) is None:
                message = f"{rival.parameters['method']} needs a taxonomy of the items; give --taxonomy FILE"
                raise ParameterError(message)
        if self.advise and getattr(method, "safe", "no") != "no":
            named.append(replace(method, safe="no"))  # type: ignore[type-var]  # what repairing costs
        found: list[Anonymiser] = []
        for rival in named:  # a taxonomy cannot be hashed
            if rival != method and rival not in found:
                found.append(rival)
        return tuple(found)


def knowledge_in(relatedness: str | None, other_release: Path | None) -> Knowledge:
    """What attackers may have: word meanings by their specification, and the release at a path."""
    from cloven.cli.places import release_at
    from cloven.relatedness.spec import parse
    from cloven.storage.release import read_release

    others = () if other_release is None else (read_release(release_at(other_release)),)
    return Knowledge(None if relatedness is None else parse(relatedness), others)


def refuse_lone_data(other_release: Path | None, other_data: Path | None) -> None:
    """The table of another release says nothing without it."""
    if other_data is not None and other_release is None:
        message = "--other-data says who is in another release; give that with --other-release"
        raise ParameterError(message)


def claim_in(name: str | None, context: Path | None) -> Claim | None:
    """The standard that a release is to be filed under, in the context of a file."""
    if name is None and context is None:
        return None
    if context is None:
        message = f"--standard {name} needs --context FILE: who gets the release, and why; see `cloven audit --help`"
        raise ParameterError(message)
    if name is None:
        message = (
            f"--context is for a standard; give --standard with one of {', '.join(NAMES)}, or leave it out"
        )
        raise ParameterError(message)
    return Claim(standard(name), read_context(context))


AUDITING = Group.of("What to try, and what to accept", Wanted)


# Who is in another release too: found in the table that it was made from, or by its receipt.


def with_shared(
    knowledge: Knowledge, data: Table, schema: Path, other_release: Path | None, other_data: Path | None
) -> Knowledge:
    """What attackers of a table have, where each other release says who is in both."""
    if other_release is None:
        return knowledge
    if other_data is not None:
        shared: NDArray[np.int64] | None = shared_rows(data, read_table(other_data, read_schema(schema)))
    else:
        shared = data.source_rows if _same_data(data, other_release) else None
    releases = tuple(OtherRelease(release, shared) for release in knowledge.releases)
    return Knowledge(knowledge.relatedness, releases)


def _same_data(data: Table, release: Path) -> bool:
    """Whether the owner's folder beside a release says that it was made from the same table."""
    audited = release.parent if release.name == "published" else release
    for place in {places(release)[1], places(audited)[1]}:
        try:
            if read_receipt(place)["input_sha256"] == fingerprint(data):
                return True
        except (ClovenError, OSError):  # no receipt of ours
            continue
    return False


@takes(chosen=CHOSEN, of_table=OF_TABLES, wanted=AUDITING, options=READING)
def audit(
    running: typer.Context,
    chosen: Chosen,
    of_table: dict[str, Any],
    wanted: Wanted,
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
    schema: SchemaOfFile = None,
    rules: RulesFile = None,
    taxonomy: TaxonomyFile = None,
    release: ForeignRelease = None,
    original: OriginalFile = None,
    ledger: LedgerFolder = None,
    engine: Engine = "local",
    master: SparkMaster = None,
    seed: MeasuringSeed = SEED,
    verbose: VerboseFlag = False,
    json: JsonFlag = False,
) -> None:
    """Anonymise, verify, attack, measure and decide in one go.

    OUT (release and report.html) is to publish if the verdict says so; OUT.private (key, figures, the owner's report)
    to keep. An audit that was interrupted goes on where it stopped when the same command is given again.
    The first of --methods is audited, unless it is a disassociation, which other options describe. With --schema, FILE
    is a table of persons. With --release nothing is made: a table that others published is held against its --original.
    What --engine spark works on is attacked in parts: OUT is the release then, the figures are in OUT.private, and what
    was interrupted begins anew, with another OUT.
    """
    start, typed = perf_counter(), Typed.from_context(running)
    check_ledger(ledger)
    if out is not None:
        refuse_places(*all_places(out)[:2])
    refuse_master(engine, master)
    refused = {"--methods": wanted.methods is not None, "--no-attack": not wanted.attack}
    refused |= {"--rules": rules is not None, "--taxonomy": taxonomy is not None}
    refused |= {"--standard": wanted.standard is not None, "--context": wanted.context is not None}
    refused |= dict.fromkeys(OF_TABLES.given(of_table), True)
    if release is None and original is None and schema is None and file is not None:
        if engine == "spark":
            refuse_of_memory(refused)
            method = chosen.usual()
            refuse_unsafe(method, allowed=False)
            audit_in_parts(
                Asked(
                    file, out or free_place(), options, method, wanted.knowledge(sample=False), wanted.limits,
                    wanted.quick, seed, master, ledger, wanted.other_release,
                ),
                typed,
                verbose=verbose,
                json=json,
            )  # fmt: skip
            return
    elif engine == "spark":
        message = "--engine spark audits sets of items in a file; leave it out, or name the file alone"
        raise ParameterError(message)
    if release is not None or original is not None:
        making = [*_of_making(chosen, wanted, rules, ledger), *OF_TABLES.given(of_table)]
        refuse_mixed(release, original, file, making)
        refuse_reading(options, taxonomy)
        given = Given(release or Path(), original or Path(), schema, out, allowed_memory(options))
        knowing = partial(_knowing, wanted, schema)
        audit_release(given, wanted, knowing, seed, typed, verbose=verbose, json=json)
        return
    with progress("read") as report:
        data: Transactions | Table
        reasons: list[str] = []
        if schema is not None:
            refuse_reading(options, taxonomy)
            rules_given, allowed = rules_in(rules), allowed_memory(options)
            data, plan, reasons = table_plan(
                file, schema, chosen, of_table, wanted, rules_given, seed, allowed
            )
        else:
            refuse_of_tables(
                [
                    *AUDITING.given({"other_data": wanted.other_data}),
                    *([] if rules is None else ["--rules"]),
                    *OF_TABLES.given(of_table),
                ]
            )
            spark = on_spark(running, file, chosen.usual(), refused)
            data = read_data(file, options, replace(wanted.bounds, spark=spark))
            plan, reasons = _plan(data, file, chosen, wanted, read_hierarchy(taxonomy, data), seed)
        target, memory = _place(out, data, plan, wanted.stamps)
        for doubt in memory.doubts:
            warn(visible(doubt))

        with _telling_of(memory), memory.kept():
            found = plan.run(data, report, None if wanted.quick else memory)
            if not found.sampled:
                known = Ledger.read(target.parent, ledger)
                tried = tried_with(wanted.other_release)
                found = beside_earlier(found, known.earlier(data), tried, doubts=known.doubts)
                found = judged_before(found, known)
            report("write", 1.0)
            digest = found.write(target, ledger)
    where = _where(found, target)
    if json:
        say_json({**found.to_dict("owner", digest), "places": where})
    else:
        print_answer(answer_of(found, typed, target, where, perf_counter() - start))
    if verbose and not json:
        say("\n" + opening(plan.title, found.description, data, reasons))
        counted = found.family.published(found.result.release)
        tell(found.to_dict("owner", digest), found.family.made(counted))
    if found.decision.verdict != "publish":
        raise typer.Exit(1)


def _knowing(wanted: Wanted, schema: Path | None, data: Table) -> Knowledge:
    """What attackers of a table that is there already have."""
    known = wanted.knowledge(sample=False)
    if schema is not None:
        return with_shared(known, data, schema, wanted.other_release, wanted.other_data)
    if wanted.other_data is not None:
        message = "--other-data is read by the roles of --schema; give that too"
        raise ParameterError(message)
    return known


def _of_making(chosen: Chosen, wanted: Wanted, rules: Path | None, ledger: Path | None) -> list[str]:
    """Options that say how a release is made, or where it is noted."""
    asked = AUDITING.given({"methods": wanted.methods})
    files = {"--rules": rules, "--ledger": ledger}
    return [
        *CHOSEN.given(chosen.given),
        *asked,
        *(flag for flag, place in files.items() if place is not None),
    ]


def _plan(
    data: Transactions,
    file: Path | None,
    chosen: Chosen,
    wanted: Wanted,
    hierarchy: Taxonomy | None,
    seed: int,
) -> tuple[Audit, list[str]]:
    """How sets of items are audited, and why so."""
    method, reasons = chosen.method(data)
    refuse_unsafe(method, allowed=False)
    warn_of_typos(method, data)
    audited, rivals = _first_named(method, chosen, wanted.rivals(method, hierarchy), wanted.methods)
    if audited is not method:
        same = tuple(f"{name}={getattr(audited, name, None)}:" for name in ("k", "m"))
        reasons = [reason for reason in reasons if reason.startswith(same)]
    plan = Audit(
        audited,
        wanted.knowledge(sample=file is None),
        wanted.limits,
        replace(wanted.effort(data), taxonomy=hierarchy),
        rivals,
        wanted.threats,
        advise=wanted.advise,
        seed=seed,
        title="sample clinic" if file is None else file.name,
    )
    return plan, reasons


def _first_named(
    method: Disassociation, chosen: Chosen, rivals: tuple[Anonymiser, ...], methods: str | None
) -> tuple[Anonymiser, tuple[Anonymiser, ...]]:
    """What is audited, and what it is compared with: the first of --methods, unless that is a disassociation."""
    named = [text.partition(":")[0] for text in split_settings(methods or "")]
    if not named or named[0] == "disassociation":
        return method, rivals
    options = CHOSEN.given({each: value for each, value in chosen.given.items() if each not in ("k", "m")})
    if options:
        what = f"{options[0]} is for disassociation, but {named[0]} is audited"
        message = f"{what}; leave it out, or name {named[0]} second"
        raise ParameterError(message)
    usual = Disassociation(k=method.k, m=method.m)  # what the bare name stands for
    others = [each for each in rivals[1:] if each != usual]
    return rivals[0], (*others, *([method] if "disassociation" in split_settings(methods or "") else []))


def all_places(out: Path) -> tuple[Path, Path, Path]:
    """The folder to publish, the folder to keep, and where finished steps are kept on the way."""
    public, private = places(out)
    return public, private, private.with_name(f"{private.name}.unfinished")


def _place(out: Path | None, data: Transactions | Table, plan: Audit, stamps: str) -> tuple[Path, Checkpoint]:
    """Where to write, and the memory of an earlier run that was interrupted there.

    What is in memory is compared by fingerprint, so that an audit never goes on with the steps of other data; and by
    the stamps of the files that attackers are given.
    """
    from cloven.registry import family_of

    print_of_data = family_of(plan.method).fingerprint(data)
    settings = identity(plan) + stamps
    if out is not None:
        return out, Checkpoint.open(all_places(out)[2], print_of_data, settings)
    for number in count(1):
        path = Path("cloven-audit" if number == 1 else f"cloven-audit-{number}")
        public, private, unfinished = all_places(path)
        if os.path.lexists(public) or os.path.lexists(private):
            continue
        if Checkpoint.belongs(unfinished, print_of_data):
            return path, Checkpoint.open(unfinished, print_of_data, settings)
    raise AssertionError


@contextmanager
def _telling_of(memory: Checkpoint) -> Iterator[None]:
    """Say where finished steps lie if the block does not end well: release and key are among them."""
    try:
        yield
    except BaseException:
        if memory.folder.is_dir():
            place = visible(str(memory.folder))
            warn(
                f"{place} keeps what was finished, the key too: the same command goes on with it, or delete it"
            )
        raise


def _where(found: AuditReport, target: Path) -> dict[str, str | None]:
    public, private, _ = all_places(target)
    return {
        "published": None if found.sampled else str(public / "published"),
        "report": str(public / "report.html"),
        "filing": None if found.audit.limits.claim is None else str(private / "filing.html"),
        "private": str(private),
    }


# What ``cloven audit TABLE --schema FILE`` audits: the first of --methods, compared with the others.


SHARED = ("k", "l")
"""What is promised, and so is the same for all that are compared unless they say otherwise."""


def table_plan(
    file: Path | None,
    schema: Path,
    chosen: Chosen,
    of_table: Mapping[str, Any],
    wanted: Wanted,
    rules: Rules,
    seed: int,
    memory: float | None = None,
) -> tuple[Table, Audit, list[str]]:
    """The table, how it is audited, and why so."""
    place = named_table(file)
    of_sets = {name: value for name, value in chosen.given.items() if name != "k"}
    refuse_of_sets(CHOSEN.given(of_sets), "leave it out")
    given = {name: value for name, value in {**of_table, "k": chosen.given["k"]}.items() if value is not None}
    if wanted.methods is not None:  # what cannot be meant is refused before anything is read
        _methods(split_settings(wanted.methods), given, rules, None)
    data = read_persons(place, schema, memory)
    reasons: list[str] = []
    named = split_settings(wanted.methods or "")
    if not named:
        usual, why = suggested(data)
        named, reasons = _taking(usual, given, why)
    (method, *rivals), capped = _methods(named, given, rules, data)
    fit_rules(rules, data)
    return (
        data,
        Audit(
            method,
            with_shared(
                wanted.knowledge(sample=False), data, schema, wanted.other_release, wanted.other_data
            ),
            wanted.limits,
            replace(wanted.effort(data), rules=rules),
            tuple(rivals),
            wanted.threats,
            advise=wanted.advise,
            seed=seed,
            title=place.name,
        ),
        [*_about_k(method, given), *reasons, *capped],
    )


def _taking(usual: str, given: Mapping[str, Any], why: str) -> tuple[list[str], list[str]]:
    """The usual method, or the first that has all options given, and why."""
    wanted = set(given).difference(SHARED)
    able = [name for name, maker in table_anonymisers().items() if wanted <= set(options_of(maker))]
    name = usual.partition(":")[0]
    if not wanted or name in able or not able:
        # What the owner promises is not what the data suggest.
        return ([name], []) if "l" in given else ([usual], [why])
    flags = ", ".join(OF_TABLES.flag(name) for name in given if name in wanted)
    return able[:1], [f"{able[0]}: the method that takes {flags}"]


def _about_k(method: Anonymiser, given: Mapping[str, Any]) -> list[str]:
    k = getattr(method, "k", None)
    if k is None or "k" in given:
        return []
    return [f"k={k}: groups are of at least {k} people, the usual for this method"]


def _methods(
    named: Sequence[str], given: Mapping[str, Any], rules: Rules, data: Table | None
) -> tuple[list[Anonymiser], list[str]]:
    """Methods in the order given, each once, and what was changed; l is what the data allow, unless it is said.

    Options are those of the first; what is promised (k, l) is shared by all that do not say otherwise.
    """
    refuse_methods(named)
    found: list[Anonymiser] = []
    reasons: list[str] = []
    for number, text in enumerate(named):
        maker = table_anonymisers()[text.partition(":")[0]]
        known = {field.name for field in fields(maker)} if is_dataclass(maker) else set()
        if number == 0:
            _refuse_others(text.partition(":")[0], given, known)
        shared = {name: value for name, value in given.items() if name in SHARED or number == 0}
        method = parse_setting(text, **{"rules": rules} | {n: v for n, v in shared.items() if n in known})
        if data is not None and "l" not in given and "l=" not in text:
            method, why = _capped(method, data)
            reasons += why
        if method not in found:
            found.append(method)
    return found, reasons


def _refuse_others(name: str, given: Mapping[str, Any], known: Collection[str]) -> None:
    for asked in given:
        if asked not in known and asked not in SHARED:
            who = [each for each, maker in table_anonymisers().items() if asked in options_of(maker)]
            message = f"{OF_TABLES.flag(asked)} is for {' and '.join(who)}, and {name} is audited"
            message += f"; give --methods {who[0]}"
            raise ParameterError(message)


def _capped(method: Anonymiser, data: Table) -> tuple[Anonymiser, list[str]]:
    """The method with an l that the data allow, and the reason if it is less than usual."""
    largest, l = max(sure_l(data), min(2, largest_l(data))), getattr(method, "l", None)
    if l is None or isinstance(method, Mondrian) or not 2 <= largest < l:
        return method, []
    name = method.parameters["method"]
    why = f"{name} with l={largest}, the largest that leaves room to audit without a fifth of the people"
    return replace(method, l=largest), [why]  # type: ignore[type-var]
