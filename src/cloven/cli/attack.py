"""``cloven attack RELEASE`` and ``cloven attack compose RELEASE RELEASE``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from cloven.cli.console import progress, say, say_json, table
from cloven.cli.options import Branching, Group, takes
from cloven.cli.places import refuse_places, release_at, warn_if_broken
from cloven.cli.reading import JsonFlag, MeasuringSeed, ReleasePath, SchemaFile, items_in
from cloven.cli.score import interval
from cloven.data.defaults import SEED
from cloven.errors import ParameterError
from cloven.figures import many, percent
from cloven.kinds.tables.guesses import Found, ValueGuesses
from cloven.kinds.tables.score.score import TableFindings
from cloven.protocols import Relatedness
from cloven.registry import part, parts
from cloven.values import FILE, TEXT, one_of, option

if TYPE_CHECKING:
    from cloven.storage.manifest import SetRelease

# ``cloven attack compose RELEASE RELEASE --known TABLE --schema FILE``.


HEADER = ("row", "values left", "likeliest", "confidence", "which are left")


@takes()
def compose(
    releases: Annotated[
        list[Path],
        typer.Argument(help="Published tables, two or more.", metavar="RELEASE", show_default=False),
    ],
    known: Annotated[Path, typer.Option(metavar="TABLE", help="Persons whose quasi-identifiers are known.")],
    schema: SchemaFile,
    attribute: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What to find out; default: the only sensitive attribute."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="New CSV file: what is left of each person."),
    ] = None,
    score: Annotated[
        bool, typer.Option("--score", help="TABLE holds the true values too: tell how many are found.")
    ] = False,
    seed: MeasuringSeed = SEED,
    json: JsonFlag = False,
) -> None:
    """Intersect what several releases say about persons that they share (composition attack).

    Of every person in TABLE only the quasi-identifiers are used; with --score the true values are compared at the end.
    """
    import numpy as np

    from cloven.kinds.tables.attack.values import Composition
    from cloven.kinds.tables.guesses import Known
    from cloven.kinds.tables.score.score import score_values
    from cloven.kinds.tables.score.truth import true_values
    from cloven.reading.schema_file import read_schema
    from cloven.reading.tables import read_table
    from cloven.storage.release import read_table_release

    if len(releases) < 2:
        message = f"a composition attack needs at least two releases, got {len(releases)}; name another one"
        raise ParameterError(message)
    if out is not None:
        refuse_places(out)
    with progress("read"):
        published = [read_table_release(release_at(each), "`cloven attack compose`") for each in releases]
        for each, place in zip(published, releases, strict=True):
            warn_if_broken(each, place)
        roles = read_schema(schema)
        looks = tuple(each for each in roles.columns if each.role == "quasi-identifier")
        persons = read_table(known, roles if score else replace(roles, columns=looks))
        guesses = Composition(attribute).guess(published, Known.of(persons))
        found = None
        if score:
            truth = true_values(persons, guesses.attribute)
            found = score_values(guesses, truth, rng=np.random.default_rng(seed))
        if out is not None:
            _write(guesses, persons.source_rows.tolist(), out)
    _tell_values(guesses, found, json=json)


def _tell_values(guesses: ValueGuesses, found: TableFindings | None, *, json: bool) -> None:
    from cloven.kinds.tables.score.score import GUESSING, VALUE_MEASURES

    left = guesses.candidate.sum(axis=1)
    figures: dict[str, Any] = {
        "attribute": guesses.attribute,
        "persons": len(guesses),
        "found_in_all": int((guesses.found == Found.EVERYWHERE).sum()),
        "found_nowhere": int((guesses.found == Found.NOWHERE).sum()),
        "one_value_left": int((left == 1).sum()),
        "mean_values_left": float(left.mean()) if len(left) else 0.0,
    }
    if json:
        say_json(figures | ({} if found is None else {"findings": found.to_dict()}))
        return
    say(
        f"{guesses.attribute} of {many(len(guesses), 'person')}: {figures['found_in_all']:,} fit every release,"
        f" {figures['mean_values_left']:.1f} values are left on average, a single one of"
        f" {many(figures['one_value_left'], 'person')}"
    )
    if found is not None:
        rows = [
            (
                each.measure,
                interval(each.value, each.low, each.high),
                interval(each.chance),
                VALUE_MEASURES[each.measure],
            )
            for each in found
        ]
        say(table(rows, ("measure", "attacker", "guessing", "what it means")))
        say(f"guessing is {GUESSING}")


def _write(guesses: ValueGuesses, rows: list[int], out: Path) -> None:
    """One line for each person, by the row of TABLE from 0; of those who fit nothing, nothing is said."""
    import csv
    import io

    from cloven.escapes import csv_cell
    from cloven.storage.atomic import staged, write_bytes

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for person, row in enumerate(rows):
        left = guesses.candidates(person)
        best, sure = next(iter(left.items()), ("", None))
        writer.writerow(
            (
                row,
                len(left),
                csv_cell(best),
                "" if sure is None else f"{sure:.4f}",
                csv_cell(" | ".join(left)),
            )
        )
    with staged(out) as (place,):
        write_bytes(place, text.getvalue().encode())


CHOICES = parts("attack.choice")
METHODS = tuple(dict.fromkeys(name for each in CHOICES.values() for name in each.METHODS))


def _about_methods() -> str:
    """What ``--method`` may be, kind by kind; each method is told once."""
    first, *others = CHOICES.values()
    told, known = (
        [f"Sets both methods below: {', '.join(first.METHODS)}; default {first.USUAL}."],
        {*first.METHODS},
    )
    for each in others:
        further = ", ".join(name for name in each.METHODS if name not in known)
        told.append(f"On a {each.ABOUT} release: {further}; default {each.USUAL}.")
        known |= {*each.METHODS}
    return " ".join(told)


@dataclass(frozen=True)
class Knowing:
    """What an attacker does and knows, whatever the kind of release."""

    method: str | None = option(None, one_of(*METHODS), _about_methods())
    relatedness: str | None = option(
        None,
        TEXT,
        "vectors:FILE, corpus:FILE, ngd:FILE, learned, sample, ...; see `cloven relatedness forms`.",
        last=True,
    )
    skip: Path | None = option(
        None, FILE, "Items not to ask about, such as the list of `cloven text --typos`.", last=True
    )

    def knowledge(self, release: SetRelease, *, methods_given: bool) -> Relatedness | None:
        """The relatedness that was named; ``learned`` is learned from the release."""
        from cloven.relatedness.combination import Skipping
        from cloven.relatedness.spec import parse

        if self.relatedness is None and (methods_given or self.method is not None):
            return None
        known = parse(self.relatedness or "learned", release=release)
        # The list of `cloven text --typos` has a second column, for what was meant.
        skipped = frozenset() if self.skip is None else {line.split("\t")[0] for line in items_in(self.skip)}
        return Skipping(known, frozenset(skipped)) if skipped else known


GROUPS = {name: Group.of(each.TITLE, each.Choice) for name, each in CHOICES.items()}


@takes(knowing=Group.of("The attack", Knowing), **GROUPS)
def attack(
    release: ReleasePath,
    knowing: Knowing,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="GUESSES", help="New folder for the guesses; default: only show some."
        ),
    ] = None,
    control: Annotated[
        bool, typer.Option("--control/--no-control", help="Also attack with shuffled words, to compare.")
    ] = True,
    seed: MeasuringSeed = SEED,
    json: JsonFlag = False,
    **choices: Any,
) -> None:
    """Put the records of a release back together, from the release and what words mean.

    Without --relatedness and --method the attacker learns from the release alone what goes together.

    In a disassociated release: which part belongs to which record; in a set-generalised one: which items of a
    generalised item were added. The guesses, each with a confidence, go to a new folder with -o; `cloven score`
    compares them with the key. Without -o the surest are shown. Published tables are attacked by `cloven attack
    compose`.
    """
    import numpy as np

    from cloven.kinds.transactions import control_of
    from cloven.storage.release import read_set_release

    if out is not None:
        refuse_places(out)
    with progress("read") as report:
        published = read_set_release(release_at(release), "`cloven attack`")
        warn_if_broken(published, release)
        room, choice = part(published, "attack.choice"), choices[published.family]
        relatedness = knowing.knowledge(published, methods_given=choice.names_methods)
        rng = np.random.default_rng(seed)
        _refuse_others(published.family, knowing.method, choices)
        attacker = choice.attack(knowing.method, relatedness)
        guesses = attacker.guess(published, rng, report)
        if out is not None:
            other = control_of(attacker) if control else None
            shuffled = None if other is None else other.guess(published, rng, report)
            report("write", 0.0)
            room.write(guesses, published, out, control=shuffled)
    facts, shown = room.summary(guesses), room.surest(guesses, published) if out is None else []
    if json:
        place = {"guesses": None, "surest": shown} if out is None else {"guesses": str(out)}
        say_json({**place, "attack": dict(guesses.attack), "notes": dict(guesses.notes), **facts})
        return
    for line in [*room.told(facts), *coverage_words(guesses.notes)]:
        say(line)
    if out is not None:
        say(f"guesses {out}; `cloven score` says how many are right")
        return
    if shown:
        say(table([room.surest_row(each) for each in shown], room.SUREST))
    say("nothing is written: keep all guesses with -o FOLDER, and `cloven score` says how many are right")


def _refuse_others(family: str, method: str | None, choices: Mapping[str, Any]) -> None:
    """Refuse what means nothing for this kind of release, rather than pass it over."""
    for name, choice in choices.items():
        for flag in [] if name == family else GROUPS[name].given(vars(choice)):
            message = f"{flag} is for {CHOICES[name].ABOUT} releases, and this one is not; leave it out"
            raise ParameterError(message)
    if method is None or method in CHOICES[family].METHODS:
        return
    others = " and ".join(each.ABOUT for each in CHOICES.values() if method in each.METHODS)
    known = ", ".join(CHOICES[family].METHODS)
    message = f"--method {method} is for {others} releases; for this one there are {known}"
    raise ParameterError(message)


class Attacking(Branching):
    """``cloven attack``, and the attacks that have a command of their own."""

    further: ClassVar = {"compose": (compose, "Intersect what several tables say about one person.")}


attack.command_class = Attacking  # type: ignore[attr-defined]


def coverage_words(notes: Mapping[str, Any]) -> list[str]:
    """How many of the items the relatedness knows."""
    parts = (notes, notes.get("record", {}), notes.get("term", {}))
    coverage = next((part["coverage"] for part in parts if "coverage" in part), None)
    if not coverage or not coverage["items"]:
        return []
    known = 1 - coverage["unknown"] / coverage["items"]
    ways = ", ".join(f"{way} {many_items:,}" for way, many_items in coverage["rungs"].items() if many_items)
    return [f"{percent(known)} of {many(coverage['items'], 'item')} known: {ways}"]
